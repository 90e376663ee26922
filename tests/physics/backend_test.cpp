// Every backend that needs no GPU, against the same rules.
#include "tests/backend_suite.h"

namespace gravlab {

INSTANTIATE_TEST_SUITE_P(Host, BackendSuite, testing::ValuesIn(kernelsOf({"reference", "cpu"})), kernelTestName);

}  // namespace gravlab
