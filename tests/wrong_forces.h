// A checkpoint whose run must be wrong: within a run in single precision its bodies are moved so far apart that all forces
// vanish. It is accepted until its first force is checked.
#pragma once
#include "sim/io/checkpoint.h"
#include "sim/io/snapshot.h"
#include "sim/run/simulation.h"

#include <filesystem>

namespace gravlab::testing_support {

inline void writeWrongForces(const std::filesystem::path& file) {
    Simulation simulation({.scene = "plummer", .bodies = 300, .backend = "cpu", .precision = Precision::fp32});
    simulation.advance({.steps = 1}, nullptr);
    Snapshot snapshot = checkpointOf(simulation);
    for (Double4& position : snapshot.bodies.position)
        for (double* value : {&position.x, &position.y, &position.z}) *value *= 1e16;
    writeSnapshot(file, snapshot);
}

}  // namespace gravlab::testing_support
