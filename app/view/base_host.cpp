#include "app/view/base_host.h"

#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/files/snapshot_jobs.h"
#include "sim/forces/law.h"
#include "sim/io/checkpoint.h"
#include "sim/measure/diagnostics.h"

#include <string>
#include <utility>

namespace gravlab {
namespace {

EffectResult needsWindow(const std::string& what) { return failedBecause(what + " in a window"); }

/// An effect that lets `begin` change the document, which returns whether the run has begun.
EffectResult taking(std::function<bool(Document&)> begin) {
    EffectResult done{.endsRun = true};
    done.rest = [begin = std::move(begin)](Document& d) { return begin(d) ? EffectResult() : refusedBecause(d.message); };
    return done;
}

}  // namespace

EffectResult BaseHost::carryOut(const Effect& effect, Ticket ticket) {
    return std::visit(
        Overloaded{[&](const EditBodies& e) { return app_.runs.edit(e); },
                   [&](const JumpTo& e) { return app_.runs.jump(e); },
                   [&](const Restart&) { return apply(true) ? EffectResult() : refusedBecause(app_.document.message); },
                   [&](const FindGroups&) {
                       app_.services.groupFinder.find();
                       app_.reports.facts.findingGroups = true;
                       groupsTicket_ = ticket;
                       return EffectResult{CommandStatus::running, {}, {}};
                   },
                   [&](const SavePicture&) { return needsWindow("pictures are taken"); },
                   [&](const SaveRun& e) {
                       if (e.file.empty()) return failedBecause("off screen 'do save' needs a FILE");
                       return run(
                           saving(e.file, [this] { return checkpointOf(app_.runs.simulation()); }, {.keepPrevious = true}),
                           ticket);
                   },
                   [&](const SaveScene& e) {
                       if (e.file.empty()) return failedBecause("off screen 'do save-scene' needs a FILE.toml");
                       return run(sceneFile(app_.document, e.file), ticket);
                   },
                   [&](const Open& e) { return open(e); },
                   [&](const ShareBodies& e) { return share(e); },
                   [&](const TakeBodies& e) { return takeShared(e); },
                   [&](const ReplaceBodies&) { return replaceFromShared(); },
                   [&](const Recover&) { return needsWindow("what an earlier session left is opened"); },
                   [&](const ForgetSession&) { return needsWindow("what an earlier session left is removed"); },
                   [&](const ListFolder&) { return needsWindow("folders are listed"); },
                   [&](const Record&) {
                       return failedBecause("films are recorded in a window; 'gravlab render' makes them off screen");
                   },
                   [&](const Measure& e) { return begin(e, ticket); },
                   [&](const TryKernel&) {
                       app_.services.labLoop.tryKernel(app_.reports);
                       trialTicket_ = ticket;
                       return EffectResult{CommandStatus::running, {}, {}};
                   },
                   [&](const OpenKernel& e) { return openKernel(e.file, ticket); },
                   [&](const SaveKernel& e) {
                       return run(kernelFile(app_.document.labPanel.own, app_.reports.own, e.file), ticket);
                   },
                   [&](const LessonGo&) { return needsWindow("lessons are gone through"); },
                   [&](const WalkMenus&) { return EffectResult(); },
                   [&](const NextPanel&) { return EffectResult(); },
                   [&](const Quit&) {
                       quits_ = true;
                       return EffectResult();
                   }},
        effect);
}

EffectResult resultOf(const FileOutcome& outcome) {
    if (outcome.status == FileOutcome::Status::refused) return refusedBecause(outcome.sentence);
    if (outcome.status == FileOutcome::Status::failed) return failedBecause(outcome.sentence);
    return {CommandStatus::applied, outcome.sentence, {}};
}

std::function<void(const FileOutcome&)> sayingIn(News& news) {
    return [&news](const FileOutcome& outcome) {
        news.say(outcome.sentence);
        news.warning = outcome.status != FileOutcome::Status::written;
    };
}

EffectResult BaseHost::run(FileJob job, Ticket /*ticket*/, Rest rest) {
    app_.runs.first().feed().serve(app_.runs.simulation());  // the file may need the bodies
    EffectResult done = resultOf(job.now());
    if (done.status == CommandStatus::applied) done.rest = std::move(rest);
    return done;
}

/// Reads the file and replaces the text of the lab's editor by it.
EffectResult BaseHost::openKernel(const std::string& file, Ticket ticket) {
    const auto text = std::make_shared<std::string>();
    FileJob job{.work =
                    [text, file] {
                        *text = ownTextOfFile(file);
                        return std::string();
                    },
                .reads = true};
    return run(std::move(job), ticket, [text, file](Document& d) {
        OwnKernel& own = d.labPanel.own;
        EffectResult done;
        done.back = [was = own.text, name = own.file] {
            return EffectResult{.rest = [was, name](Document& now) {
                now.labPanel.own.text = was;
                now.labPanel.own.file = name;
                return EffectResult();
            }};
        };
        own.text = std::move(*text);
        own.file = file;
        d.labPanel.open = d.ui.visible = d.ui.panel = true;
        d.labPanel.page = LabPage::own;
        return done;
    });
}

/// Reads the file and begins the run while the caller waits.
EffectResult BaseHost::open(const Open& effect) {
    if (isSceneFile(effect.file)) {
        StartOptions base = sceneBase(app_.document);
        base.file = effect.file;
        return taking([this, scene = withSceneFile(base)](Document& d) { return takeScene(d, scene, app_.applyIntent()); });
    }
    ReadOptions read;
    if (!effect.units.empty()) read = againIn(app_.document, effect.units);
    return taking([this, start = openStart(effect.file, read)](Document& d) mutable {
        return takeStart(d, std::move(start), app_.applyIntent());
    });
}

/// Copies the last complete step while the caller waits.
EffectResult BaseHost::share(const ShareBodies& effect) {
    Simulation& simulation = app_.runs.simulation();
    Diagnostics measured;
    if (effect.arrays & kSharedEnergies) measured = simulation.measure();
    if (!measured.failure.empty()) return failedBecause(measured.failure);
    simulation.snapshot(shared_);
    writeShared(app_.document.ui.files.shared, effect.arrays, shared_, simulation.step(), simulation.time(),
                effect.arrays & kSharedEnergies ? &measured : nullptr,
                arrayUnits(simulation.configuration(), simulation.scene()), &sharedMapping_);
    return {};
}

EffectResult BaseHost::takeShared(const TakeBodies& effect) {
    ReadOptions read{.units = effect.units};
    const Simulation& now = app_.runs.simulation();
    Snapshot bodies = readShared(app_.document.ui.files.shared, read, arrayUnits(now.configuration(), now.scene()));
    return taking([this, start = startFrom(std::move(bodies), std::string(kSharedRun))](Document& d) mutable {
        return takeStart(d, std::move(start), app_.applyIntent());
    });
}

EffectResult BaseHost::replaceFromShared() {
    Simulation& now = app_.runs.simulation();
    ReadOptions read{.allowSigns = lawRow(now.force().law).signedSources};
    ParticleSet bodies = now.bodies();
    replaceShared(app_.document.ui.files.shared, read, arrayUnits(now.configuration(), now.scene()), bodies);
    return app_.runs.replace(bodies);
}

EffectResult BaseHost::begin(const Measure& effect, Ticket ticket) {
    if (std::optional<FileJob> file = labFile(effect, app_.services.lab, app_.document, app_.reports, app_.runs))
        return run(std::move(*file), ticket);
    EffectResult done = app_.services.labLoop.carryOut(effect, app_.document, app_.reports);
    if (effect.what == Measure::What::cancel && measureTicket_)
        ended_.push_back({*std::exchange(measureTicket_, std::nullopt), failedBecause("it was cancelled")});
    if (!effect.lasts() || done.status != CommandStatus::applied || !app_.services.lab.busy()) return done;
    measureTicket_ = ticket;
    done.status = CommandStatus::running;
    return done;
}

std::vector<Ended> BaseHost::ended() {
    if (groupsTicket_ && !app_.services.groupFinder.busy()) {
        const std::string& why = app_.services.groupFinder.problem();
        ended_.push_back({*std::exchange(groupsTicket_, std::nullopt), why.empty() ? EffectResult() : failedBecause(why)});
    }
    if (measureTicket_ && !app_.services.lab.busy()) {
        const std::string& how = app_.services.lab.status();
        ended_.push_back({*std::exchange(measureTicket_, std::nullopt),
                          app_.services.lab.cancelled() ? failedBecause("it was cancelled")
                                                        : EffectResult{CommandStatus::applied, how, {}}});
    }
    if (const OwnKernel& own = app_.document.labPanel.own; trialTicket_ && !own.trying)
        ended_.push_back({*std::exchange(trialTicket_, std::nullopt),
                          own.outcome == OwnOutcome::good ? EffectResult{CommandStatus::applied, own.sentence, {}}
                                                          : failedBecause(own.sentence)});
    return std::exchange(ended_, {});
}

}  // namespace gravlab
