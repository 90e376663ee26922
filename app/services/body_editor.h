// What people do to single bodies: hold, remove, drop, undo.
// Rule: an edit is made between two complete steps, of both runs, and everything that knows the bodies learns of it.
#pragma once
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
    /// What is refused is a message; the run then goes on as it was. Throws DeviceError: the bodies are lost.
    void edit(EditRequest wanted);
    /// Another run: nothing is left to undo or to give back.
    void forget();
    void forgetUndo() { undo_.clear(); }
    /// The response that a held body had before; the usual one where nobody knows.
    double responseOf(std::uint32_t id) const;

private:
    /// Edits to make to the bodies as they are at a step boundary, of the first run or of its twin. Pure: they may be asked
    /// for again.
    using Edits = std::function<std::vector<BodyEdit>(const ParticleSet& now, bool ofTwin)>;
    void makeEdits(const Edits& edits);
    bool tryEdits(const Edits& edits);
    void edit(const Edits& change, const Edits& back);
    void removeSelected();
    void dropStar();
    void dropOrdered();
    void drop(const LaunchOrder& order);
    void holdSelected(bool moving);
    void aimSelected();
    void undo();

    Document& document_;
    RunHost& host_;
    struct Undo {
        Edits edits;
        std::int64_t step;  ///< at which what it takes back was done
    };
    std::vector<Undo> undo_;                     ///< newest last
    std::map<std::uint32_t, double> responses_;  ///< of bodies that are held, from before
};

}  // namespace gravlab
