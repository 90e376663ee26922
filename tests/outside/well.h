// A force term: a harmonic well, in which each body swings about the origin.
#pragma once
#include <gravlab/errors.h>
#include <gravlab/term.h>

#include <cmath>

namespace outside {

/// a = -k x, with k = 1 / T^2 at the origin of coordinates.
class Well final : public gravlab::ForceTerm {
public:
    static constexpr std::string_view kKind = "well";
    explicit Well(double stiffness) : stiffness_(stiffness) {}

    double stiffness() const { return stiffness_; }
    std::string_view kind() const override { return kKind; }
    std::string description() const override { return "a harmonic well"; }
    std::vector<gravlab::StateArray> numbers() const override { return {{"stiffness", {stiffness_}}}; }
    static std::shared_ptr<const gravlab::ForceTerm> make(const std::vector<gravlab::StateArray>& numbers) {
        if (numbers.size() != 1 || numbers.front().values.size() != 1)
            throw gravlab::InputError("well: it has one number, its stiffness");
        return std::make_shared<const Well>(numbers.front().values.front());
    }
    static std::shared_ptr<const gravlab::ForceTerm> example(const gravlab::ParticleSet&) {
        return std::make_shared<const Well>(1);
    }

    double addAccelerations(const gravlab::TermBodies& bodies, std::span<const std::uint32_t> targets,
                            std::span<gravlab::Double4> out, std::span<double>) const override {
        for (std::size_t k = 0; k < targets.size(); ++k) {
            const gravlab::Double4& at = bodies.positions[targets[k]];
            out[k] = {out[k].x - stiffness_ * at.x, out[k].y - stiffness_ * at.y, out[k].z - stiffness_ * at.z, 0};
        }
        return static_cast<double>(targets.size());
    }
    double potential(const gravlab::TermBodies& bodies) const override {
        double sum = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const gravlab::Double4& at = bodies.positions[i];
            const double inertia = gravlab::inertialMass(at, bodies.velocities[i]);
            sum += inertia * stiffness_ * (at.x * at.x + at.y * at.y + at.z * at.z) / 2;
        }
        return sum;
    }
    gravlab::TermOffer offer() const override { return {.conservesMomentum = false}; }

private:
    double stiffness_;
};

}  // namespace outside
