// Second stage of a change to a run: whether this machine and single precision can compute these bodies.
#pragma once
#include "sim/run/resolve.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace gravlab {

/// Bodies that a force check looks at. They are chosen when bodies are loaded, so that a check needs no copy of them.
struct CheckTargets {
    std::vector<std::uint32_t> hard;    ///< where kernels of all pairs go wrong
    std::vector<std::uint32_t> random;  ///< for an accuracy that most of the bodies keep
    const std::vector<std::uint32_t>& of(const KernelRow& row) const { return row.approximates ? random : hard; }
};

/// Settings under which single precision computes the bodies of a run correctly.
struct Carried {
    ForceSettings force;  ///< whatever its softening
    double least, most;   ///< softening lengths between which that holds [L]
};

/// What judge() reads of a run that is there. A first run has none of it.
struct Present {
    std::function<std::shared_ptr<const ParticleSet>()> bodies{};  ///< edited ones, or a copy of the backend's; may wait
    std::function<std::shared_ptr<const RunState>()> state{};      ///< a copy of all that going on takes; may wait
    std::shared_ptr<const RunState> resumed{};                     ///< an earlier state of this run, to go on from
    std::vector<Term> terms{};
    ForceSettings force{};
    std::optional<Carried> carried{};
};

/// A configuration whose precision suits its bodies, and the bodies to load.
struct Plan {
    Configuration configuration;
    std::shared_ptr<const ParticleSet> bodies{};  ///< null: the backend keeps those that it has
    std::vector<Term> terms{};                    ///< that act on them, each with the kernel that computes it
    std::shared_ptr<const RunState> resumed{};    ///< whose clock and methods go on; null: the clock begins or stays
    CheckTargets targets{};                       ///< of `bodies`
    std::optional<Carried> carried{};
};

/// Throws OutOfMemoryError where the memory for a start is not free, before any bodies exist; UsageError where the
/// integrator cannot run under the force terms, or the precision that the request names cannot compute the bodies. An open
/// precision becomes double instead.
Plan judge(Configuration configuration, const Present& present);

}  // namespace gravlab
