// A force term from outside the program: springs between named bodies. With springs_cpu.cpp and springs_cuda.cu the addition
// is complete; force_term_suite.h proves that it runs everywhere.
#pragma once
#include "sim/api/errors.h"
#include "sim/api/term.h"

#include <cmath>
#include <unordered_map>

namespace gravlab::extension {

/// Pulls two bodies together when they are further apart than `length` [L]; stiffness [M/T^2]. Bodies are named by their
/// ids.
struct Spring {
    std::uint32_t first = 0, second = 0;
    double length = 0, stiffness = 0;
};

/// A spring for one of its bodies, with indices instead of names.
struct SpringEnd {
    std::uint32_t other = 0;
    double length = 0, stiffness = 0;
};
/// The ends of body i are ends[first[i]] to ends[first[i + 1] - 1], in the order of the list. A spring to a missing body has
/// no end.
struct SpringEnds {
    std::vector<std::uint32_t> first;
    std::vector<SpringEnd> ends;
};

class Springs : public ForceTerm {
public:
    static constexpr std::string_view kKind = "springs";
    explicit Springs(std::vector<Spring> springs) : springs_(std::move(springs)) {}

    std::string_view kind() const override { return kKind; }
    std::string description() const override { return std::to_string(springs_.size()) + " springs"; }
    std::vector<StateArray> numbers() const override {
        std::vector<StateArray> arrays{{"first", {}}, {"second", {}}, {"length", {}}, {"stiffness", {}}};
        for (const Spring& spring : springs_) {
            arrays[0].values.push_back(spring.first);
            arrays[1].values.push_back(spring.second);
            arrays[2].values.push_back(spring.length);
            arrays[3].values.push_back(spring.stiffness);
        }
        return arrays;
    }
    static std::shared_ptr<const ForceTerm> make(const std::vector<StateArray>& numbers) {
        const auto values = [&](std::string_view name) -> const std::vector<double>& {
            for (const StateArray& array : numbers)
                if (array.name == name && array.values.size() == numbers.front().values.size()) return array.values;
            throw InputError("springs: '" + std::string(name) + "' is missing or of another length");
        };
        const std::vector<double>&first = values("first"), &second = values("second"), &length = values("length"),
              &stiffness = values("stiffness");
        std::vector<Spring> springs;
        for (std::size_t k = 0; k < first.size(); ++k)
            springs.push_back(
                {static_cast<std::uint32_t>(first[k]), static_cast<std::uint32_t>(second[k]), length[k], stiffness[k]});
        return std::make_shared<const Springs>(std::move(springs));
    }

    double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double> floors) const override {
        const SpringEnds all = endsOf(bodies.ids);
        double ends = 0;
        for (std::size_t k = 0; k < targets.size(); ++k) {
            const std::uint32_t i = targets[k];
            const double inertia = inertialMass(bodies.positions[i], bodies.velocities[i]);
            for (std::uint32_t e = all.first[i]; inertia != 0 && e < all.first[i + 1]; ++e) {
                const SpringEnd& end = all.ends[e];
                const Vec3d apart = xyz(bodies.positions[end.other]) - xyz(bodies.positions[i]);
                const double distance = length(apart);
                const Vec3d a =
                    distance > 0 ? end.stiffness * (distance - end.length) / (distance * inertia) * apart : Vec3d{};
                out[k] = {out[k].x + a.x, out[k].y + a.y, out[k].z + a.z, 0};
                // Near its rest length, the force of a spring is the difference of two nearly equal numbers.
                if (!floors.empty()) floors[k] += end.stiffness * (distance + end.length) / std::abs(inertia);
            }
            ends += all.first[i + 1] - all.first[i];
        }
        return ends;
    }
    double potential(const TermBodies& bodies) const override {
        const SpringEnds all = endsOf(bodies.ids);
        double twice = 0;
        for (std::uint32_t i = 0; i < bodies.size(); ++i)
            for (std::uint32_t e = all.first[i]; e < all.first[i + 1]; ++e) {
                const SpringEnd& end = all.ends[e];
                const double longer = distance(bodies.positions[end.other], bodies.positions[i]) - end.length;
                twice += end.stiffness * longer * longer / 2;
            }
        return twice / 2;
    }
    std::vector<std::uint32_t> checkTargets(const TermBodies& bodies, std::size_t most) const override {
        const SpringEnds all = endsOf(bodies.ids);
        std::vector<std::uint32_t> targets;
        for (std::uint32_t i = 0; i < bodies.size() && targets.size() < most; ++i)
            if (all.first[i + 1] > all.first[i]) targets.push_back(i);
        return targets;
    }

    /// A chain through the bodies, for scenes without springs of their own.
    static std::shared_ptr<const ForceTerm> example(const ParticleSet& bodies) {
        std::vector<Spring> springs;
        for (std::size_t i = 0; i + 1 < bodies.size(); ++i)
            springs.push_back({bodies.id[i], bodies.id[i + 1], 0.5, 2.0 / static_cast<double>(bodies.size())});
        return std::make_shared<const Springs>(std::move(springs));
    }

    SpringEnds endsOf(std::span<const std::uint32_t> ids) const {
        std::unordered_map<std::uint32_t, std::uint32_t> places;
        for (std::uint32_t i = 0; i < ids.size(); ++i) places.emplace(ids[i], i);
        std::vector<std::vector<SpringEnd>> lists(ids.size());
        for (const Spring& spring : springs_) {
            const auto first = places.find(spring.first), second = places.find(spring.second);
            if (first == places.end() || second == places.end()) continue;
            lists[first->second].push_back({second->second, spring.length, spring.stiffness});
            lists[second->second].push_back({first->second, spring.length, spring.stiffness});
        }
        SpringEnds all{{0}, {}};
        for (const std::vector<SpringEnd>& list : lists) {
            all.ends.insert(all.ends.end(), list.begin(), list.end());
            all.first.push_back(static_cast<std::uint32_t>(all.ends.size()));
        }
        return all;
    }

private:
    std::vector<Spring> springs_;
};

}  // namespace gravlab::extension
