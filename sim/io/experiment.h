// What the program's own code may see of a public Experiment.
#pragma once
#include "sim/api/simulation.h"
#include "sim/run/simulation.h"

namespace gravlab {

struct Experiment::Inside {
    explicit Inside(const RunRequest& request) : simulation(request) {}
    Simulation simulation;
    Rate rate{};
};

struct ExperimentAccess {
    static Simulation& simulation(const Experiment& experiment);
};

}  // namespace gravlab
