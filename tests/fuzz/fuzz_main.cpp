// Entry of one fuzzer; GRAVLAB_FUZZ_TARGET is its name in the table of targets, which state the requirements.
#include "tests/fuzz/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    gravlab::fuzz::GRAVLAB_FUZZ_TARGET(data, size);
    return 0;
}
