// Checks the terms beside the pair law, whose truth is a plain statement on the host: beside the steps, on a copy of the
// bodies. The pair law has a check on the device, force_check_job.h. Rule: no call waits for the device.
#pragma once
#include "sim/backends/cuda/jobs/state_copy.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/forces/term_check.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gravlab::cuda {

/// One check at a time: begin(), addShare() of each term in order, the first of which is the pair law's, end(), take().
template <class Real>
class TermCheckJob {
public:
    explicit TermCheckJob(Stream stream) : stream_(stream) {}

    /// Drops what was under way. `bodies` gives positions and velocities once, as they are at this force.
    void begin(std::vector<std::uint32_t> targets, VectorsFuture bodies,
               std::shared_ptr<const std::vector<std::uint32_t>> ids);
    /// Between begin() and end().
    bool open() const { return open_; }
    const std::vector<std::uint32_t>& targets() const { return targets_; }
    /// What a term made of the targets, in device memory. `responds`: still to be multiplied with each body's response.
    void addShare(std::shared_ptr<const ForceTerm> term, ForceGate gate, const Vec4<Real>* values, bool responds);
    /// All terms together.
    void end(const Vec4<Real>* whole);
    void drop() { open_ = running_ = false; }
    /// The result, when it is there. Fetches the bodies and asks the plain statements then.
    std::optional<ForceCheck> take();

private:
    void copyTargets(const Vec4<Real>* from);
    std::vector<Double4> taken(std::size_t part) const;

    Stream stream_;
    std::vector<std::uint32_t> targets_;
    VectorsFuture bodies_;
    std::shared_ptr<const std::vector<std::uint32_t>> ids_;
    std::vector<TermShare> shares_;
    std::vector<bool> responds_;
    std::vector<PinnedArray<Vec4<Real>>> parts_;  ///< of each share, and of the whole
    std::size_t used_ = 0;                        ///< of them
    std::optional<OwnedEvent> done_;              ///< from the first check on
    bool open_ = false, running_ = false;
};

}  // namespace gravlab::cuda
