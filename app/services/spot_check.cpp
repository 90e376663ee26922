#include "app/services/spot_check.h"

namespace gravlab {

std::string SpotCheck::judge(const ForceCheck& result) {
    ++results_;
    const bool sound = result.nonFinite == 0 && result.median <= kMedian && result.max <= kWorst;
    if (sound) return {};
    ++failures_;
    return "the forces do not agree with double precision any more (" + result.text() +
           "); results from here on are not to be trusted. Try another kernel or backend, or 'gravlab check'";
}

std::string SpotCheck::update(Simulation& simulation) {
    const auto now = std::chrono::steady_clock::now();
    const bool known = simulation.forceCheck().has_value();
    if (const std::optional<ForceCheck> result = simulation.takeRecheck()) return judge(*result);
    if (known && std::chrono::duration<double>(now - asked_).count() >= seconds_) {
        asked_ = now;
        simulation.recheck();
    }
    return {};
}

}  // namespace gravlab
