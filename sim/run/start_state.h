// Bodies of a run that starts without a scene's builder: from a file, or from a run that is continued.
// Rule: it never changes once made; settings share it.
#pragma once
#include "sim/api/bodies.h"
#include "sim/api/contact.h"
#include "sim/core/body_names.h"
#include "sim/core/clock.h"
#include "sim/core/file_units.h"
#include "sim/core/particles.h"
#include "sim/scenes/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// A state of a run, to continue from.
struct RunState {
    ParticleSet bodies;
    Clock clock;
    std::string integrator;  ///< integrator that the arrays belong to; empty: none
    std::vector<StateArray>
        integratorState;  ///< data that this integrator and the force methods need for an exact continuation
    ForceTerms others{};  ///< terms beside the pair law, without the parts that had ended
    ContactTotals contacts{};
};

/// The file of the bodies, with the options for reading it again.
struct StartFile {
    std::string path;            ///< absolute; empty: there is none
    std::string columns, units;  ///< see ReadOptions
    std::optional<double> gravity{};
    bool sanitize = false;
    FilePart part{};
    bool ignoreHubble = false;
    std::string bonds{};  ///< absolute path of a file with bonds between the bodies; empty: there is none
    std::string print;    ///< hashOf() its bodies, to see whether the file is still the same
    bool operator==(const StartFile&) const = default;
};

/// A doubt about bodies without units: the units in which they would be near balance.
struct UnitsDoubt {
    std::string question;  ///< a sentence; empty: there is no doubt
    std::string units;     ///< row of unitSystems(); empty: none fits
    bool operator==(const UnitsDoubt&) const = default;
};

/// A state with the row of a scene around it. It is neither copied nor moved: the row's texts are members.
struct StartState {
    std::string name, idea, caption;  ///< texts of the row; the name is not in the scene table
    std::string units;                ///< the units [L], [M] and [T], in words; empty: unknown
    FileUnits fileUnits;              ///< units of the file that they came from
    SharedBodyNames names = noBodyNames();
    StartFile file;
    UnitsDoubt doubt;
    std::string scene;           ///< scene that the bodies originally came from; empty: none
    int sceneVersion = 1;        ///< version of that scene
    SceneParameters parameters;  ///< parameters of that scene
    RunState state;
    Scene row{};  ///< fixedBodies is N; build is null

    StartState() = default;
    StartState(const StartState&) = delete;
    StartState& operator=(const StartState&) = delete;
};

}  // namespace gravlab
