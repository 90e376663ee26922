// Bodies that a run starts from instead of a scene's builder: a file, or a run that is continued.
// Rule: never changed once made; settings share it.
#pragma once
#include "sim/core/body_names.h"
#include "sim/core/clock.h"
#include "sim/core/file_units.h"
#include "sim/core/particles.h"
#include "sim/core/state_array.h"
#include "sim/scenes/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// A place in a run, to go on from.
struct RunState {
    ParticleSet bodies;
    Clock clock;
    std::string integrator;                   ///< whose state the arrays are; empty: none
    std::vector<StateArray> integratorState;  ///< what that integrator and the force methods need to go on exactly
    ForceTerms others{};                      ///< what acts beside the pair law; restore() keeps what acts
};

/// The file that bodies came from, and how it was read: enough to read it again.
struct StartFile {
    std::string path;            ///< absolute; empty: there is none to go back to
    std::string columns, units;  ///< as ReadOptions has them
    std::optional<double> gravity{};
    bool sanitize = false;
    bool ignoreHubble = false;
    std::string print;  ///< hashOf() its bodies: whether it is still the same
    bool operator==(const StartFile&) const = default;
};

/// Whether bodies without units look as if they had some: what units they would be near balance in.
struct UnitsDoubt {
    std::string question;  ///< a sentence; empty: nothing is odd about them
    std::string units;     ///< row of unitSystems(); empty: none suits
    bool operator==(const UnitsDoubt&) const = default;
};

/// A state with the row of a scene around it. Neither copied nor moved: the row's texts are members.
struct StartState {
    std::string name, idea, caption;  ///< of the row; the name is none of the scene table
    std::string units;                ///< what one [L], [M] and [T] are, in words; empty: not known
    FileUnits fileUnits;              ///< of the file that they came from
    SharedBodyNames names = noBodyNames();
    StartFile file;
    UnitsDoubt doubt;
    std::string scene;           ///< scene that the bodies once came from; empty: none
    int sceneVersion = 1;        ///< of that scene
    SceneParameters parameters;  ///< it was built with
    RunState state;
    Scene row{};  ///< fixedBodies is their number; build is null

    StartState() = default;
    StartState(const StartState&) = delete;
    StartState& operator=(const StartState&) = delete;
};

}  // namespace gravlab
