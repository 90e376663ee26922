// Checks the terms other than the pair law against their plain statements on the host, on a copy of the bodies while steps
// run. The pair law has a check on the device, force_check_job.h. Rule: no call waits for the device.
#pragma once
#include "sim/backends/cuda/jobs/state_copy.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/force_method.h"
#include "sim/forces/term_check.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace gravlab::cuda {

/// One check at a time: begin(), addShare() of each term in order beginning with the pair law, end(), take().
template <class Real>
class TermCheckJob {
public:
    explicit TermCheckJob(Stream stream) : stream_(stream) {}

    /// Begins a check and drops one under way. `bodies` gives positions and velocities at this force, once; `time` is
    /// theirs.
    void begin(std::vector<std::uint32_t> targets, VectorsFuture bodies,
               std::shared_ptr<const std::vector<std::uint32_t>> ids, double time);
    /// True between begin() and end().
    bool open() const { return open_; }
    const std::vector<std::uint32_t>& targets() const { return targets_; }
    /// Adds a term's accelerations of the targets, in device memory. `needsResponse`: each is still to be multiplied by its
    /// body's response. `here`: gives the term as it was computed, where that is not known yet.
    void addShare(std::shared_ptr<const ForceTerm> term, ForceGate gate, const Vec4<Real>* values, bool needsResponse,
                  TermFuture here = {});
    /// Adds the sum of all terms and ends the check.
    void end(const Vec4<Real>* whole);
    void drop() { open_ = running_ = false; }
    /// The result, once the device has finished. The call then fetches the bodies and evaluates the plain statements.
    std::optional<ForceCheck> take();

private:
    void copyTargets(const Vec4<Real>* from);
    std::vector<Double4> taken(std::size_t part) const;

    Stream stream_;
    std::vector<std::uint32_t> targets_;
    VectorsFuture bodies_;
    std::shared_ptr<const std::vector<std::uint32_t>> ids_;
    double time_ = 0;
    std::vector<TermShare> shares_;
    std::vector<bool> needsResponse_;
    std::vector<TermFuture> here_;                ///< of each share
    std::vector<PinnedArray<Vec4<Real>>> parts_;  ///< values of each term, and of the sum
    std::size_t used_ = 0;                        ///< arrays of parts_ in use
    std::optional<OwnedEvent> done_;              ///< created by the first check
    bool open_ = false, running_ = false;
};

}  // namespace gravlab::cuda
