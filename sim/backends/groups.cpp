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

const GroupRung& groupRung(std::string_view backendName, std::string_view name) {
    const GroupRung* last = nullptr;
    std::vector<std::string_view> valid;
    for (const GroupRung& rung : groupRungs()) {
        if (rung.backend != backendName) continue;
        if (rung.name == name) return rung;
        valid.push_back(rung.name);
        last = &rung;
    }
    if (!name.empty() || !last) throw UsageError(unknownName(std::string(backendName) + " rung of groups", name, valid));
    return *last;
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
    if (const Reason reason = backend(rung.backend).unavailable(options); !reason.empty() || !rung.find)
        throw NoDeviceError("the groups of bodies cannot be found on " + std::string(rung.backend) + ": " +
                            (reason.empty() ? "this build lacks it" : reason));
    if (bodies.size() == 0) return {};
    if (!backend(rung.backend).onDevice) requireHostMemory(rung.bytes(bodies.size()), "groups of so many bodies");
    return rung.find(bodies, length, options);
}

}  // namespace gravlab
