#include "sim/backends/groups.h"

#include "sim/core/names.h"
#include "sim/core/validation.h"

#include <algorithm>

namespace gravlab {

std::span<const GroupRung> groupRungs() {
    static const std::vector<GroupRung> rows = [] {
        std::vector<GroupRung> all;
        for (const std::span<const GroupRung> more : {referenceGroupRungs(), cpuGroupRungs(), cudaGroupRungs()})
            all.insert(all.end(), more.begin(), more.end());
        return all;
    }();
    return rows;
}

namespace {

/// The row of that name on that backend, the last one for an empty name.
template <class Rung>
const Rung& rungOn(std::span<const Rung> rungs, std::string_view backendName, std::string_view name, const char* of) {
    const Rung* last = nullptr;
    std::vector<std::string_view> valid;
    for (const Rung& rung : rungs) {
        if (rung.backend != backendName) continue;
        if (rung.name == name) return rung;
        valid.push_back(rung.name);
        last = &rung;
    }
    if (!name.empty() || !last) throw UsageError(unknownName(std::string(backendName) + " rung of " + of, name, valid));
    return *last;
}

template <class Rung>
void requireBackend(const Rung& rung, const BackendOptions& options, const char* what) {
    if (const Reason reason = backend(rung.backend).unavailable(options); !reason.empty() || !rung.find)
        throw NoDeviceError(std::string(what) + " cannot be found on " + std::string(rung.backend) + ": " +
                            (reason.empty() ? "this build lacks it" : reason));
}

}  // namespace

const GroupRung& groupRung(std::string_view backendName, std::string_view name) {
    return rungOn(groupRungs(), backendName, name, "groups");
}

std::span<const DepthRung> depthRungs() {
    static const std::vector<DepthRung> rows = [] {
        std::vector<DepthRung> all;
        for (const std::span<const DepthRung> more : {referenceDepthRungs(), cpuDepthRungs(), cudaDepthRungs()})
            all.insert(all.end(), more.begin(), more.end());
        return all;
    }();
    return rows;
}

const DepthRung& depthRung(std::string_view backendName, std::string_view name) {
    return rungOn(depthRungs(), backendName, name, "depths");
}

FoundDepths findDepths(const DepthRung& rung, const ParticleSet& bodies, double length, std::uint32_t from,
                       const BackendOptions& options) {
    requireBackend(rung, options, "the depths of bodies");
    if (from >= bodies.size())
        throw UsageError("depths begin at body " + std::to_string(from) + ", but there are " +
                         std::to_string(bodies.size()) + " bodies; take one of 0 to " + std::to_string(bodies.size() - 1));
    return rung.find(bodies, length, from, options);
}

const GroupRung& groupRungNamed(std::string_view name) {
    std::vector<std::string_view> valid;
    for (const GroupRung& rung : groupRungs()) {
        if (rung.name == name) return rung;
        if (std::ranges::find(valid, rung.name) == valid.end()) valid.push_back(rung.name);
    }
    throw UsageError(unknownName("rung of groups", name, valid));
}

FoundGroups findGroups(const GroupRung& rung, const ParticleSet& bodies, double length, const BackendOptions& options) {
    requireBackend(rung, options, "the groups of bodies");
    if (bodies.size() == 0) return {};
    if (!backend(rung.backend).onDevice) requireHostMemory(rung.bytes(bodies.size()), "groups of these bodies");
    return rung.find(bodies, length, options);
}

}  // namespace gravlab
