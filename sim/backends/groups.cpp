#include "sim/backends/groups.h"

#include "sim/core/names.h"
#include "sim/core/validation.h"

#include <algorithm>

namespace gravlab {

namespace {

template <class Row>
std::vector<Row> joined(std::initializer_list<std::span<const Row>> tables) {
    std::vector<Row> all;
    for (const std::span<const Row> more : tables) all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// The row of that name on that backend, the last one for an empty name; without a backend, the first one on any.
template <class Row>
const Row& rowOn(std::span<const Row> rows, std::string_view backendName, std::string_view name, const char* of) {
    const Row* last = nullptr;
    std::vector<std::string_view> valid;
    for (const Row& row : rows) {
        if (!backendName.empty() && row.backend != backendName) continue;
        if (row.name == name) return row;
        if (std::ranges::find(valid, row.name) == valid.end()) valid.push_back(row.name);
        last = &row;
    }
    const std::string kind = backendName.empty() ? "" : std::string(backendName) + " ";
    if (!name.empty() || !last || kind.empty()) throw UsageError(unknownName(kind + "rung of " + of, name, valid));
    return *last;
}

template <class Row>
void requireBackend(const Row& row, const BackendOptions& options, const char* what) {
    if (const Reason reason = backend(row.backend).unavailable(options); !reason.empty() || !row.find)
        throw NoDeviceError(std::string(what) + " cannot be found on " + std::string(row.backend) + ": " +
                            (reason.empty() ? "this build lacks it" : reason));
}

}  // namespace

std::span<const GroupRow> groupRows() {
    static const auto rows = joined({referenceGroupRows(), cpuGroupRows(), cudaGroupRows()});
    return rows;
}

const GroupRow& groupRow(std::string_view backendName, std::string_view name) {
    return rowOn(groupRows(), backendName, name, "groups");
}

std::span<const DepthRow> depthRows() {
    static const auto rows = joined({referenceDepthRows(), cpuDepthRows(), cudaDepthRows()});
    return rows;
}

const DepthRow& depthRow(std::string_view backendName, std::string_view name) {
    return rowOn(depthRows(), backendName, name, "depths");
}

FoundDepths findDepths(const DepthRow& row, const ParticleSet& bodies, double length, std::uint32_t from,
                       const BackendOptions& options) {
    requireBackend(row, options, "the depths of bodies");
    if (from >= bodies.size())
        throw UsageError("depths begin at body " + std::to_string(from) + ", but there are " +
                         std::to_string(bodies.size()) + " bodies; take one of 0 to " + std::to_string(bodies.size() - 1));
    return row.find(bodies, length, from, options);
}

const GroupRow& groupRowNamed(std::string_view name) { return rowOn(groupRows(), {}, name, "groups"); }

FoundGroups findGroups(const GroupRow& row, const ParticleSet& bodies, double length, const BackendOptions& options) {
    requireBackend(row, options, "the groups of bodies");
    if (bodies.size() == 0) return {};
    if (!backend(row.backend).onDevice) requireHostMemory(row.bytes(bodies.size()), "groups of these bodies");
    return row.find(bodies, length, options);
}

}  // namespace gravlab
