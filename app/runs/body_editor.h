// Edits of single bodies by the user (hold, remove, drop) and their undo.
// Rule: an edit is made between two complete steps, in both runs, and everything that depends on the bodies is updated.
#pragma once
#include "app/control/host.h"
#include "app/model/document.h"
#include "sim/core/body_edit.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace gravlab {

class RunHost;

/// The first of the bodies that are held. `time`: time of the run [T].
std::vector<HeldBody> heldBodies(const ParticleSet& bodies, double time);
/// The response of bodies that are not held.
double usualResponse(const ParticleSet& bodies);

class BodyEditor {
public:
    /// Both arguments must outlive the editor.
    BodyEditor(Document& document, RunHost& host) : document_(document), host_(host) {}
    /// A refused edit leaves the run unchanged. An applied edit can be undone while the bodies are the same, or after they
    /// return. Throws DeviceError when the bodies are lost.
    EffectResult edit(const EditBodies& wanted);
    /// Gives all bodies the properties of these, which have the same ids.
    EffectResult replace(const ParticleSet& bodies);
    /// Applies the spring of document.pull for the time since it last acted. Call it once a frame, before the steps.
    void pull();
    /// The bodies are replaced from elsewhere: earlier edits cannot be undone on them.
    void begin();
    /// The bodies now have another state of the same run.
    void jump();
    /// The selected body may have another index now, or none.
    void selectAgain();
    /// What the editor knows about the bodies, to be restored when these bodies return.
    struct Memory {
        std::uint64_t bodies = 0;                   ///< changes whenever the bodies are replaced from elsewhere
        std::map<std::uint32_t, double> responses;  ///< responses of held bodies before they were held
    };
    const Memory& memory() const { return memory_; }
    void recall(const Memory& memory) { memory_ = memory; }
    /// See Host.
    Inverse keepSizes();
    /// The response that a held body had before; the usual one where it is unknown.
    double responseOf(std::uint32_t id) const;

private:
    /// Edits that apply to the bodies at a step boundary, for the first run or its twin. Pure: they may be computed again.
    using Edits = std::function<std::vector<BodyEdit>(const ParticleSet& now, bool ofTwin)>;
    void makeEdits(const Edits& edits);
    EffectResult tryEdits(const Edits& edits);
    static EffectResult tried(const std::function<void()>& work);
    EffectResult edit(const Edits& change, const Edits& back);
    EffectResult undoEdit(const Edits& back, std::int64_t step, std::uint64_t of);
    EffectResult removeSelected();
    EffectResult drop(const DropOrder& order);
    EffectResult holdSelected(bool moving);
    EffectResult pullSelected(const EditBodies& wanted);
    EffectResult steerSelected(const std::function<Vec3d(const Vec3d& now)>& velocityOf);

    Document& document_;
    RunHost& host_;
    Memory memory_;
    std::uint64_t newest_ = 0;  ///< newest value of Memory::bodies
    double pulledAt_ = 0;       ///< time [T] at which the spring last acted
};

}  // namespace gravlab
