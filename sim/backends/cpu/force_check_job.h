// The force check of a running CPU backend: fp64 on sampled bodies, in small pieces beside the steps.
// Rule: it judges one complete force at the positions that it was computed for.
#pragma once
#include "sim/core/thread_pool.h"
#include "sim/forces/force_check.h"

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
    const std::vector<std::uint32_t>& targets() const { return requested_; }
    /// Takes a copy of the positions, of the velocities where a response is not 1 (else empty), and of the accelerations of
    /// targets(); `gate` is what they are held against.
    void begin(std::vector<Double4> positions, std::vector<Double4> velocities, std::vector<Double4> accelerations,
               const ForceSettings& force, const ForceGate& gate);
    bool running() const { return !running_.empty(); }
    /// Goes on with the work until it is done or the deadline has passed.
    void run(ThreadPool& pool, Deadline deadline);
    std::optional<ForceCheck> take();

private:
    std::vector<std::uint32_t> requested_, running_;
    std::vector<Double4> positions_, velocities_, got_, want_;
    std::vector<double> floors_;
    ForceSettings force_;
    ForceGate gate_;
    std::int64_t done_ = 0;
    std::optional<ForceCheck> result_;
};

}  // namespace gravlab::cpu
