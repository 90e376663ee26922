// Bad addresses of a kernel that a user wrote, found by software: PTX in, and out comes PTX that asks before each access
// whether it may. A device that meets a bad address itself stops what all programs draw on it.
// Rule: text to text, needs no CUDA header; what it does not know it refuses, rather than let it through unchecked.
#pragma once
#include "sim/backends/cuda/own/checked_functions.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace gravlab {

/// What is known of a text before it is compiled.
struct CheckedLaunch {
    int block = 128;            ///< threads
    std::size_t shared = 0;     ///< dynamic shared memory of a block [bytes]
    std::string file = "text";  ///< as which it was compiled: its lines are those of that name
};

struct CheckedCode {
    std::string ptx;      ///< empty: refused
    std::string refusal;  ///< what it does that cannot be checked
    int line = 0;         ///< of the refusal, in the text; 0: not known
    CheckedArrays arrays;
    int accesses = 0;  ///< that are asked about
};

/// PTX with a question before each access, with a bound on the turns of its loops, and with the two variables of
/// checked_functions.h. It does nothing that a device would stop it for; the thread that would have ends, and a report says
/// what it wanted.
CheckedCode checkedAddresses(std::string_view ptx, const CheckedLaunch& launch);

}  // namespace gravlab
