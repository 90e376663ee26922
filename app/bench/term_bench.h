// Rates of the kernels of a force term beside the pair law, and the fastest of them. Rule: the checks of Trial.
#pragma once
#include "app/bench/benchmark.h"
#include "sim/run/configuration.h"

#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// What is timed: bodies of a scene under its pair law and one term beside it.
struct TermStudy {
    std::string kind;  ///< of the term
    System system;
    ForceSettings force;
    double timeStep = 0;
};

/// The scene's bodies with its own term of that kind, else with the kind's example. Throws UsageError where neither is
/// there.
TermStudy termStudy(const RunRequest& wanted, std::string_view kind, std::size_t bodies);

/// The choices that a request names: one row, or each listed one where it says "all" or nothing; with `launches` each with
/// every launch that it is built for.
std::vector<KernelChoice> termChoices(std::string_view backend, std::string_view kind, const TermRequest& request,
                                      bool launches);

/// Loads the study with the term computed so, and times the term.
BenchmarkRow timeTerm(Backend& backend, TermStudy& study, const KernelChoice& how, const Integrator& integrator,
                      BenchmarkPlan plan);

/// The fastest verified choice for that number of bodies; empty: none passed its check.
std::optional<TunedChoice> tuneTerm(Backend& backend, TermStudy& study, const TermRequest& request);

}  // namespace gravlab
