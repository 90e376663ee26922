#include "app/services/spot_check.h"

#include "app/system/host_clock.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

namespace gravlab {

namespace {

std::string missed(const ForceCheck& result) {
    const std::string text = formatted("the forces of these bodies miss the accuracy of %g", result.allowed);
    return text + (" (" + result.text() + ")");
}

}  // namespace

std::string SpotCheck::alarmOf(const ForceCheck& result, bool first) const {
    if (result.allowed > 0) {
        if (result.passed) return {};
        if (result.nonFinite == 0) return missed(result) + "; --accuracy auto computes every pair";
    } else if (result.nonFinite == 0 && result.median <= kMedian && result.max <= kWorst) {
        return {};
    }
    if (first)
        return "the forces do not agree with double precision (" + result.text() +
               "); nothing of this run is to be trusted. Try --precision fp64, another kernel or backend, or 'gravlab "
               "check'";
    return "the forces do not agree with double precision any more (" + result.text() +
           "); results from here on are not to be trusted. Try another kernel or backend, or 'gravlab check'";
}

std::string SpotCheck::judge(const ForceCheck& result, bool first) {
    ++results_;
    newest_ = result;
    std::string alarm = alarmOf(result, first);
    if (!alarm.empty()) ++failures_;
    return alarm;
}

std::string SpotCheck::update(Simulation& simulation) {
    const auto now = std::chrono::steady_clock::now();
    const std::optional<ForceCheck> first = simulation.forceCheck();
    // A configuration may be new and checked since the last look.
    const bool known = std::exchange(known_, first.has_value()) && revision_ == simulation.revision();
    revision_ = simulation.revision();
    if (first && !known) return judge(*first, true);
    if (const std::optional<ForceCheck> result = simulation.takeRecheck()) return judge(*result);
    // A check of 100 million bodies takes 1.1 s of an H200: it has at most a tenth of the time.
    const double shareOfMany = static_cast<double>(simulation.backend().size()) / 1e8;
    if (known_ && std::chrono::duration<double>(now - begun_).count() >= seconds_ * std::max(1.0, shareOfMany)) {
        begun_ = now;
        simulation.recheck();
    }
    return {};
}

void SpotCheck::ask(Simulation& simulation) {
    begun_ = std::chrono::steady_clock::now();
    simulation.recheck();
}

std::string SpotCheck::settle(Simulation& simulation, double limit) {
    if (!std::isfinite(limit)) {
        if (!simulation.forceCheck()) simulation.backend().wait();
        return update(simulation);
    }
    constexpr auto kPause = std::chrono::microseconds(100);
    for (const double end = hostClock() + limit;
         simulation.totals().evaluated() > 0 && !simulation.forceCheck() && hostClock() < end;)
        std::this_thread::sleep_for(kPause);
    return update(simulation);
}

std::string holdAccuracy(Simulation& simulation, const std::function<void()>& meanwhile) {
    // In the middle of a run its first check decides: earlier steps cannot be computed again.
    if (!simulation.backend().activeKernel().approximates || simulation.step() != 0) return {};
    // The check of the first force ends before bodies move, except where few bodies make a whole step in one slice.
    std::int64_t steps = 0;
    for (; steps == 0 && !simulation.forceCheck(); simulation.backend().wait()) {
        meanwhile();
        steps = simulation.advance({.seconds = 0, .steps = 1}, nullptr).stepsCompleted;
    }
    const std::optional<ForceCheck> check = simulation.forceCheck();
    std::string replaced;
    // Numbers that are not finite do not concern accuracy: the run that follows finds them.
    if (check && !check->passed && check->nonFinite == 0) {
        RunRequest exact = simulation.request();
        if (!exact.pairs().kernel.open())
            throw Error(ExitCode::checkFailed,
                        missed(*check) + "; no result was written. Without --kernel every pair is computed");
        exact.pairs().accuracy = 0;
        exact.pairs().opening.reset();
        simulation.apply(exact);
        replaced = missed(*check) + "; every pair is computed instead";
    }
    steps > 0 ? simulation.reset() : simulation.beginAgain();
    return replaced;
}

}  // namespace gravlab
