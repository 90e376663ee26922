// Carries out commands' effects on a window: files, pictures, films, lessons, the panels. Rule: no frame waits for it.
#pragma once
#include "app/frontends/window/recorder.h"
#include "app/frontends/window/session_files.h"
#include "app/frontends/window/window.h"
#include "app/lessons/lesson_runner.h"
#include "app/ui/ui.h"
#include "app/view/base_host.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

class WindowHost : public BaseHost {
public:
    /// Receivers of effects; all of them must outlive it.
    struct Parts {
        Window& window;
        Ui& ui;
        SessionFiles& files;
        Recorder& recorder;
        LessonRunner& lessons;
    };
    WindowHost(App& app, const Parts& parts) : BaseHost(app), parts_(parts) {}
    EffectResult carryOut(const Effect& effect, Ticket ticket) override;
    std::vector<Ended> ended() override;
    double progress(Ticket ticket) const override;
    /// Takes the ordered pictures, after a frame was drawn and before it is shown. They are written beside the frames.
    void takePictures();
    /// A picture waits for a frame.
    bool needsFrame() const { return !pictures_.empty(); }

private:
    EffectResult run(FileJob job, Ticket ticket, Rest rest = {}) override {
        return parts_.files.run(std::move(job), ticket, std::move(rest));
    }

    Parts parts_;
    std::shared_ptr<int> writing_ = std::make_shared<int>(0);  ///< pictures that are taken and not yet written
    std::deque<std::pair<Ticket, std::string>> pictures_;      ///< files
};

}  // namespace gravlab
