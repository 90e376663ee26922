// A film of the running window: the picture once more at a size of its own, every so many steps, while the window goes on.
// Rule: a frame every stepsPerFrame steps, none twice and none left out; when the encoder is slower, the run waits, the
// window does not.
#pragma once
#include "app/control/host.h"
#include "app/film/film_thread.h"
#include "app/model/film_state.h"
#include "app/system/worker.h"
#include "app/view/app.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

class BesidePicture;
class OffscreenTarget;

class Recorder {
public:
    Recorder();
    /// A film that is still being made ends with the frames it has.
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Begins a film, which is running until its first frame is taken; ends it, which is running until the file is closed;
    /// or ends it and keeps nothing. None of them waits. `renderer` names the OpenGL context, `width` and `height` are the
    /// window's.
    EffectResult carryOut(const Record& effect, Ticket ticket, App& app, int width, int height, const std::string& renderer);
    std::vector<Ended> ended() { return std::exchange(ended_, {}); }
    /// Of the end of a film: how many of the frames that waited then are written, 0 to 1; below 0 for other tickets.
    double progress(Ticket ticket) const;
    /// Before the runs advance: takes what has ended, and limits the steps to the next frame of the film.
    void prepare(App& app);
    /// What the camera's own motion goes on by: `seconds`, or in a film what has passed in it since the last call.
    double pace(double seconds);
    /// After the frame was drawn: draws the film's frame when its step has come. Leaves the film's framebuffer bound.
    void update(App& app);
    /// Whether a frame is needed although nothing moves: the film is about to end.
    bool needsFrame() const;
    /// Ends the film and waits for it: the window closes. What to tell people is a sentence; empty: nothing.
    std::string close();
    /// The OpenGL context is lost: the film ends with the frames it has.
    void dropPicture();

private:
    EffectResult start(App& app, int width, int height, const std::string& renderer);
    void stop();
    void report(std::optional<Ticket>& ticket, EffectResult outcome);
    void forget(FilmState& state);
    void collect(bool all);
    void showProgress(FilmState& state) const;
    std::string ending() const;

    std::unique_ptr<FilmThread> thread_;
    /// Where films go that are not wanted: their encoder may take long to let go of its pipe.
    Worker<std::unique_ptr<FilmThread>, bool> bin_{[](std::unique_ptr<FilmThread> film, auto&) {
                                                       film.reset();
                                                       return true;
                                                   },
                                                   Asking::allInTurn};
    std::optional<Ticket> starting_, stopping_;
    std::size_t waitedAtEnd_ = 0;  ///< frames and the end itself
    std::deque<Ticket> cancelling_;
    std::vector<Ended> ended_;
    std::unique_ptr<OffscreenTarget> target_;
    std::unique_ptr<BesidePicture> picture_;
    bool ending_ = false;
    std::string file_, renderer_;
    std::int64_t frames_ = 0, pacedFrames_ = 0, framesWanted_ = 0, step_ = 0, nextStep_ = 0;
    int stepsPerFrame_ = 1;
    double fps_ = 60;
    double worked_ = 0, lookedAt_ = 0;  ///< [s] that it was recording and not paused, up to that time
};

}  // namespace gravlab
