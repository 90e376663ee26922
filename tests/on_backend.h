// Suites over backends. Rule: where a backend cannot run they skip with a message, or fail when GRAVLAB_REQUIRE_GPU=1.
#pragma once
#include "sim/backends/backend.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>

namespace gravlab {

/// Names of tests begin with it: otherwise they would end with the row's bytes, whose addresses differ from run to run.
inline void PrintTo(const KernelRow& row, std::ostream* out) { *out << row.name; }

}  // namespace gravlab

namespace gravlab::testing_support {

/// Whether this build has the code of a backend. Without it, rows are refused for that reason alone, before all others.
inline bool isBuilt(std::string_view name) {
    return backend(name).unavailable({}).find("this build has no CUDA") == std::string::npos;
}

inline bool gpuRequired() {
    const char* value = std::getenv("GRAVLAB_REQUIRE_GPU");
    return value && std::string_view(value) == "1";
}

/// The last call of a SetUp().
inline void skipWithout(const char* name) {
    const Reason reason = backend(name).unavailable({});
    if (reason.empty()) return;
    if (gpuRequired()) FAIL() << "GRAVLAB_REQUIRE_GPU=1, but " << reason;
    GTEST_SKIP() << "nothing was tested: " << reason;
}

/// `Param` holds what a suite must know of a backend, with its name as `backend`.
template <class Param>
class OnBackend : public testing::TestWithParam<Param> {
protected:
    void SetUp() override { skipWithout(this->GetParam().backend); }
};
template <class Param>
std::string nameOfBackend(const testing::TestParamInfo<Param>& info) {
    return info.param.backend;
}

}  // namespace gravlab::testing_support
