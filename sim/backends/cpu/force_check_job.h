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
    /// Asks for the next complete force; drops what was under way.
    void request(std::vector<std::uint32_t> targets);
    /// Drops everything: the bodies or the settings changed under it.
    void cancel();
    /// True when the next complete force is to be handed to begin().
    bool wanted() const { return !requested_.empty(); }
    /// Another number for each request.
    std::uint64_t request() const { return request_; }
    const std::vector<std::uint32_t>& targets() const { return requested_; }
    /// Takes what the terms made of targets(), and copies of the bodies that they read: positions, and velocities where a
    /// response is not 1 or other terms act (else empty). `whole`: accelerations of targets() by all terms.
    void begin(std::vector<Double4> positions, std::vector<Double4> velocities, std::vector<TermShare> shares,
               std::vector<Double4> whole, std::shared_ptr<const std::vector<std::uint32_t>> ids);
    /// What begin() does not know: of all bodies, see ForceCheck.
    void setMomentum(double momentum) { momentum_ = momentum; }
    bool running() const { return !running_.empty(); }
    /// Goes on with the work until it is done or the deadline has passed.
    void run(ThreadPool& pool, Deadline deadline);
    std::optional<ForceCheck> take();

private:
    std::vector<std::uint32_t> requested_, running_;
    std::vector<Double4> positions_, velocities_, whole_;
    std::shared_ptr<const std::vector<std::uint32_t>> ids_;
    std::vector<TermShare> shares_;
    TermTruth truth_;
    std::uint64_t request_ = 0;
    std::int64_t done_ = 0;
    double momentum_ = -1;
    std::optional<ForceCheck> result_;
};

}  // namespace gravlab::cpu
