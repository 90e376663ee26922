// Entry of the tipsy fuzzer; what it does is in fuzz_targets.h.
#include "tests/fuzz/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    gravlab::fuzz::tipsy(data, size);
    return 0;
}
