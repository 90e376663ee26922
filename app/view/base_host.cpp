#include "app/view/base_host.h"

#include "app/control/open_file.h"
#include "app/control/scene_file.h"
#include "sim/io/checkpoint.h"

#include <string>
#include <utility>

namespace gravlab {
namespace {

EffectResult needsWindow(const std::string& what) { return failedBecause(what + " in a window"); }

}  // namespace

EffectResult BaseHost::carryOut(const Effect& effect, Ticket ticket) {
    return std::visit(
        Overloaded{[&](const EditBodies& e) { return workspace_.host.edit(e); },
                   [&](const JumpTo& e) { return workspace_.host.jump(e); },
                   [&](const Restart&) { return apply(true) ? EffectResult() : refusedBecause(workspace_.message); },
                   [&](const FindGroups&) {
                       workspace_.groupFinder.find();
                       workspace_.facts.findingGroups = true;
                       groups_ = ticket;
                       return EffectResult{CommandStatus::running, {}, {}};
                   },
                   [&](const SavePicture&) { return needsWindow("pictures are taken"); },
                   [&](const SaveRun& e) {
                       if (e.file.empty()) return failedBecause("off screen 'do save' needs a FILE");
                       writeSnapshot(e.file, checkpointOf(workspace_.host.simulation()), {.keepPrevious = true});
                       return EffectResult();
                   },
                   [&](const SaveScene& e) {
                       if (e.file.empty()) return failedBecause("off screen 'do save-scene' needs a FILE.toml");
                       return write(sceneFile(workspace_, e.file), ticket);
                   },
                   [&](const Open& e) { return open(e); },
                   [&](const Recover&) { return needsWindow("what an earlier session left is opened"); },
                   [&](const ForgetSession&) { return needsWindow("what an earlier session left is removed"); },
                   [&](const ListFolder&) { return needsWindow("folders are listed"); },
                   [&](const Record&) {
                       return failedBecause("films are recorded in a window; 'gravlab render' makes them off screen");
                   },
                   [&](const Measure& e) { return begin(e, ticket); },
                   [&](const TryKernel&) {
                       workspace_.tryKernel();
                       trying_ = ticket;
                       return EffectResult{CommandStatus::running, {}, {}};
                   },
                   [&](const SaveKernel& e) { return write(kernelFile(workspace_.labPanel.own, e.file), ticket); },
                   [&](const LessonGo&) { return needsWindow("lessons are gone through"); },
                   [&](const WalkMenus&) { return EffectResult(); }, [&](const NextPanel&) { return EffectResult(); },
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

std::function<void(const FileOutcome&)> sayingIn(Document& document) {
    return [&document](const FileOutcome& outcome) {
        document.say(outcome.sentence);
        document.warning = outcome.status != FileOutcome::Status::written;
    };
}

EffectResult BaseHost::write(FileJob job, Ticket /*ticket*/) {
    workspace_.host.first().feed().serve(workspace_.host.simulation());  // where it needs the bodies
    return resultOf(job.now());
}

/// Reads and begins while the caller waits.
EffectResult BaseHost::open(const Open& effect) {
    const auto takesUp = [this](bool again) { return workspace_.apply(again); };
    bool taken = false;
    if (isSceneFile(effect.file)) {
        Options base = sceneBase(workspace_);
        base.file = effect.file;
        taken = takeScene(workspace_, withSceneFile(base), takesUp);
    } else {
        ReadOptions read;
        if (!effect.units.empty()) read = againIn(workspace_, effect.units);
        taken = takeStart(workspace_, openStart(effect.file, read), takesUp);
    }
    return taken ? EffectResult() : refusedBecause(workspace_.message);
}

EffectResult BaseHost::begin(const Measure& effect, Ticket ticket) {
    if (std::optional<FileJob> file = labFile(effect, workspace_.lab, workspace_, workspace_.host))
        return write(std::move(*file), ticket);
    EffectResult done = workspace_.measure(effect);
    if (effect.what == Measure::What::cancel && measuring_)
        ended_.push_back({*std::exchange(measuring_, std::nullopt), failedBecause("it was cancelled")});
    if (done.status != CommandStatus::applied || !workspace_.lab.busy()) return done;
    if (effect.what == Measure::What::sweep || effect.what == Measure::What::tune) {
        measuring_ = ticket;
        done.status = CommandStatus::running;
    }
    return done;
}

std::vector<Ended> BaseHost::ended() {
    if (groups_ && !workspace_.groupFinder.busy()) {
        const std::string& why = workspace_.groupFinder.problem();
        ended_.push_back({*std::exchange(groups_, std::nullopt), why.empty() ? EffectResult() : failedBecause(why)});
    }
    if (measuring_ && !workspace_.lab.busy()) {
        const std::string& how = workspace_.lab.status();
        ended_.push_back({*std::exchange(measuring_, std::nullopt), workspace_.lab.cancelled()
                                                                        ? failedBecause("it was cancelled")
                                                                        : EffectResult{CommandStatus::applied, how, {}}});
    }
    if (trying_ && !workspace_.labPanel.own.trying)
        ended_.push_back(
            {*std::exchange(trying_, std::nullopt), {CommandStatus::applied, workspace_.labPanel.own.sentence, {}}});
    return std::exchange(ended_, {});
}

}  // namespace gravlab
