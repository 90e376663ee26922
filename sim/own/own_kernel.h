// A force kernel that a user wrote: the contract of its text, the compiler that is loaded at run time, and the first trial.
// Rule: it needs no CUDA header and does not link to the compiler; where that is missing, a sentence says what to install.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/forces/force_check.h"
#include "sim/own/checked_functions.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

// The contract. A text has one entry:
//
//     extern "C" __global__ void force(const float4* bodies, float4* accelerations, int n, float softening_squared)
//
// bodies: x, y, z and mass (G = 1), readable up to the next multiple of 256, where bodies without mass follow.
// accelerations: the entry stores x, y, z of each of the n bodies and nothing else. Two bodies at one place are
// softening_squared apart, which is never 0. Lines "// gravlab: block=128 bodies=2 split=4 shared=2048 unroll=8" set the
// launch: ceil(n / (block * bodies)) x split blocks. With a split above 1 the accelerations are 0 before the launch, and the
// kernel adds to them. BLOCK, BODIES, SPLIT and UNROLL are macros with these numbers; "from=tiled" names the row that the
// text was copied from.

/// Launch that the lines "// gravlab:" request.
struct OwnLaunch {
    int block = 128, bodies = 1, split = 1, unroll = 8;
    std::size_t shared = 0;  ///< dynamic shared memory of a block [bytes]
    std::string from;        ///< the row that the text was copied from; empty: not stated
    bool operator==(const OwnLaunch&) const = default;
};

/// Reads the launch. Throws InputError with FILE:LINE for an unknown word or an invalid value.
OwnLaunch ownLaunch(std::string_view text, const std::string& file);

struct CompilerMessage {
    int line = 0;  ///< line of the text; 0: the whole text
    bool error = false;
    std::string text;
    bool operator==(const CompilerMessage&) const = default;
};

/// Result of the compilation for one architecture.
struct OwnMachineCode {
    std::string image;         ///< empty: there were errors
    std::string architecture;  ///< "sm_90", or "compute_90" where the driver does the last stage
    std::vector<CompilerMessage> messages;
    double seconds = 0;
    bool compiled() const { return !image.empty(); }
};

/// Why texts cannot be compiled here, with what to install; empty when they can.
Reason whyNoCompiler();
/// Compiles for compute capability `major`.`minor`. Throws NoDeviceError where there is no compiler, InputError for a bad
/// line "// gravlab:".
OwnMachineCode compileOwn(std::string_view text, const std::string& file, int major, int minor);
/// Compiles the text with a check before each access, for the first runs on a device (checked_functions.h), or refuses it.
CheckedCode compileChecked(std::string_view text, const std::string& file, int major, int minor);
/// The compiler's log as messages: lines "FILE(LINE): error: TEXT", with the lines that belong to them.
std::vector<CompilerMessage> compilerMessages(std::string_view log);
/// The messages as lines "FILE:LINE: error: TEXT".
std::string messagesText(const std::vector<CompilerMessage>& messages, const std::string& file);

/// A text, and a copy of the bodies of its trial.
struct OwnTrialRequest {
    std::string text, file;
    int device = 0;
    double softening = 0;
    std::vector<Double4> bodies{};  ///< rounded to single precision, as on the device
    bool operator==(const OwnTrialRequest&) const = default;
};

/// How a trial ended.
enum class OwnOutcome {
    unfinished,  ///< no outcome yet
    noCompiler,  ///< there is no compiler
    badText,     ///< errors of the compiler
    noDevice,    ///< it compiles, and there is no device to run it
    failed,      ///< the device refused or stopped it
    wrong,       ///< it ran; the forces are not those of fp64
    good,
};

struct OwnTrialReply {
    OwnOutcome outcome = OwnOutcome::unfinished;
    std::string sentence;  ///< why it is not good, or its accuracy in numbers
    OwnFault fault = OwnFault::none;
    OwnMachineCode code;
    double secondsPerForce = 0;  ///< for a force on all bodies of the request
    std::string stage;           ///< present stage
};

/// Refuses a text whose addresses cannot be checked, with its line. True: it was refused.
bool refusesUnchecked(OwnTrialReply& reply, const CheckedCode& checked, const std::string& file);

using OwnReport = std::function<void(const OwnTrialReply&)>;

/// Compiles and runs a text here, checks it against fp64, and calls `report` before each stage. A text can hang the device
/// or end this process's work on it for good, so the caller must be a separate process.
void tryOwnKernel(const OwnTrialRequest& request, const OwnReport& report);

// The rest is the part of the CUDA backend, see without_cuda.cpp for a build that has none.

/// A device for trials.
struct OwnDevice {
    Reason missing{};          ///< why it runs none; empty when it does
    int major = 9, minor = 0;  ///< compute capability to compile for
    /// Runs the machine code of the reply and writes its outcome. Throws DeviceError.
    void (*run)(const OwnTrialRequest& request, const OwnDevice& device, OwnTrialReply& reply,
                const OwnReport& report) = nullptr;
};
OwnDevice ownDevice(int index);

/// Makes machine code that passed a trial at a number of bodies a kernel of the CUDA backend, of that name where it is free.
/// The same code keeps its row and gets one more number of bodies. Any thread may call. Throws DeviceError, NoDeviceError.
const KernelRow& adoptOwnKernel(const std::string& name, const OwnMachineCode& code, const OwnLaunch& launch,
                                std::size_t bodies);
/// Whether a kernel of that name came from adoptOwnKernel().
bool isOwnKernel(std::string_view name);

}  // namespace gravlab
