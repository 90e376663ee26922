// Rates of the kernels of a force term beside the pair law, and the fastest of them. Rule: Trial checks them like pair laws.
#pragma once
#include "app/bench/sweep.h"
#include "sim/run/configuration.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// The timed system: bodies of a scene under its pair law and one further term.
struct TermStudy {
    std::string kind;  ///< of the term
    System system;
    ForceSettings force;
    double timeStep = 0;
};

/// The scene's bodies with its own term of that kind, else with the kind's example. Throws UsageError when neither exists.
TermStudy termStudy(const RunRequest& wanted, std::string_view kind, std::size_t bodies);

/// The choices that a request names: one row, or every listed row for "all" or no name; with `launches` each row in every
/// launch for which it is built.
std::vector<KernelChoice> termChoices(std::string_view backend, std::string_view kind, const TermRequest& request,
                                      bool launches);

/// Loads the study with this choice for the term. Returns `integrator`, or one that takes the term.
const Integrator& loadTerm(Backend& backend, TermStudy& study, const KernelChoice& how, const Integrator& integrator);

/// Loads the study with this choice for the term, and times the term.
BenchmarkRow timeTerm(Backend& backend, TermStudy& study, const KernelChoice& how, const Integrator& integrator,
                      BenchmarkPlan plan);

/// The fastest verified one of these points of one term; empty: none passed its check.
std::optional<TunedChoice> tunedTerm(std::span<const SweepResult> results, Precision precision);

/// The fastest verified choice for this N; empty: none passed its check.
std::optional<TunedChoice> tuneTerm(Backend& backend, TermStudy& study, const TermRequest& request);

}  // namespace gravlab
