#include "app/runs/device_parts.h"

#include "sim/backends/devices.h"
#include "sim/backends/division.h"
#include "sim/run/simulation.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>

namespace gravlab {

std::vector<DevicePart> deviceParts(const std::string& lines, std::span<const int> named, std::span<const double> weights) {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<DevicePart> parts;
    std::istringstream text(lines);
    for (std::string line; std::getline(text, line);) {
        DevicePart part;
        part.facts = line;
        const char* const end = line.data() + line.size();
        const auto [colon, error] = std::from_chars(line.data(), end, part.index);
        if (error != std::errc() || end - colon < 2) continue;  // "none: ..."
        part.name = std::string(colon + 2, std::find(colon, end, ','));
        for (std::size_t k = 0; k < named.size(); ++k)
            if (named[k] == part.index) part.share += weights[k] / all;
        parts.push_back(std::move(part));
    }
    return parts;
}

std::vector<DevicePart> deviceParts(const Simulation& simulation) {
    const Backend& runs = simulation.backend();
    const BackendRow& row = backend(runs.name());
    if (!row.onDevice) return {};
    static const std::string lines = row.devices();  // they stay while the program runs
    const BackendOptions& options = simulation.configuration().backendOptions;
    std::vector<int> named{options.device};
    if (whyUndivided(runs.activeKernel(), simulation.integrator().program, runs.size(), repeatsDevice(options)).empty())
        named.insert(named.end(), options.helpers.begin(), options.helpers.end());
    std::vector<double> weights;
    for (const int device : named) weights.push_back(std::max(1, deviceSize(row, {.device = device}).multiprocessors));
    return deviceParts(lines, named, weights);
}

}  // namespace gravlab
