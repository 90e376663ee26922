// Carries effects out for somebody who watches a screen: files, pictures, films, lessons, the panels. Rule: no turn waits
// for it.
#pragma once
#include "app/lessons/lesson_runner.h"
#include "app/session/recorder.h"
#include "app/session/session_files.h"
#include "app/ui/ui.h"
#include "app/view/base_host.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

class ScreenHost : public BaseHost {
public:
    /// Receivers of effects; all of them must outlive it.
    struct Parts {
        Ui& ui;
        SessionFiles& files;
        Recorder& recorder;
        LessonRunner& lessons;
        const Screen& screen;
        const std::function<Reason(const Effect&)>& refuses;  ///< see Session
    };
    ScreenHost(App& app, const Parts& parts) : BaseHost(app), parts_(parts) {}
    EffectResult carryOut(const Effect& effect, Ticket ticket) override;
    std::vector<Ended> ended() override;
    double progress(Ticket ticket) const override;

private:
    EffectResult run(FileJob job, Ticket ticket, Rest rest = {}) override {
        return parts_.files.run(std::move(job), ticket, std::move(rest));
    }
    EffectResult picture(const std::string& file, Ticket ticket);

    Parts parts_;
    std::shared_ptr<int> writing_ = std::make_shared<int>(0);  ///< pictures that are taken and not yet written
};

}  // namespace gravlab
