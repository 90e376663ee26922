// The suite of all backends, on the rows of the CUDA backend.
#include "gpu_fixture.h"
#include "tests/backend_suite.h"

namespace gravlab {

INSTANTIATE_TEST_SUITE_P(Gpu, BackendSuite, testing::ValuesIn(kernelsOf({"cuda"})), kernelTestName);

namespace test {

TEST(Gpu, IsThereWhereItIsRequired) {
    const Reason reason = backend("cuda").unavailable({});
    if (reason.empty()) return;
    if (gpuRequired()) FAIL() << "GRAVLAB_REQUIRE_GPU=1, but " << reason;
    GTEST_SKIP() << "NO GPU: the CUDA backend's rows were not tested: " << reason;
}

}  // namespace test
}  // namespace gravlab
