#include "app/session/screen_host.h"

#include "app/files/scene_file.h"
#include "app/frontends/headless/picture_copy.h"
#include "app/system/file_names.h"

namespace gravlab {

EffectResult ScreenHost::carryOut(const Effect& effect, Ticket ticket) {
    if (Reason why = parts_.refuses(effect); !why.empty()) return refusedBecause(std::move(why));
    return std::visit(
        Overloaded{[&](const SavePicture& e) { return picture(e.file, ticket); },
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
                   [&](const Record& e) { return parts_.recorder.carryOut(e, ticket, app_, parts_.screen); },
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

/// Draws the picture now, before a later command of the frame changes what it shows, and writes it beside the frames.
EffectResult ScreenHost::picture(const std::string& file, Ticket ticket) {
    constexpr int kMostWritten = 8;  // a picture holds memory until it is written
    const Screen& screen = parts_.screen;
    if (screen.width == 0 || screen.height == 0) return failedBecause("The window is hidden, so there is no picture of it.");
    if (*writing_ >= kMostWritten) return failedBecause("Eight pictures are not written yet, because the disk is slow.");
    app_.draw(screen.framebuffer, screen.width, screen.height);
    FileJob job = takePicture(app_, parts_.ui, screen.width, screen.height, screen.renderer, file);
    ++*writing_;
    job.done = [writing = writing_, done = std::move(job.done)](const FileOutcome& outcome) {
        --*writing;
        done(outcome);
    };
    return run(std::move(job), ticket);
}

double ScreenHost::progress(Ticket ticket) const {
    const double film = parts_.recorder.progress(ticket);
    return film >= 0 ? film : BaseHost::progress(ticket);
}

std::vector<Ended> ScreenHost::ended() {
    std::vector<Ended> all = BaseHost::ended();
    for (std::vector<Ended> some : {parts_.files.ended(), parts_.recorder.ended()})
        all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    return all;
}

}  // namespace gravlab
