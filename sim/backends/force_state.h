// State that force methods keep between steps, as named numbers. Rule: it is restored whole or not at all.
//
// A resumed run must not evaluate a force more often than a run that never stopped. The state of a method therefore includes
// the accelerations of the last complete step and everything that they depend on.
#pragma once
#include "sim/api/bodies.h"
#include "sim/core/pages.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/force_term.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gravlab {

/// Fewest bodies whose numbers a thread converts.
constexpr std::size_t kForceStateGrain = 65536;

/// The numbers of a method's state, as files have them.
inline std::vector<double> doublesOf(std::span<const float> numbers) {
    std::vector<double> made;
    resizeTouched(made, numbers.size());
    parallelFor(numbers.size(), 0, kForceStateGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) made[i] = static_cast<double>(numbers[i]);
    });
    return made;
}

/// The force state of one complete step.
struct ForceState {
    ForceTerms terms;                                ///< terms that it was computed under
    std::vector<std::string> kernels{};              ///< kernel of each term
    std::vector<Double4> accelerations{};            ///< accelerations of the last complete step; empty: not known
    std::vector<std::vector<StateArray>> methods{};  ///< state of each term's method
};

/// Prefix of their names, which separates them from other state.
constexpr std::string_view kForceState = "force.";

/// Named "force.kernel.0.tree", "force.term.0.settings", "force.method.0.NAME", "force.acceleration".
inline std::vector<StateArray> arraysOf(ForceState state) {
    std::vector<StateArray> arrays;
    for (std::size_t k = 0; k < state.terms.size(); ++k) {
        const std::string index = std::to_string(k) + ".";
        arrays.push_back({"kernel." + index + state.kernels[k], {1}});
        for (StateArray& array : state.terms[k]->numbers())
            arrays.push_back({"term." + index + array.name, std::move(array.values)});
        for (StateArray& array : state.methods[k])
            arrays.push_back({"method." + index + array.name, std::move(array.values)});
    }
    std::vector<double> a;
    resizeTouched(a, 3 * state.accelerations.size());
    parallelFor(state.accelerations.size(), 0, kForceStateGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Double4& of = state.accelerations[i];
            a[3 * i] = of.x, a[3 * i + 1] = of.y, a[3 * i + 2] = of.z;
        }
    });
    if (!a.empty()) arrays.push_back({"acceleration", std::move(a)});
    for (StateArray& array : arrays) array.name.insert(0, kForceState);
    return arrays;
}

/// Fills methods and accelerations of `state`, whose terms and kernels are the present ones. Returns false where the arrays
/// belong to other terms or kernels, or to another number of bodies. They may be in any order.
inline bool takeForceState(const std::vector<StateArray>& arrays, std::size_t bodies, ForceState& state) {
    const std::vector<StateArray> own = arraysOf(state);
    const auto same = [&](const StateArray& wanted) {
        for (const StateArray& array : arrays)
            if (array == wanted) return true;
        return false;
    };
    for (const StateArray& wanted : own)
        if (!same(wanted)) return false;
    state.methods.assign(state.terms.size(), {});
    for (const StateArray& array : arrays) {
        if (array.name == std::string(kForceState) + "acceleration") {
            if (array.values.size() != 3 * bodies) return false;
            resizeTouched(state.accelerations, bodies);
            const std::vector<double>& a = array.values;
            parallelFor(bodies, 0, kForceStateGrain, [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i)
                    state.accelerations[i] = {a[3 * i], a[3 * i + 1], a[3 * i + 2], 0};
            });
            continue;
        }
        for (std::size_t k = 0; k < state.terms.size(); ++k) {
            const std::string prefix = std::string(kForceState) + "method." + std::to_string(k) + ".";
            if (array.name.starts_with(prefix)) state.methods[k].push_back({array.name.substr(prefix.size()), array.values});
        }
    }
    return true;
}

}  // namespace gravlab
