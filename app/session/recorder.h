// A film of the running window: the picture once more in a size of its own, every few steps, while the window continues.
// Rule: a frame every stepsPerFrame steps, none twice and none left out. When the encoder is slower, the run waits; the
// window does not.
#pragma once
#include "app/control/host.h"
#include "app/film/film_thread.h"
#include "app/model/ui_state.h"
#include "app/system/worker.h"
#include "app/view/app.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

class PictureCopy;
class OffscreenTarget;
struct EncoderRow;

/// What somebody watches: a framebuffer of the current OpenGL context.
struct Screen {
    unsigned framebuffer = 0;
    int width = 0, height = 0;  ///< pixels; 0: it is hidden
    std::string renderer{};     ///< the OpenGL context, for people
};

class Recorder {
public:
    Recorder();
    /// A film under way ends with the frames it has.
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Begins a film, ends it, or cancels it and keeps nothing. A begin is running until its encoder is tried and its first
    /// frame is taken, an end until the file is closed. None of them waits.
    EffectResult carryOut(const Record& effect, Ticket ticket, App& app, const Screen& screen);
    std::vector<Ended> ended() { return std::exchange(ended_, {}); }
    /// For the end of a film: the written fraction of the frames that were waiting at its end, 0 to 1; below 0 for other
    /// tickets.
    double progress(Ticket ticket) const;
    /// Call before the runs advance: takes finished films, and limits the steps to the next frame of the film.
    void prepare(App& app);
    /// Time step of the camera's own motion: `seconds`, or in a film the film's time since the last call.
    double pace(double seconds);
    /// Call after the frame was drawn: draws the film's frame when its step has come. Leaves the film's framebuffer bound.
    void update(App& app);
    /// Whether a frame is needed although nothing moves: the film is about to end.
    bool needsFrame() const;
    /// The window closes: ends the film and waits for it. Returns a sentence for the user; empty: there is none.
    std::string close();
    /// The OpenGL context is being lost: the film ends with the frames it has.
    void dropPicture();

private:
    EffectResult begin(App& app);
    EffectResult start(App& app, const EncoderRow& row);
    void stop();
    void report(std::optional<Ticket>& ticket, EffectResult outcome);
    void forget(FilmProgress& state);
    void collect(bool all);
    void showProgress(FilmProgress& state) const;
    std::string ending() const;

    std::unique_ptr<FilmThread> thread_;
    /// Destroys cancelled films on a thread of its own: their encoder may be slow to close its pipe.
    Worker<std::unique_ptr<FilmThread>, bool> bin_{[](std::unique_ptr<FilmThread> film, auto&) {
                                                       film.reset();
                                                       return true;
                                                   },
                                                   QueuePolicy::fifo};
    std::optional<Screen> wanted_;  ///< screen of a film whose encoder is being tried
    std::optional<Ticket> starting_, stopping_;
    std::size_t waitedAtEnd_ = 0;  ///< frames that waited, and the end itself
    std::deque<Ticket> cancelling_;
    std::vector<Ended> ended_;
    std::unique_ptr<OffscreenTarget> target_;
    std::unique_ptr<PictureCopy> picture_;
    bool ending_ = false;
    std::string file_;
    std::int64_t frames_ = 0, pacedFrames_ = 0, framesWanted_ = 0, step_ = 0, nextStep_ = 0;
    int stepsPerFrame_ = 1;
    double fps_ = 60;
    double worked_ = 0, lookedAt_ = 0;  ///< [s] time of recording without pauses, up to `lookedAt_`
};

}  // namespace gravlab
