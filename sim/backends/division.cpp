#include "sim/backends/division.h"

#include "sim/backends/devices.h"
#include "sim/backends/ranks/job.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

namespace gravlab {

std::string devicesText(const BackendOptions& options) {
    std::string text = std::to_string(options.device);
    for (const int helper : options.helpers) text += "," + std::to_string(helper);
    return text;
}

bool takeDevices(BackendOptions& options, std::string_view text) {
    std::vector<int> devices;
    if (text == "all") {
        devices = {0};
        while (std::ssize(devices) < kMostDevices && cudaDeviceSize(devices.back() + 1).multiprocessors > 0)
            devices.push_back(devices.back() + 1);
    } else {
        const char *at = text.data(), *const end = at + text.size();
        for (;; ++at) {
            int device = 0;
            const auto [next, error] = std::from_chars(at, end, device);
            if (error != std::errc() || device < 0 || device > kLastDevice || std::ssize(devices) == kMostDevices)
                return false;
            devices.push_back(device);
            at = next;
            if (at == end) break;
            if (*at != ',') return false;
        }
    }
    options.device = devices.front();
    options.helpers.assign(devices.begin() + 1, devices.end());
    return true;
}

std::vector<std::size_t> cutByWeights(std::span<const double> weights, std::size_t units, std::span<const double> work,
                                      double undivided) {
    const auto of = [&](std::size_t unit) { return work.empty() ? 1.0 : work[unit]; };
    double done = 0;
    for (std::size_t unit = 0; unit < units; ++unit) done += of(unit);
    if (done == 0) work = {}, done = static_cast<double>(units);
    double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
    // Where the first range has more than its share without any unit, the others divide all units.
    const double first = std::max(0.0, (done + undivided) * weights.front() / weight - undivided),
                 rest = weight - weights[0];
    std::vector<std::size_t> bounds(weights.size() + 1, units);
    bounds.front() = 0;
    std::size_t unit = 0;
    double sum = 0, wanted = first;
    for (std::size_t k = 1; k < weights.size(); ++k) {
        // The bound is where the sum of work is nearest to the sum of shares.
        while (unit < units && sum + of(unit) / 2 < wanted) sum += of(unit++);
        bounds[k] = unit;
        wanted += (done - first) * weights[k] / rest;
    }
    return bounds;
}

bool repeatsDevice(const BackendOptions& options) {
    const std::set<int> helpers(options.helpers.begin(), options.helpers.end());
    return helpers.size() < options.helpers.size() || helpers.contains(options.device);
}

Reason whyUndivided(const KernelRow& row, StepProgram program, std::size_t bodies, bool test) {
    const std::string name(row.name);
    if (row.term != kPairLawTerm) return "only the pair law is divided";
    if (isAdaptive(program)) return "an adaptive integrator computes its own forces";
    if (needsJerk(program)) return "forces with jerk are not divided";
    if (bodies <= kFewToDivide) return std::to_string(bodies) + " bodies are too few to divide";
    if (!row.listed || !row.trap.empty()) return "own kernels are not divided";
    if (row.cut == Split::none) return name + " makes whole steps in one launch";
    if (row.byCutOff) return name + " sorts the bodies on one device";
    if (row.cut == Split::tilePairs && backend(row.backend).usesCores)
        return name + " sums each pair for both bodies, in one order; take 'simd-threads' or 'tree'";
    const std::size_t gains = row.cut == Split::tilePairs ? 16384 : row.cut == Split::targets ? 32768 : 65536;
    if (!test && bodies < gains) return name + " gains by a second device from " + std::to_string(gains) + " bodies on";
    return {};
}

std::vector<int> cpuHelpers(const BackendOptions& options) {
    return std::vector<int>(options.device == 0 ? static_cast<std::size_t>(std::ranges::count(options.helpers, 0)) : 0);
}

std::string helpersText(const BackendOptions& options) {
    if (options.helpers.empty()) return {};
    std::string text = options.helpers.size() == 1 ? ", helper " : ", helpers ";
    for (std::size_t k = 0; k < options.helpers.size(); ++k) {
        if (k > 0) text += k + 1 == options.helpers.size() ? " and " : ", ";
        text += std::to_string(options.helpers[k]);
    }
    return text + (repeatsDevice(options) ? " as a test" : "");
}

std::string ranksText(const char* before) {
    return Job::current() ? before + std::to_string(Job::current()->ranks()) + " ranks" : std::string();
}

std::string divisionSentence(const Backend& backend, BackendOptions options, StepProgram program) {
    const BackendRow& kind = gravlab::backend(backend.name());
    if (!kind.onDevice) options.helpers = kind.usesCores ? cpuHelpers(options) : std::vector<int>();
    const std::string ranks = kind.usesCores || (kind.onDevice && options.helpers.empty()) ? ranksText() : "";
    if (ranks.empty() && Job::current())
        return ranksText() + ": the force stays on rank 0, because ranks divide those of one device each, and of cpu";
    if (options.helpers.empty() && ranks.empty()) return {};
    const std::string devices = (ranks.empty() ? "devices " + devicesText(options) : ranks) + ": ";
    const bool test = repeatsDevice(options) || (kind.usesCores && !ranks.empty());
    if (const Reason why = whyUndivided(backend.activeKernel(), program, backend.size(), test); !why.empty())
        return devices + "the force stays on " + (ranks.empty() ? "the first device" : "rank 0") + ", because " + why;
    const KernelRow& row = backend.activeKernel();
    const bool tree = row.cut == Split::keyRanges;
    const char* const by = tree ? "parts of the tree" : row.cut == Split::targets ? "bodies" : "pairs";
    return devices + "each force " + (tree && !row.byOpening ? "after the first " : "") + "is divided by " + by +
           (inBlocks(program) ? ", if more than a quarter of the bodies are active" : "") +
           (kind.onDevice && !ranks.empty() ? Job::current()->deviceWay : "");
}

}  // namespace gravlab
