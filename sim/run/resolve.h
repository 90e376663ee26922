// First stage of a change to a run: a request becomes settings without gaps. Nothing is built, and no bodies are read.
#pragma once
#include "sim/forces/fields/field_text.h"
#include "sim/run/configuration.h"

#include <cstddef>

namespace gravlab {

/// Largest N that runs in fp64 on the CPU by default. A GPU would be idle most of the time, and these are the systems whose
/// solutions are known to many digits.
constexpr std::size_t kSmallSystem = 256;

/// What a change does to an existing run. A first run starts and makes a backend.
struct Changes {
    bool start = false;    ///< the scene or the file begins anew
    bool bodies = false;   ///< the bodies were edited, or become those of an earlier state of the run
    bool backend = false;  ///< another backend, or another device or number of threads
    bool force = false;    ///< the pair law, or the kernel that computes it
    bool terms = false;    ///< the choice of kernels for the terms beside the pair law
    bool fields = false;   ///< the outer forces
    bool contact = false;  ///< what bodies do that touch
    bool sizes = false;    ///< the rule that gives bodies their radii
};

/// A request with every default filled in, and the rows that it names.
struct Configuration {
    RunRequest request;
    KernelChoice choice;      ///< the request's choice, with the accuracy that the scene names
    RunConfiguration values;  ///< the kernel is known when a backend holds the bodies
    const Scene* scene = nullptr;
    const Integrator* integrator = nullptr;
    BackendChoice backend;
    std::optional<std::vector<OuterField>> fields{};  ///< requested outer forces; empty: the scene's
    std::size_t sceneBodies = 0;                      ///< N of the scene, without later additions and removals
    Changes changes;
};

/// The settings that `wanted` means. `now`: those in force; null for a first run. With `again` the scene starts anew
/// although none of its settings changed. Throws UsageError for settings that exclude each other, or NoDeviceError.
Configuration resolve(const RunRequest& wanted, const Configuration* now, bool again = false);

/// See unresolvedOrbit(), for the bodies of a file at their start. Empty for a null start, and where other terms act.
std::string unresolvedOrbitOf(const StartState* start, const ForceSettings& force, double timeStep);

}  // namespace gravlab
