// One frame, wherever it is made: in a window, a film, a script off screen, a benchmark, a check of lessons.
// Rule: this is the only order. Commands and their effects, steps, camera, picture, panels, steps ahead, shown.
#pragma once
#include "app/control/controller.h"
#include "app/services/spot_check.h"
#include "app/view/app.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gravlab {

/// The time of a frame.
struct FrameClock {
    enum class Steps {
        none,     ///< the state as it is: the first frame of a film
        exact,    ///< stepsPerFrame steps, however long they take; the camera moves by `seconds`
        realTime  ///< what the time budget allows; nothing waits, and the drawn camera glides
    };
    Steps steps = Steps::exact;
    double seconds = 0;  ///< by which a camera that turns or flies by itself moves on [s]
    double glide = 0;    ///< by which the drawn camera follows in real time [s]

    static constexpr FrameClock still() { return {Steps::none}; }
    static constexpr FrameClock film(double seconds) { return {Steps::exact, seconds}; }
    /// Off screen a script sees no clock of the machine.
    static constexpr FrameClock script() { return film(1.0 / 60); }
    static constexpr FrameClock window(double seconds) { return {Steps::realTime, seconds, seconds}; }
};

/// Where a frame goes and who takes part in it. What is empty does nothing.
struct Surfaces {
    unsigned framebuffer = 0;
    int width = 0, height = 0;        ///< 0: no picture and no panels; trails remember the frame all the same
    std::function<void()> applied{};  ///< commands are done and no step is made yet: lessons, films
    std::function<double()> flown{};  ///< replaces FrameClock::seconds, known only then: a film beside a window
    std::function<bool()> needed{};   ///< whether a picture that looks like the last one is drawn; empty: always
    std::function<void()> panels{};   ///< builds and draws them over the picture
    bool ahead = false;               ///< steps of the next frame may be made before this one is shown
    std::function<void()> present{};
};

class Frame {
public:
    /// What became of a frame.
    struct Made {
        std::vector<Event> events{};  ///< of the commands
        std::string alarm{};          ///< the forces are wrong, so nothing was drawn; of exact steps only
        bool drawn = false;           ///< false: the picture would have been the last one
        double seconds = 0;           ///< until it was shown [s]
    };

    /// All of them outlive it.
    Frame(App& app, Controller& controller, Host& host) : app_(app), controller_(controller), host_(host) {}
    Made make(const FrameClock& clock, const Surfaces& to);

private:
    bool looksTheSame() const;
    void remember();

    // Each picture takes the device 1.7 ms away from steps that are waited for (1280x720, virtual display, H200).
    static constexpr double kPicture = 1.0 / 25;  // [s]

    App& app_;
    Controller& controller_;
    Host& host_;
    SpotCheck spotCheck_;
    // of the last picture
    std::uint64_t run_ = 0;
    std::size_t measured_ = 0;  ///< points of the strip: the last of a paused run ends with no other news
    std::int64_t step_ = -1, twinStep_ = -1;
    double at_ = 0, dueAt_ = 0;  ///< when it was made, and when the next is wanted [s]
};

}  // namespace gravlab
