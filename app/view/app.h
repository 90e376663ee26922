// An open document with all that lives beside it: the runs, what works beside them, what draws them.
// Rule: what a part does is in the part. The order of a frame is in app/view/frame.h; these are its steps.
#pragma once
#include "app/control/host.h"
#include "app/model/document.h"
#include "app/services/pace.h"
#include "app/services/run_host.h"
#include "app/view/run_view.h"
#include "app/view/services.h"

#include <cstdint>
#include <span>

namespace gravlab {

struct App {
    /// Needs a current OpenGL context. What is asked for and cannot be ends by an exception.
    explicit App(const Options& options);
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// Makes the runs what the intent says. A refused change leaves the run as it was and its text as the message, and gives
    /// false. `again`: the scene starts anew although nothing of it changed.
    bool apply(bool again = false);
    /// Measures, tries and writes in the lab; what takes longer goes on in advance().
    EffectResult measure(const Measure& what) { return services.labLoop.carryOut(what, services.lab, document); }
    void tryKernel() { services.labLoop.tryKernel(document); }
    /// Advances within the budget (realTime) or exactly stepsPerFrame steps (film), publishes and measures.
    void advance(bool realTime);
    /// After a picture was drawn and before it is shown: steps of the next frame, where RunHost::takesAhead().
    void advanceAhead();
    /// Draws the newest complete step and reads the timers that have finished. A size of 0 only reads them.
    void draw(unsigned framebuffer, int width, int height);
    /// What was drawn last once more, for a film beside the window or in parts: nothing recorded, nothing measured, light as
    /// draw() found it.
    void drawAgain(std::span<const Viewport> pictures, unsigned framebuffer, int width, int height) {
        view.drawAgain(runs, pictures, framebuffer, width, height);
    }
    /// Whether the next frame would differ from the last one without any new intent.
    bool moving() const;
    /// The run does not keep up with its speed on a device that draws, too: each picture takes steps away.
    bool behind() const { return behind_; }
    /// How long to rest after a frame that took so long [s]: drawing takes half of the processors' time at most.
    double restSeconds(double frameSeconds) const { return view.restSeconds(runs, frameSeconds, wantsMore_); }
    /// A window's, in which nothing may wait; or a film's, whose frames are complete.
    bool realTime() const { return realTime_; }

    /// Lets go of everything of OpenGL while its context is still current: that one is lost. The run, the camera and all
    /// that was chosen stay. Only remakePicture() may follow. Throws DeviceError when the simulation's device is lost too.
    void dropPicture();
    /// Makes it anew in the context that is current now and publishes the newest complete step. Trails start anew.
    void remakePicture();

    Document document;
    RunHost runs;
    Services services;
    RunView view;

private:
    double stepSeconds();
    double deviceSeconds() const;
    void askPace(double now);
    std::int64_t stepsOfAQueue();
    bool onDevice();
    void readFacts();

    Pace pace_;
    std::uint64_t pacedRun_ = 0;
    double advancedAt_ = 0;  ///< host clock [s]; 0: not yet
    bool realTime_ = false, behind_ = false;
    bool wantsMore_ = false;  ///< the steps would use more time
};

}  // namespace gravlab
