// Force terms and methods that the program does not know, on the GPU.
#include "gpu_fixture.h"
#include "tests/extensions/extension_suite.h"

namespace gravlab {
namespace {

INSTANTIATE_TEST_SUITE_P(Gpu, ExtensionSuite, testing::Values("cuda"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(GpuExtensions, ranOnAGpuWhereOneIsRequired) {
    const Reason reason = backend("cuda").unavailable({});
    if (reason.empty()) return;
    if (test::gpuRequired()) FAIL() << "GRAVLAB_REQUIRE_GPU=1, but " << reason;
    GTEST_SKIP() << "no GPU test was run: " << reason;
}

}  // namespace
}  // namespace gravlab
