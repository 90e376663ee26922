#include "sim/backends/cpu/force_check_job.h"

#include <algorithm>
#include <utility>

namespace gravlab::cpu {

void CheckJob::request(std::vector<std::uint32_t> targets) {
    cancel();
    requested_ = std::move(targets);
    ++request_;
}

void CheckJob::alsoCheck(const std::vector<std::uint32_t>& targets) {
    for (const std::uint32_t target : targets)
        if (std::ranges::find(requested_, target) == requested_.end()) requested_.push_back(target);
}

void CheckJob::cancel() {
    requested_.clear();
    running_.clear();
    result_.reset();
}

void CheckJob::begin(std::vector<Double4> positions, std::vector<Double4> velocities, std::vector<TermShare> shares,
                     std::vector<Double4> whole, std::shared_ptr<const std::vector<std::uint32_t>> ids, double time) {
    running_ = std::exchange(requested_, {});
    positions_ = std::move(positions);
    velocities_ = std::move(velocities);
    shares_ = std::move(shares);
    whole_ = std::move(whole);
    ids_ = std::move(ids);
    time_ = time;
    truth_ = TermTruth(shares_.size(), running_.size());
    done_ = 0;
    momentum_ = -1;
}

void CheckJob::run(ThreadPool& pool, Deadline deadline) {
    if (!running()) return;
    const auto count = static_cast<std::int64_t>(running_.size());
    const TermBodies bodies{positions_, velocities_,
                            ids_ ? std::span<const std::uint32_t>(*ids_) : std::span<const std::uint32_t>(), time_};
    done_ = pool.run(done_, count, deadline, [&](std::int64_t index) {
        const auto at = static_cast<std::size_t>(index);
        addTruth(truth_, shares_, bodies, running_, at, at + 1);
    });
    if (done_ < count) return;
    result_ = compareTerms(shares_, whole_, truth_);
    result_->worst = running_[result_->worst];
    result_->momentum = momentum_;
    running_.clear();
    positions_ = {};
    velocities_ = {};
}

std::optional<ForceCheck> CheckJob::take() { return std::exchange(result_, std::nullopt); }

}  // namespace gravlab::cpu
