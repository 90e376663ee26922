#include "app/frontends/window/window_host.h"

#include "app/files/scene_file.h"
#include "app/frontends/headless/picture_copy.h"
#include "app/system/file_names.h"

namespace gravlab {

EffectResult WindowHost::carryOut(const Effect& effect, Ticket ticket) {
    const Window& window = parts_.window;
    return std::visit(
        Overloaded{[&](const SavePicture& e) -> EffectResult {
                       if (window.width() == 0 || window.height() == 0)
                           return failedBecause("The window is hidden, so there is no picture of it.");
                       pictures_.emplace_back(ticket, e.file);
                       return {CommandStatus::running, {}, {}};
                   },
                   [&](const SaveRun& e) { return parts_.files.save(e.file, ticket); },
                   [&](const SaveScene& e) {
                       FileJob job = sceneFile(app_.document, e.file.empty() ? timedName("gravlab", ".toml") : e.file);
                       job.done = sayingIn(app_.reports.news);
                       return run(std::move(job), ticket);
                   },
                   [&](const Open& e) { return parts_.files.open(e, ticket); },
                   [&](const Recover&) { return parts_.files.recover(ticket); },
                   [&](const ForgetSession&) { return parts_.files.forget(ticket); },
                   [&](const ListFolder& e) { return parts_.files.list(e.folder, ticket); },
                   [&](const Record& e) {
                       return parts_.recorder.carryOut(e, ticket, app_, window.width(), window.height(),
                                                       window.description());
                   },
                   [&](const LessonGo& e) { return parts_.lessons.carryOut(e, app_.document, app_.reports.lesson); },
                   [&](const WalkMenus&) {
                       parts_.ui.walkMenus();
                       return EffectResult();
                   },
                   [&](const NextPanel&) {
                       parts_.ui.nextPanel();
                       return EffectResult();
                   },
                   [&](const auto&) { return BaseHost::carryOut(effect, ticket); }},
        effect);
}

void WindowHost::takePictures() {
    const Window& window = parts_.window;
    // A picture holds memory until it is written. Where the disk is so slow, the next picture shows a later frame.
    constexpr int kMostWritten = 8;
    for (; !pictures_.empty() && *writing_ < kMostWritten; pictures_.pop_front()) {
        const auto& [ticket, file] = pictures_.front();
        FileJob job = takePicture(app_, parts_.ui, window.width(), window.height(), window.description(), file);
        ++*writing_;
        job.done = [writing = writing_, done = std::move(job.done)](const FileOutcome& outcome) {
            --*writing;
            done(outcome);
        };
        run(std::move(job), ticket);
    }
}

double WindowHost::progress(Ticket ticket) const {
    const double film = parts_.recorder.progress(ticket);
    return film >= 0 ? film : BaseHost::progress(ticket);
}

std::vector<Ended> WindowHost::ended() {
    std::vector<Ended> all = BaseHost::ended();
    for (std::vector<Ended> some : {parts_.files.ended(), parts_.recorder.ended()})
        all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    return all;
}

}  // namespace gravlab
