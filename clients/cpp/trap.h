// A force of one's own: a harmonic trap, a = -k x.
#pragma once
#include <gravlab/errors.h>
#include <gravlab/term.h>

class Trap final : public gravlab::ForceTerm {
public:
    explicit Trap(double stiffness) : stiffness_(stiffness) {}
    double stiffness() const { return stiffness_; }  ///< k [1/T^2]

    std::string_view kind() const override { return "trap"; }
    std::string description() const override { return "a harmonic trap"; }
    std::vector<gravlab::StateArray> numbers() const override { return {{"stiffness", {stiffness_}}}; }
    /// From the numbers of a file.
    static std::shared_ptr<const gravlab::ForceTerm> make(const std::vector<gravlab::StateArray>& numbers) {
        if (numbers.size() != 1 || numbers[0].values.size() != 1)
            throw gravlab::InputError("trap: its stiffness is missing");
        return std::make_shared<const Trap>(numbers[0].values[0]);
    }

    // The plain statement in double precision, with which every kernel is compared.
    double addAccelerations(const gravlab::TermBodies& bodies, std::span<const std::uint32_t> targets,
                            std::span<gravlab::Double4> out, std::span<double>) const override {
        for (std::size_t k = 0; k < targets.size(); ++k) {
            const gravlab::Vec3d a = gravlab::xyz(out[k]) - stiffness_ * gravlab::xyz(bodies.positions[targets[k]]);
            out[k] = gravlab::packed(a);
        }
        return static_cast<double>(targets.size());
    }
    double potential(const gravlab::TermBodies& bodies) const override {
        double sum = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const gravlab::Vec3d x = gravlab::xyz(bodies.positions[i]);
            sum += 0.5 * stiffness_ * gravlab::inertialMass(bodies.positions[i], bodies.velocities[i]) * dot(x, x);
        }
        return sum;
    }
    gravlab::TermOffer offer() const override { return {.conservesMomentum = false}; }

private:
    double stiffness_;
};
