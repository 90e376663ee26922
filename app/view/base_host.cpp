#include "app/view/base_host.h"

#include "app/control/open_file.h"
#include "app/control/scene_file.h"
#include "sim/forces/law.h"
#include "sim/io/checkpoint.h"
#include "sim/io/shared_bodies.h"
#include "sim/measure/diagnostics.h"

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
                       writeSceneFile(e.file, workspace_);
                       return EffectResult();
                   },
                   [&](const Open& e) { return open(e); },
                   [&](const ShareBodies& e) { return share(e); },
                   [&](const TakeBodies& e) { return takeShared(e); },
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
                   [&](const SaveKernel& e) { return LabLoop::saveKernel(workspace_, e.file); },
                   [&](const LessonGo&) { return needsWindow("lessons are gone through"); },
                   [&](const WalkMenus&) { return EffectResult(); },
                   [&](const NextPanel&) { return EffectResult(); },
                   [&](const Quit&) {
                       quits_ = true;
                       return EffectResult();
                   }},
        effect);
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

namespace {

constexpr const char* kNothingShared = "no memory is shared; start 'gravlab play' with --share DESCRIPTOR";

}  // namespace

/// Copies the last complete step while the caller waits.
EffectResult BaseHost::share(const ShareBodies& effect) {
    if (workspace_.ui.files.shared < 0) return refusedBecause(kNothingShared);
    Simulation& simulation = workspace_.host.simulation();
    Diagnostics measured;
    if (effect.arrays & kSharedEnergies) measured = simulation.measure();
    if (!measured.failure.empty()) return failedBecause(measured.failure);
    simulation.snapshot(shared_);
    writeShared(workspace_.ui.files.shared, effect.arrays, shared_, simulation.step(), simulation.time(),
                effect.arrays & kSharedEnergies ? &measured : nullptr);
    return {};
}

EffectResult BaseHost::takeShared(const TakeBodies& effect) {
    if (workspace_.ui.files.shared < 0) return refusedBecause(kNothingShared);
    ReadOptions read;
    read.units = effect.units;
    read.allowSigns = lawRow(workspace_.facts.configuration.force.law).signedSources;
    const auto takesUp = [this](bool again) { return workspace_.apply(again); };
    return takeStart(workspace_, startFrom(readShared(workspace_.ui.files.shared, read), "bodies of a client"), takesUp)
               ? EffectResult()
               : refusedBecause(workspace_.message);
}

EffectResult BaseHost::begin(const Measure& effect, Ticket ticket) {
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
