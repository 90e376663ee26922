// Second stage of a change to a run: whether this machine and single precision can compute these bodies.
#pragma once
#include "sim/core/made_bodies.h"
#include "sim/run/resolve.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace gravlab {

/// Bodies whose forces a check compares. They are chosen when bodies are loaded, so that a check needs no copy of them.
struct CheckTargets {
    std::vector<std::uint32_t> hard;    ///< bodies where kernels of all pairs make errors
    std::vector<std::uint32_t> random;  ///< bodies for an accuracy that most of the bodies keep
    const std::vector<std::uint32_t>& of(const KernelRow& row) const { return row.approximates ? random : hard; }
};

/// The targets for these bodies under all terms.
CheckTargets targetsOf(const ParticleSet& bodies, const ForceTerms& others);

/// Settings under which single precision computes the bodies of a run correctly.
struct Carried {
    ForceSettings force;  ///< its softening does not matter
    double least, most;   ///< softening lengths between which that holds [L]
    double shortest;      ///< time step from which it holds [T]
};

/// Properties of an existing run that judge() reads. A first run has none of them.
struct Present {
    std::function<std::shared_ptr<const ParticleSet>()> bodies{};  ///< edited bodies, or a copy of the backend's; may wait
    std::function<std::shared_ptr<const RunState>()> state{};  ///< a copy of all that an exact continuation needs; may wait
    std::shared_ptr<const RunState> resumed{};                 ///< an earlier state of this run, to continue from
    std::vector<Term> terms{};
    ForceSettings force{};
    double timeStep = 0;  ///< [T]
    std::optional<Carried> carried{};
};

/// A configuration whose precision suits its bodies, and the bodies to load.
struct Plan {
    Configuration configuration;
    std::shared_ptr<const ParticleSet> bodies{};  ///< null: the backend keeps its bodies
    std::shared_ptr<const MadeBodies> made{};     ///< read in their place, piece by piece
    std::vector<Term> terms{};                    ///< terms that act on them, each with the kernel that computes it
    std::shared_ptr<const RunState> resumed{};  ///< state whose clock and methods continue; null: the clock begins or stays
    bool otherFields = false;                   ///< its methods and integrator computed under other outer forces
    CheckTargets targets{};                     ///< targets among `bodies`
    std::size_t overlaps = 0;                   ///< pairs of `bodies` in contact where they begin
    std::optional<Carried> carried{};
    bool loads() const { return bodies || made; }
    BodiesToRead read() const { return made ? BodiesToRead(*made) : BodiesToRead(*bodies); }
};

/// Fewest bodies of a scene that a device reads in pieces, instead of from arrays on the host; a test changes it.
std::size_t& fewestRead();

/// Throws OutOfMemoryError where the memory for a start is not free, before any bodies exist. Throws UsageError where the
/// integrator cannot run under the force terms, the time step is too long for one, or the requested precision cannot compute
/// the bodies. An open precision becomes double instead.
Plan judge(Configuration configuration, const Present& present);

}  // namespace gravlab
