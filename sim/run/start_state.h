// Bodies that a run starts from instead of a scene's builder: a file, or a run that is continued.
// Rule: never changed once made; settings share it.
#pragma once
#include "sim/core/clock.h"
#include "sim/core/particles.h"
#include "sim/core/state_array.h"
#include "sim/scenes/scene.h"

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

/// A state with the row of a scene around it. Neither copied nor moved: the row's texts are members.
struct StartState {
    std::string name, idea, caption;  ///< of the row; the name is none of the scene table
    std::string units;                ///< what one [L], [M] and [T] are, in words; empty: not known
    std::string scene;                ///< scene that the bodies once came from; empty: none
    int sceneVersion = 1;             ///< of that scene
    SceneParameters parameters;       ///< it was built with
    RunState state;
    Scene row{};  ///< fixedBodies is their number; build is null

    StartState() = default;
    StartState(const StartState&) = delete;
    StartState& operator=(const StartState&) = delete;
};

}  // namespace gravlab
