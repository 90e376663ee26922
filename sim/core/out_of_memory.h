// Lack of memory. Unlike a device that failed (DeviceError), the state is still valid. Rule: code that throws this has
// released nothing; the present run continues unchanged.
#pragma once
#include "sim/core/error.h"

namespace gravlab {

/// The requested memory does not fit; the message says how much was needed and free. Exit code 5 when the program cannot
/// continue.
struct OutOfMemoryError : Error {
    explicit OutOfMemoryError(const std::string& text) : Error(ExitCode::deviceFailure, text) {}
};

}  // namespace gravlab
