// What people do to single bodies: hold, remove, drop; and the way back of each edit.
// Rule: an edit is made between two complete steps, of both runs, and everything that knows the bodies learns of it.
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

/// Bodies that are held, the first few. `time`: the run's [T].
std::vector<HeldBody> heldBodies(const ParticleSet& bodies, double time);
/// What bodies that are not held have for a response.
double usualResponse(const ParticleSet& bodies);

class BodyEditor {
public:
    /// Both outlive it.
    BodyEditor(Document& document, RunHost& host) : document_(document), host_(host) {}
    /// What is refused leaves the run as it was. What is applied can be taken back as long as the bodies are the same or
    /// come back. Throws DeviceError: the bodies are lost.
    EffectResult edit(const EditBodies& wanted);
    /// The bodies come from elsewhere: nothing can be taken back on them.
    void begin();
    /// They come from another state of their run.
    void jump();
    /// What it knows of the bodies, to be put back when these bodies come back.
    struct Memory {
        std::uint64_t bodies = 0;                   ///< another number whenever they come from elsewhere
        std::map<std::uint32_t, double> responses;  ///< of bodies that are held, from before
    };
    const Memory& memory() const { return memory_; }
    void recall(const Memory& memory) { memory_ = memory; }
    /// The response that a held body had before; the usual one where nobody knows.
    double responseOf(std::uint32_t id) const;

private:
    /// Edits to make to the bodies as they are at a step boundary, of the first run or of its twin. Pure: they may be asked
    /// for again.
    using Edits = std::function<std::vector<BodyEdit>(const ParticleSet& now, bool ofTwin)>;
    void makeEdits(const Edits& edits);
    EffectResult tryEdits(const Edits& edits);
    EffectResult edit(const Edits& change, const Edits& back);
    EffectResult takeBack(const Edits& back, std::int64_t step, std::uint64_t of);
    EffectResult removeSelected();
    EffectResult dropStar();
    EffectResult drop(const LaunchOrder& order);
    EffectResult holdSelected(bool moving);
    EffectResult aimSelected(const glm::dvec3& velocity);

    Document& document_;
    RunHost& host_;
    Memory memory_;
    std::uint64_t newest_ = 0;  ///< of Memory::bodies
};

}  // namespace gravlab
