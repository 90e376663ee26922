#include "sim/backends/memory_need.h"

#include "sim/api/errors.h"
#include "sim/backends/division.h"
#include "sim/backends/ranks/job.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/forces/single_precision.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

/// Three digits, in units of a thousand million, as memory is sold: "25.7".
std::string gigabytes(double bytes) { return formatted(bytes < 100e9 ? "%.3g" : "%.0f", bytes / 1e9); }

}  // namespace

void countHelpers(RunSize& run, const BackendRow& row, const BackendOptions& options) {
    const Job* const job = Job::current();
    if (row.usesCores) run.helpers = cpuHelpers(options).size() + (job ? job->neighbours() : 0);
    if (!row.onDevice) return;
    run.ranks = job && options.helpers.empty();
    run.helpers = run.ranks ? static_cast<std::size_t>(job->ranks()) - 1 : options.helpers.size();
}

MemoryRows memoryRows(const BackendRow& row, const RunSize& run) {
    if (row.onDevice) return cudaRows(run);
    if (row.usesCores) return cpuRows(run);
    return {{"two states and the registers of a step", 7.0 * sizeof(Double4) * static_cast<double>(run.bodies)}};
}

MemoryRows hostRows(std::size_t bodies, bool pieces) {
    // Of more bodies no good state is kept beside steps, see NonFiniteMonitor.
    constexpr std::size_t kMostKept = std::size_t{1} << 22;
    const auto n = static_cast<double>(bodies);
    constexpr double kState = 2 * sizeof(Double4) + sizeof(std::uint32_t) + sizeof(std::uint8_t);
    return {{pieces ? "groups of the scene" : "bodies of the scene", pieces ? n : kState * n, false,
             "until the backend has them"},
            {"ids and groups", 5 * n},
            {"last good state, and copies for saves and checks", kState * n, false, bodies > kMostKept ? "a save" : "",
             bodies <= kMostKept},
            {"places and their tree", kClosePairBytes * n, false, "where no softening hides close pairs", false}};
}

MemoryNeed sumOf(const MemoryRows& rows) {
    MemoryNeed sum;
    for (const MemoryRow& row : rows)
        if (row.counted) (row.onHelper ? sum.helper : row.onDevice ? sum.device : sum.host) += row.bytes;
    return sum;
}

std::string needText(const MemoryNeed& need, std::size_t bodies) {
    std::string text = std::to_string(bodies) + " bodies need ";
    const std::string helper = need.helper > 0 ? ", " + gigabytes(need.helper) + " GB on each helper" : "";
    if (need.device > 0) text += gigabytes(need.device) + " GB on the device" + helper + (need.host > 0 ? " and " : "");
    return need.device > 0 && need.host == 0 ? text : text + gigabytes(need.host) + " GB here";
}

void requireMemory(const MemoryNeed& need, const MemoryNeed& free, std::size_t bodies) {
    if (need.host <= free.host && need.device <= free.device) return;
    std::string has;
    if (need.device > 0 && std::isfinite(free.device)) has = gigabytes(free.device) + " GB " + free.where;
    if (std::isfinite(free.host)) addTo(has, gigabytes(free.host) + " GB here", " and ");
    const double share = std::min({1.0, free.host / std::max(1.0, need.host), free.device / std::max(1.0, need.device)});
    const int digits = 1 - static_cast<int>(std::floor(std::log10(std::max(10.0, share * static_cast<double>(bodies)))));
    const double unit = std::pow(10.0, -digits);
    throw OutOfMemoryError(needText(need, bodies) + "; free are " + has + ": ask for fewer bodies; " +
                           formatted("%.0f fit", std::floor(share * static_cast<double>(bodies) / unit) * unit));
}

}  // namespace gravlab
