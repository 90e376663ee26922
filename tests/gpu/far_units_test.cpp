// Mixed precision on the GPU in units far from 1, and in usual ones.
#include "gpu_fixture.h"
#include "tests/far_unit_suite.h"

namespace gravlab::test {
namespace {

const FarUnitsOf kCudaFar{.backend = "cuda",
                          .rows = {"auto", "tiled", "symmetric-equal", "tree"},
                          .compared = 3000,
                          .alike = 2000,
                          .inRun = 2000,
                          .underLaws = 1500};
INSTANTIATE_TEST_SUITE_P(Gpu, FarUnitSuite, testing::Values(kCudaFar), nameOfBackend<FarUnitsOf>);

TEST_F(GpuTest, usualBodiesHaveTheBitsOfSinglePrecision) {
    // One range, no split: then mixed adds nothing to single precision, and units must not add anything either.
    const ParticleSet bodies = unevenBodies(2000);
    const auto accelerations = [&](const char* kernel, Precision precision) {
        const std::unique_ptr<Backend> made = backend("cuda").make({});
        made->configure({.precision = precision, .softening = 0.05}, {.kernel = std::string(kernel)});
        made->load(bodies);
        std::vector<Double4> all;
        made->accelerations(all);
        return all;
    };
    for (const char* kernel : {"global", "tiled", "symmetric"}) {
        const std::vector<Double4> single = accelerations(kernel, Precision::fp32);
        const std::vector<Double4> mixed = accelerations(kernel, Precision::mixed);
        for (std::size_t i = 0; i < single.size(); ++i) ASSERT_EQ(xyz(mixed[i]), xyz(single[i])) << kernel << " " << i;
    }
}

}  // namespace
}  // namespace gravlab::test
