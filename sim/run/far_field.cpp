#include "sim/run/far_field.h"

#include "sim/core/thread_pool.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace gravlab {
namespace {

// An H200 makes 60 pictures a second of a million bodies with eight steps each, and less than an eighth of it suffices for
// one. The other numbers follow from multiprocessors and bandwidth: those devices have not been measured.
constexpr DeviceClass kDeviceClasses[] = {
    {"data centre", {.multiprocessors = 100, .bandwidth = 1.2e12}, 1048576},  // A100, H100, H200, B200
    {"desktop", {.multiprocessors = 40, .bandwidth = 4e11}, 524288},          // RTX 3080, 4070, 4090, L40S
    {"laptop", {.multiprocessors = 16, .bandwidth = 1.5e11}, 262144},         // RTX 2060, 3060, 4060 of laptops, T4
    {"any", {}, 65536}};

}  // namespace

std::size_t farFieldBodies(const FarField& row, int threads) {
    const std::size_t each = row.fromCpu / 2, cores = std::bit_floor(static_cast<unsigned>(std::max(threads, 2)));
    return std::clamp(each * cores, row.fromCpu, std::max(row.fromCpu, row.bodiesCpu));
}

std::span<const DeviceClass> deviceClasses() { return kDeviceClasses; }

const DeviceClass& classOf(const DeviceSize& device) {
    return *std::find_if(std::begin(kDeviceClasses), std::end(kDeviceClasses), [&](const DeviceClass& row) {
        return device.multiprocessors >= row.least.multiprocessors && device.bandwidth >= row.least.bandwidth;
    });
}

std::size_t farFieldBodies(const FarField& row, const DeviceSize& device) {
    return std::min(row.bodiesGpu, classOf(device).bodies);
}

std::size_t usualBodies(const Scene& scene, const BackendRow& row, const BackendOptions& options, bool farField) {
    const FarField& far = scene.farField;
    const bool together = farField && far.accuracy > 0;
    if (row.onDevice)
        return together ? std::max(scene.bodiesGpu, farFieldBodies(far, deviceSize(row, options))) : scene.bodiesGpu;
    if (!together || !row.usesCores || far.bodiesCpu == 0) return scene.bodiesCpu;
    return farFieldBodies(far, options.threads.value_or(usableCores()));
}

bool areUsualBodies(const Scene& scene, std::size_t bodies) {
    const FarField& far = scene.farField;
    return bodies == scene.bodiesGpu || bodies == scene.bodiesCpu || bodies == scene.fixedBodies ||
           (far.accuracy > 0 && bodies == farFieldBodies(far, usableCores())) ||
           std::ranges::any_of(kDeviceClasses, [&](const DeviceClass& row) {
               return far.accuracy > 0 && bodies == std::max(scene.bodiesGpu, std::min(far.bodiesGpu, row.bodies));
           });
}

}  // namespace gravlab
