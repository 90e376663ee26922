#include "sim/backends/cpu/force_check_job.h"

#include <utility>

namespace gravlab::cpu {

void CheckJob::request(std::vector<std::uint32_t> targets) {
    cancel();
    requested_ = std::move(targets);
}

void CheckJob::cancel() {
    requested_.clear();
    running_.clear();
    result_.reset();
}

void CheckJob::begin(std::vector<Double4> positions, std::vector<Double4> velocities, std::vector<Double4> accelerations,
                     const ForceSettings& force, const ForceGate& gate) {
    running_ = std::exchange(requested_, {});
    positions_ = std::move(positions);
    velocities_ = std::move(velocities);
    got_ = std::move(accelerations);
    want_.assign(running_.size(), {});
    floors_.assign(running_.size(), 0);
    force_ = force;
    gate_ = gate;
    done_ = 0;
}

void CheckJob::run(ThreadPool& pool, Deadline deadline) {
    if (!running()) return;
    const auto count = static_cast<std::int64_t>(running_.size());
    done_ = pool.run(done_, count, deadline, [this](std::int64_t index) {
        const auto at = static_cast<std::size_t>(index);
        referenceForces(positions_, velocities_, std::span(running_).subspan(at, 1), force_, std::span(want_).subspan(at, 1),
                        std::span(floors_).subspan(at, 1));
    });
    if (done_ < count) return;
    result_ = compareForces(got_, want_, gate_, floors_);
    result_->worst = running_[result_->worst];
    running_.clear();
    positions_ = {};
    velocities_ = {};
}

std::optional<ForceCheck> CheckJob::take() { return std::exchange(result_, std::nullopt); }

}  // namespace gravlab::cpu
