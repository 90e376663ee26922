#include "sim/backends/groups.h"

#include "sim/core/names.h"
#include "sim/core/validation.h"

#include <algorithm>
#include <chrono>

namespace gravlab {
namespace {

FoundGroups everyPair(const ParticleSet& bodies, double length, const BackendOptions&) {
    const auto start = std::chrono::steady_clock::now();
    FoundGroups found;
    found.labels = groupsByPairs(bodies, length);
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found;
}

constexpr GroupRung kReferenceRung = {"reference", "pairs",
                                      "every pair is compared, on one thread: what all others are held against",
                                      [](std::size_t bodies) { return 28.0 * static_cast<double>(bodies); }, everyPair};

}  // namespace

std::span<const GroupRung> groupRungs() {
    static const std::vector<GroupRung> rows = [] {
        std::vector<GroupRung> all{kReferenceRung};
        for (const std::span<const GroupRung> more : {cpuGroupRungs(), cudaGroupRungs()})
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
