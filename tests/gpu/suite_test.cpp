// The suite of all backends, on the rows of the CUDA backend.
#include "gpu_fixture.h"
#include "tests/backend_suite.h"

namespace gravlab {

INSTANTIATE_TEST_SUITE_P(Gpu, BackendSuite, testing::ValuesIn(kernelsOf({"cuda"})), kernelTestName);

TEST(Gpu, IsThereWhereItIsRequired) { skipWithout("cuda"); }

}  // namespace gravlab
