// Chooses among the families of methods.
#include "sim/backends/cuda/methods/force_method.h"

#include "sim/api/errors.h"
#include "sim/backends/cuda/methods/device.h"
#include "sim/backends/cuda/methods/divided.h"
#include "sim/backends/cuda/methods/ranked.h"
#include "sim/backends/division.h"

#include <string>
#include <type_traits>

namespace gravlab::cuda {

template <class Real>
MadeMethod<Real> makeUndivided(const MethodParts& parts) {
    const KernelEntry& entry = *parts.plan.entry;
    if (const MethodCode* own = entry.own()) {
        if constexpr (std::is_same_v<Real, float>)
            return own->make32(parts);
        else
            return own->make64(parts);
    }
    if (entry.loaded()) {
        if constexpr (std::is_same_v<Real, float>) return makeLoaded(parts);
    }
    if (entry.oneSided()) return makeOneSided<Real>(parts);
    if (entry.symmetric()) return makeSymmetric<Real>(parts);
    if constexpr (std::is_same_v<Real, float>)
        return makeManySteps(parts);
    else
        throw UsageError("kernel '" + std::string(entry.row.name) + "' is not built in this precision");
}

template MadeMethod<float> makeUndivided(const MethodParts&);
template MadeMethod<double> makeUndivided(const MethodParts&);

namespace {

template <class Real>
MadeMethod<Real> ofDevices(const MethodParts& parts, const HelperDevices* helpers) {
    MadeMethod<Real> first = makeUndivided<Real>(parts);
    const KernelRow& row = parts.plan.entry->row;
    if (!helpers || (helpers->empty() && !helpers->ranks)) return first;
    if (!whyUndivided(row, {}, parts.count, !helpers->empty() && helpers->front()->test).empty()) return first;
    if (row.cut == Split::tilePairs && !first->bySpans()) return first;  // sums in no fixed order
    if (helpers->ranks) return makeRanked(std::move(first), parts, *helpers->ranks);
    return makeDivided(std::move(first), parts, *helpers, &makeUndivided<Real>);
}

}  // namespace

template <class Real>
MadeMethod<Real> makeForceMethod(const LaunchPlan& plan, std::uint32_t count, const DeviceFacts& device, Stream stream,
                                 const HelperDevices* helpers) {
    const double threads = static_cast<double>(count) * plan.launch.split / plan.launch.bodiesPerThread;
    const MethodParts parts{plan, count, device, stream, std::make_shared<RateEstimate>(expectedPairRate(device, threads))};
    if constexpr (std::is_same_v<Real, double>)
        if (plan.precision == Precision::mixed) {
            LaunchPlan pairs = plan;
            if (plan.entry->row.equalMasses) pairs.equalMass /= plan.units.source;  // exact
            return makeMixed(ofDevices<float>({pairs, count, device, stream, parts.rate}, helpers), parts);
        }
    return ofDevices<Real>(parts, helpers);
}
template MadeMethod<float> makeForceMethod(const LaunchPlan&, std::uint32_t, const DeviceFacts&, Stream,
                                           const HelperDevices*);
template MadeMethod<double> makeForceMethod(const LaunchPlan&, std::uint32_t, const DeviceFacts&, Stream,
                                            const HelperDevices*);

}  // namespace gravlab::cuda
