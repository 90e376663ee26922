// Entry of the hdf5 fuzzer; what it does is in fuzz_targets.h.
#include "tests/fuzz/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    gravlab::fuzz::hdf5(data, size);
    return 0;
}
