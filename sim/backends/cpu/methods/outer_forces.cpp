// Outer fields, drags and post-Newtonian terms on the CPU.
#include "sim/backends/cpu/methods/range_method.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/fields/post_newtonian.h"

namespace gravlab::cpu {
namespace {

/// All fields, or all drags.
template <class T>
class FieldRule {
public:
    FieldRule(const ForceTerm& term, const MethodContext& context)
        : term_(static_cast<const OuterForces&>(term)), carriers_(term_.carriersIn(context.ids)) {}
    void begin(const CpuBodies<T>& bodies, const ForceRequest& request) {
        fields_ = term_.at<T>(request.time, carriers_, bodies.count);
        reactions_.assign(fields_.size(), {0, 0, 0});
        for (std::size_t k = 0; k < fields_.size() && !term_.drags(); ++k)
            if (fields_[k].carrier != kNoCarrier)
                reactions_[k] = fieldReaction(fields_[k], bodyOf(bodies), bodies.count).pull;
    }
    Vec3<T> pull(const CpuBodies<T>& bodies, std::size_t i) const {
        Vec3<T> sum{0, 0, 0};
        for (std::size_t k = 0; k < fields_.size(); ++k)
            sum += fields_[k].carrier == i ? reactions_[k]
                                           : fieldPull(fields_[k], bodyOf(bodies), static_cast<std::uint32_t>(i));
        // A drag does not depend on what a body answers to other forces with.
        const T response = bodies.response[i];
        return !term_.drags() || response == 1 ? sum : response != 0 ? sum / response : Vec3<T>{0, 0, 0};
    }
    double perBody() const { return static_cast<double>(fields_.size()); }

private:
    static auto bodyOf(const CpuBodies<T>& bodies) {
        return [&bodies](std::uint32_t i) -> FieldTarget<T> {
            return {vectorAt(bodies.axis, i), vectorAt(bodies.velocity, i), bodies.source[i], bodies.response[i] != 0};
        };
    }
    const OuterForces& term_;
    std::vector<std::uint32_t> carriers_;
    std::vector<FieldNow<T>> fields_;
    std::vector<Vec3<T>> reactions_;  ///< of the bodies that carry these fields
};

template <class T>
class RelativeRule {
public:
    RelativeRule(const ForceTerm& term, const MethodContext& context) {
        const auto& relative = static_cast<const PostNewtonian&>(term);
        indices_ = relative.indicesIn(context.ids);
        share_ = static_cast<T>(1 / (relative.lightSpeed() * relative.lightSpeed()));
    }
    void begin(const CpuBodies<T>& bodies, const ForceRequest&) {
        heavy_.clear();
        for (const std::uint32_t i : indices_)
            heavy_.push_back({vectorAt(bodies.axis, i), vectorAt(bodies.velocity, i), bodies.source[i], {0, 0, 0}, 0});
        actOnHeavy(heavy_);
    }
    Vec3<T> pull(const CpuBodies<T>& bodies, std::size_t i) const {
        const Vec3<T> x = vectorAt(bodies.axis, i), v = vectorAt(bodies.velocity, i);
        const T depth = depthAt(heavy_.data(), static_cast<unsigned>(heavy_.size()), x);
        Vec3<T> sum{0, 0, 0};
        for (const HeavySource<T>& heavy : heavy_) sum += postNewtonian(heavy, x, v, depth);
        return sum * share_;
    }
    double perBody() const { return static_cast<double>(heavy_.size()); }

private:
    std::vector<std::uint32_t> indices_;
    std::vector<HeavySource<T>> heavy_;
    T share_;
};

template <template <class> class Rule>
bool addRow(std::string_view kind, std::string_view name, std::string_view idea) {
    return CpuTermMethods::add({.row = {.backend = "cpu", .term = kind, .name = name, .idea = idea},
                                .fp32 = makePerBody<float, Rule>,
                                .fp64 = makePerBody<double, Rule>});
}

}  // namespace

bool addOuterMethods() {
    return addRow<FieldRule>(OuterForces::kField, "each-body", "each body goes through the fields, on all threads") &&
           addRow<FieldRule>(OuterForces::kDrag, "each-body", "each body goes through the drags, on all threads") &&
           addRow<RelativeRule>(PostNewtonian::kKind, "each-body",
                                "each body goes through the heavy bodies, on all threads");
}

}  // namespace gravlab::cpu
