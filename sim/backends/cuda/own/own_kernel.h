// A force kernel that a user wrote: what its text promises, the compiler that is loaded at run time, and the first trial.
// Rule: needs no CUDA header, and nothing here links to the compiler; where it is missing, a sentence says what to install.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/core/particles.h"
#include "sim/forces/force_check.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

struct CheckedCode;

/// Name of the backend that runs them.
constexpr std::string_view kOwnKernelBackend = "cuda";

// The contract. A text has one entry:
//
//     extern "C" __global__ void force(const float4* bodies, float4* accelerations, int n, float softening_squared)
//
// bodies: x, y, z and mass (G = 1), readable up to the next multiple of 256, where bodies without mass follow.
// accelerations: the entry stores x, y, z of each of the n bodies and nothing else. Two bodies at one place are
// softening_squared apart, which is never 0. Lines "// gravlab: block=128 bodies=2 split=4 shared=2048 unroll=8" say how it
// is launched: ceil(n / (block * bodies)) x split blocks; with a split above 1 the accelerations are 0 before, to be added
// to. BLOCK, BODIES, SPLIT and UNROLL are macros with these numbers; "from=tiled" names the rung that it began as.

/// What the lines "// gravlab:" ask for.
struct OwnLaunch {
    int block = 128, bodies = 1, split = 1, unroll = 8;
    std::size_t shared = 0;  ///< dynamic shared memory of a block [bytes]
    std::string from;        ///< the text that it began as; empty: not said
    bool operator==(const OwnLaunch&) const = default;
};

/// Throws InputError with FILE:LINE for a word or a value that cannot be.
OwnLaunch ownLaunch(std::string_view text, const std::string& file);

/// One thing that the compiler says.
struct CompilerMessage {
    int line = 0;  ///< of the text; 0: of the whole
    bool error = false;
    std::string text;
    bool operator==(const CompilerMessage&) const = default;
};

/// What has been compiled for one architecture.
struct OwnMachineCode {
    std::string image;         ///< empty: there were errors
    std::string architecture;  ///< "sm_90", or "compute_90" where the driver does the last part
    std::vector<CompilerMessage> messages;
    double seconds = 0;
    bool compiled() const { return !image.empty(); }
};

/// Why texts cannot be compiled here, with what to install; empty when they can.
Reason whyNoCompiler();
/// Compiles for compute capability `major`.`minor`. Throws NoDeviceError where there is no compiler, InputError for a bad
/// line "// gravlab:".
OwnMachineCode compileOwn(std::string_view text, const std::string& file, int major, int minor);
/// The same text with a question before each access, for the first runs on a device (checked_addresses.h), or its refusal.
CheckedCode compileChecked(std::string_view text, const std::string& file, int major, int minor);
/// What the compiler writes, as messages: lines "FILE(LINE): error: TEXT", with what belongs to them.
std::vector<CompilerMessage> compilerMessages(std::string_view log);
/// FILE:LINE: error: TEXT, a line each.
std::string messagesText(const std::vector<CompilerMessage>& messages, const std::string& file);

/// A text, and a copy of the bodies that it is tried with.
struct OwnTrialRequest {
    std::string text, file;
    int device = 0;
    double softening = 0;
    std::vector<Double4> bodies{};  ///< as the device holds them: in single precision
    bool operator==(const OwnTrialRequest&) const = default;
};

/// How a trial ended.
enum class OwnOutcome {
    unfinished,  ///< it has not told
    noCompiler,  ///< nothing to compile with
    badText,     ///< errors of the compiler
    noDevice,    ///< it compiles, and there is nothing to run it on
    failed,      ///< the device refused or stopped it
    wrong,       ///< it ran; the forces are not those of fp64
    good,
};

struct OwnTrialReply {
    OwnOutcome outcome = OwnOutcome::unfinished;
    std::string sentence;  ///< why it is not good, or in numbers how good
    OwnMachineCode code;
    double secondsPerForce = 0;  ///< of a force of all bodies of the request
    std::string stage;           ///< what is being done
};

/// Compiles and runs a text here, checks it against fp64, and tells `told` of each stage before it begins. A text can hang
/// the device or end this process's work on it for good: for a process of its own only.
void tryOwnKernel(const OwnTrialRequest& request, const std::function<void(const OwnTrialReply&)>& told);

/// Machine code that a trial found good for so many bodies becomes a kernel of the CUDA backend, of that name where it is
/// free; the same code keeps its row and is told of one more number of bodies. From any thread. Throws DeviceError,
/// NoDeviceError.
const KernelRow& adoptOwnKernel(const std::string& name, const OwnMachineCode& code, const OwnLaunch& launch,
                                std::size_t bodies);
/// Whether a kernel of that name came so.
bool isOwnKernel(std::string_view name);

}  // namespace gravlab
