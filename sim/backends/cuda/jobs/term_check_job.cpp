// Copies the terms' accelerations of the targets element by element: some hundred small copies, once a configuration.
#include "sim/backends/cuda/jobs/term_check_job.h"

#include <utility>

namespace gravlab::cuda {

template <class Real>
void TermCheckJob<Real>::begin(std::vector<std::uint32_t> targets, VectorsFuture bodies,
                               std::shared_ptr<const std::vector<std::uint32_t>> ids, double time) {
    drop();
    targets_ = std::move(targets);
    bodies_ = std::move(bodies);
    ids_ = std::move(ids);
    time_ = time;
    shares_.clear();
    needsResponse_.clear();
    here_.clear();
    used_ = 0;
    open_ = true;
}

template <class Real>
void TermCheckJob<Real>::copyTargets(const Vec4<Real>* from) {
    // Pinned memory is slow to allocate, so it is kept for the next check.
    if (used_ == parts_.size()) parts_.emplace_back();
    PinnedArray<Vec4<Real>>& part = parts_[used_++];
    if (part.size() < targets_.size()) part = PinnedArray<Vec4<Real>>(targets_.size());
    for (std::size_t k = 0; k < targets_.size(); ++k)
        CUDA_CHECK(copyAsync(part.data() + k, from + targets_[k], sizeof(Vec4<Real>), Copy::toHost, stream_));
}

template <class Real>
void TermCheckJob<Real>::addShare(std::shared_ptr<const ForceTerm> term, ForceGate gate, const Vec4<Real>* values,
                                  bool needsResponse, TermFuture here) {
    copyTargets(values);
    here_.push_back(std::move(here));
    shares_.push_back({std::move(term), {}, gate});
    needsResponse_.push_back(needsResponse);
}

template <class Real>
void TermCheckJob<Real>::end(const Vec4<Real>* whole) {
    copyTargets(whole);
    if (!done_) done_.emplace();
    CUDA_CHECK(recordEvent(*done_, stream_));
    open_ = false;
    running_ = true;
}

template <class Real>
std::vector<Double4> TermCheckJob<Real>::taken(std::size_t part) const {
    std::vector<Double4> values;
    for (std::size_t k = 0; k < targets_.size(); ++k) {
        const Vec4<Real>& a = parts_[part].data()[k];
        values.push_back({a.x, a.y, a.z, 0});
    }
    return values;
}

template <class Real>
std::optional<ForceCheck> TermCheckJob<Real>::take() {
    if (!running_ || !done_->reached()) return std::nullopt;
    running_ = false;
    std::vector<Double4> positions, velocities;
    std::exchange(bodies_, nullptr)(positions, velocities);
    for (std::size_t part = 0; part < shares_.size(); ++part) {
        shares_[part].got = taken(part);
        if (here_[part]) shares_[part].term = here_[part]();
        for (std::size_t k = 0; needsResponse_[part] && k < targets_.size(); ++k) {
            const double response = velocities[targets_[k]].w;
            Double4& a = shares_[part].got[k];
            a = {response * a.x, response * a.y, response * a.z, 0};
        }
    }
    TermTruth truth(shares_.size(), targets_.size());
    // The pair law is checked on the device; here it is only a term of the sum.
    truth.want[0] = shares_[0].got;
    for (std::size_t part = 1; part < shares_.size(); ++part)
        shares_[part].term->addTruth({positions, velocities, *ids_, time_}, targets_, truth.want[part], truth.floors[part],
                                     leastShare(shares_[part].gate));
    ForceCheck check = compareTerms(shares_, taken(shares_.size()), truth);
    check.worst = targets_[check.worst];
    return check;
}

template class TermCheckJob<float>;
template class TermCheckJob<double>;

}  // namespace gravlab::cuda
