// A force of one's own with kernels for the CPU and, in own_term.cu, for CUDA: a cloud of light bodies swings in a trap.
#include "trap.h"

#include <gravlab/backends.h>
#include <gravlab/method.h>
#include <gravlab/simulation.h>

#include <cmath>
#include <cstdio>
#include <numbers>

namespace {

template <class Real>
class CpuTrap final : public gravlab::HostKernel<Real> {
public:
    explicit CpuTrap(const Trap& trap) : k_(static_cast<Real>(trap.stiffness())) {}
    void compute(const gravlab::HostBodies<Real>& bodies, std::size_t first, std::size_t last,
                 const gravlab::HostSums<Real>& sums) const override {
        for (std::size_t i = first; i < last; ++i) {
            sums.x[i] = -k_ * bodies.x[i];
            sums.y[i] = -k_ * bodies.y[i];
            sums.z[i] = -k_ * bodies.z[i];
        }
    }

private:
    Real k_;
};

template <class Real>
std::unique_ptr<gravlab::HostKernel<Real>> make(const gravlab::ForceTerm& term, const gravlab::KernelParts&) {
    return std::make_unique<CpuTrap<Real>>(static_cast<const Trap&>(term));
}

const bool kKind = gravlab::addTermKind({"trap", Trap::make, "a harmonic trap about the origin"});
const bool kRow = gravlab::addHostKernel({.term = "trap",
                                          .name = "ranges",
                                          .idea = "each thread takes some thousand bodies",
                                          .block = 4096,
                                          .fp32 = make<float>,
                                          .fp64 = make<double>});

}  // namespace

int main() {
    gravlab::ParticleSet cloud;
    cloud.resize(1000);
    for (std::size_t i = 0; i < cloud.size(); ++i) {
        const double turn = 2.4 * static_cast<double>(i), r = 0.1 + static_cast<double>(i) / 1000;
        cloud.position[i] = {r * std::cos(turn), r * std::sin(turn), 0.2 * r, 1e-12};
        cloud.velocity[i] = {0, 0, 0, 1};
        cloud.id[i] = static_cast<std::uint32_t>(i);
    }
    try {
        for (const gravlab::BackendInfo& backend : gravlab::backendList()) {
            if (!backend.reason.empty()) continue;
            gravlab::Experiment run({.bodies = cloud,
                                     .terms = {std::make_shared<const Trap>(1.0)},
                                     .settings = {{"backend", backend.name},
                                                  {"precision", "fp64"},
                                                  {"softening", "0.1"},
                                                  {"time_step", std::to_string(std::numbers::pi / 2 / 500)}}});
            const gravlab::ForceError error = run.check();
            run.step(500);  // a quarter of the period: all are at the centre
            double farthest = 0;
            for (const gravlab::Double4& x : run.bodies().position) farthest = std::max(farthest, gravlab::length(x));
            std::printf("%-10s check %s, farthest from the centre %.1e\n", backend.name.c_str(),
                        error.passed ? "passed" : "FAILED", farthest);
        }
    } catch (const gravlab::Error& error) {
        std::fprintf(stderr, "own_term: %s\n", error.what());
        return static_cast<int>(error.code());
    }
}
