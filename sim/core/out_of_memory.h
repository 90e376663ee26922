// Lack of memory, apart from a device that failed (DeviceError), which has lost its state.
// Rule: who throws this has given nothing up yet; what ran goes on as it was.
#pragma once
#include "sim/core/error.h"

namespace gravlab {

/// What was asked for does not fit; the message says how much was needed and free. Exit code 5 where nothing can go on.
struct OutOfMemoryError : Error {
    explicit OutOfMemoryError(const std::string& text) : Error(ExitCode::deviceFailure, text) {}
};

}  // namespace gravlab
