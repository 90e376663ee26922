// The force check of a running CPU backend: fp64 on sampled bodies, in small pieces beside the steps.
// Rule: it judges one complete force at the positions that it was computed for.
#pragma once
#include "sim/core/thread_pool.h"
#include "sim/forces/term_check.h"

#include <memory>
#include <optional>
#include <vector>

namespace gravlab::cpu {

class CheckJob {
public:
    /// Requests a check of the next complete force and drops a check under way.
    void request(std::vector<std::uint32_t> targets);
    /// Adds bodies to a requested check.
    void alsoCheck(const std::vector<std::uint32_t>& targets);
    /// Drops everything, because the bodies or the settings have changed.
    void cancel();
    /// True when begin() needs the next complete force.
    bool wanted() const { return !requested_.empty(); }
    /// A different number for each request.
    std::uint64_t request() const { return request_; }
    const std::vector<std::uint32_t>& targets() const { return requested_; }
    /// Takes each term's accelerations of targets(), and copies of the bodies: positions, and velocities where a response is
    /// not 1 or other terms act (else empty). `whole`: accelerations of targets() by all terms. `time`: that of the bodies.
    void begin(std::vector<Double4> positions, std::vector<Double4> velocities, std::vector<TermShare> shares,
               std::vector<Double4> whole, std::shared_ptr<const std::vector<std::uint32_t>> ids, double time);
    /// Sets the momentum error of all bodies, which begin() does not know; see ForceCheck.
    void setMomentum(double momentum) { momentum_ = momentum; }
    bool running() const { return !running_.empty(); }
    /// Continues the work until it is done or the deadline has passed.
    void run(ThreadPool& pool, Deadline deadline);
    std::optional<ForceCheck> take();

private:
    std::vector<std::uint32_t> requested_, running_;
    std::vector<Double4> positions_, velocities_, whole_;
    std::shared_ptr<const std::vector<std::uint32_t>> ids_;
    double time_ = 0;
    std::vector<TermShare> shares_;
    TermTruth truth_;
    std::uint64_t request_ = 0;
    std::int64_t done_ = 0;
    double momentum_ = -1;
    std::optional<ForceCheck> result_;
};

}  // namespace gravlab::cpu
