#include "sim/forces/term_check.h"

#include <algorithm>

namespace gravlab {

void addTruth(TermTruth& truth, std::span<const TermShare> shares, const TermBodies& bodies,
              std::span<const std::uint32_t> targets, std::size_t first, std::size_t last) {
    const std::size_t count = last - first;
    for (std::size_t k = 0; k < shares.size(); ++k) {
        const std::span<Double4> want = std::span(truth.want[k]).subspan(first, count);
        const std::span<double> floors = std::span(truth.floors[k]).subspan(first, count);
        shares[k].term->addTruth(bodies, targets.subspan(first, count), want, floors, leastShare(shares[k].gate));
    }
}

namespace {

/// Compares the sum of all terms with the sum of their plain statements.
ForceCheck compareWhole(std::span<const TermShare> shares, std::span<const Double4> whole, const TermTruth& truth) {
    std::vector<Double4> want(whole.size());
    std::vector<double> floors(whole.size());
    ForceGate gate = shares.front().gate;
    for (std::size_t k = 0; k < shares.size(); ++k) {
        gate = looser(gate, shares[k].gate);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            const Double4& a = truth.want[k][i];
            want[i] = {want[i].x + a.x, want[i].y + a.y, want[i].z + a.z, 0};
            floors[i] += std::max(length(xyz(a)), truth.floors[k][i]);
        }
    }
    ForceCheck check = compareForces(whole, want, gate, floors);
    check.term = "the sum of all terms";
    return check;
}

}  // namespace

ForceCheck compareTerms(std::span<const TermShare> shares, std::span<const Double4> whole, const TermTruth& truth) {
    ForceCheck first;
    for (std::size_t k = 0; k < shares.size(); ++k) {
        ForceCheck check = compareForces(shares[k].got, truth.want[k], shares[k].gate, truth.floors[k]);
        if (k == 0) first = check;
        if (check.passed) continue;
        if (shares.size() > 1) check.term = shares[k].term->kind();
        return check;
    }
    if (shares.size() < 2) return first;
    ForceCheck check = compareWhole(shares, whole, truth);
    return check.passed ? first : check;
}

}  // namespace gravlab
