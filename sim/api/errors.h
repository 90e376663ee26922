// The failures a user can see, one type per exit code. `main` holds the only catch that ends the program.
#pragma once
#include <stdexcept>
#include <string>

namespace gravlab {

/// Exit codes of the program. Tests assert them and the documentation lists them.
enum class ExitCode : int { ok = 0, usage = 2, badInput = 3, noDevice = 4, deviceFailure = 5, io = 6, checkFailed = 7 };

/// Base of all errors that carry an exit code. The text says what went wrong, where, and what to do.
class Error : public std::runtime_error {
public:
    Error(ExitCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
    ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

/// A bad option or setting; the message names the valid choices. Exit code 2.
struct UsageError : Error {
    explicit UsageError(const std::string& text) : Error(ExitCode::usage, text) {}
};
/// A file or scene whose content cannot be used. Exit code 3.
struct InputError : Error {
    explicit InputError(const std::string& text) : Error(ExitCode::badInput, text) {}
};
/// No device, display or OpenGL of the requested kind. Exit code 4.
struct NoDeviceError : Error {
    explicit NoDeviceError(const std::string& text) : Error(ExitCode::noDevice, text) {}
};
/// A device that worked and then failed. Exit code 5.
struct DeviceError : Error {
    explicit DeviceError(const std::string& text) : Error(ExitCode::deviceFailure, text) {}
};
/// The requested memory is not there; the message gives the needed and the free amount. The thrower has released nothing
/// yet, while a failed device has lost its state. Exit code 5 when nothing can continue.
struct OutOfMemoryError : Error {
    explicit OutOfMemoryError(const std::string& text) : Error(ExitCode::deviceFailure, text) {}
};
/// Reading or writing failed (disk full, permission, a broken pipe to an encoder). Exit code 6.
struct IoError : Error {
    explicit IoError(const std::string& text) : Error(ExitCode::io, text) {}
};

}  // namespace gravlab
