#include "app/services/spot_check.h"

#include <algorithm>
#include <utility>

namespace gravlab {

std::string SpotCheck::judge(const ForceCheck& result, bool first, double kept) {
    ++results_;
    newest_ = result;
    const bool sound = result.nonFinite == 0 && result.median <= std::max(kMedian, kept) &&
                       result.max <= std::max(kWorst, kWorstOfKept * kept);
    if (sound) return {};
    ++failures_;
    if (first)
        return "the forces do not agree with double precision (" + result.text() +
               "); nothing of this run is to be trusted. Try --precision fp64, another kernel or backend, or 'gravlab "
               "check'";
    return "the forces do not agree with double precision any more (" + result.text() +
           "); results from here on are not to be trusted. Try another kernel or backend, or 'gravlab check'";
}

std::string SpotCheck::update(Simulation& simulation) {
    const auto now = std::chrono::steady_clock::now();
    const std::optional<ForceCheck> first = simulation.forceCheck();
    const RunConfiguration& run = simulation.configuration();
    const double kept = keptAccuracy(simulation.backend().activeKernel(), run.force, run.accuracy, run.opening);
    // A configuration may have come and been checked since the last look.
    const bool known = std::exchange(known_, first.has_value()) && revision_ == simulation.revision();
    revision_ = simulation.revision();
    if (first && !known) return judge(*first, true, kept);
    if (const std::optional<ForceCheck> result = simulation.takeRecheck()) return judge(*result, false, kept);
    if (known_ && std::chrono::duration<double>(now - asked_).count() >= seconds_) {
        asked_ = now;
        simulation.recheck();
    }
    return {};
}

void SpotCheck::ask(Simulation& simulation) {
    asked_ = std::chrono::steady_clock::now();
    simulation.recheck();
}

std::string SpotCheck::settle(Simulation& simulation) {
    if (!simulation.forceCheck()) simulation.backend().wait();
    return update(simulation);
}

}  // namespace gravlab
