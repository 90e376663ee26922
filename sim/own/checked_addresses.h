// Finds bad addresses of a user's kernel by software: it adds a check before each access to the kernel's PTX. Without checks
// a bad address stops the device, and with it the drawing of all programs.
// Rule: text to text, needs no CUDA header; an unknown instruction is refused, never passed unchecked.
#pragma once
#include "sim/own/checked_functions.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace gravlab {

/// Facts of a text that are known before it is compiled.
struct CheckedLaunch {
    int block = 128;            ///< threads of a block
    std::size_t shared = 0;     ///< dynamic shared memory of a block [bytes]
    std::string file = "text";  ///< file name of the compilation: lines with that name are lines of the text
};

struct CheckedCode {
    std::string ptx;      ///< empty: refused
    std::string refusal;  ///< why the text cannot be checked
    int line = 0;         ///< line of the refusal in the text; 0: not known
    CheckedArrays arrays;
    int accesses = 0;  ///< checked accesses
};

/// PTX with a check before each access, a bound on the iterations of its loops, and the two variables of
/// checked_functions.h. A thread ends before it would do something that stops the device, and a report states what it was.
CheckedCode checkedAddresses(std::string_view ptx, const CheckedLaunch& launch);

}  // namespace gravlab
