// One frame of a window, a film, a script off screen, a benchmark or a check of lessons.
// Rule: this is the only order: commands and their effects, steps, camera, picture, panels, steps ahead, presentation.
#pragma once
#include "app/control/controller.h"
#include "app/services/spot_check.h"
#include "app/view/app.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gravlab {

/// How a frame advances the run and the camera.
struct FrameClock {
    enum class Steps {
        none,     ///< no step: the first frame of a film shows the state as it is
        exact,    ///< stepsPerFrame steps, however long they take; the camera moves by `seconds`
        realTime  ///< as many steps as the time budget allows; nothing waits, and the drawn camera glides
    };
    Steps steps = Steps::exact;
    double seconds = 0;  ///< time by which a rotating or flying camera advances [s]
    double glide = 0;    ///< time by which the drawn camera follows in real time [s]

    static constexpr FrameClock still() { return {Steps::none}; }
    static constexpr FrameClock film(double seconds) { return {Steps::exact, seconds}; }
    /// A script off screen sees no clock of the machine.
    static constexpr FrameClock script() { return film(1.0 / 60); }
    static constexpr FrameClock window(double seconds) { return {Steps::realTime, seconds, seconds}; }
};

/// The outputs of a frame and the functions that it calls. An empty function does nothing.
struct Surfaces {
    unsigned framebuffer = 0;
    int width = 0, height = 0;              ///< 0: no picture and no panels; trails still record the frame
    std::function<void()> afterCommands{};  ///< runs after the commands and before the first step: lessons, films
    /// After those: whether the program ends here, without steps and picture; empty: never.
    std::function<bool()> shouldStop{};
    std::function<double()>
        cameraSeconds{};  ///< replaces FrameClock::seconds where the value is known only then: a film beside a window
    std::function<bool()> mustDraw{};  ///< whether to draw a picture that looks like the last one; empty: always
    std::function<void()> panels{};    ///< builds the panels and draws them over the picture
    bool ahead = false;                ///< steps of the next frame may precede the presentation of this one
    std::function<void()> present{};
};

class Frame {
public:
    /// The result of a frame.
    struct Made {
        std::vector<Event> events{};  ///< events of the commands
        std::string alarm{};          ///< the forces are wrong, so nothing was drawn; with exact steps only
        bool drawn = false;           ///< false: the picture would equal the last one
        double seconds = 0;           ///< time until it was shown [s]
    };

    /// The arguments must outlive the frame.
    Frame(App& app, Controller& controller, Host& host) : app_(app), controller_(controller), host_(host) {}
    Made make(const FrameClock& clock, const Surfaces& to);

private:
    bool looksTheSame() const;
    void remember();

    // Each picture delays pending steps by 1.7 ms on the device (1280x720, virtual display, H200).
    static constexpr double kPicture = 1.0 / 25;  // [s]

    App& app_;
    Controller& controller_;
    Host& host_;
    SpotCheck spotCheck_;
    // State of the last picture.
    std::uint64_t run_ = 0;
    std::size_t measured_ = 0;  ///< points of the strip; the last point of a paused run changes nothing else
    std::int64_t step_ = -1, twinStep_ = -1;
    double at_ = 0, dueAt_ = 0;  ///< time of the last picture, and of the next wanted one [s]
};

}  // namespace gravlab
