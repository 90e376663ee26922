// The first trial of a user's kernel, in a process of its own: a second instance of this program. A hang or an invalid
// access ends that process and leaves this one unharmed. Rule: do not trust the other process; its data is bounded, and only
// the result of its check counts.
#pragma once
#include "app/system/child_process.h"
#include "app/system/descriptor.h"
#include "app/tables/own_kernel.h"
#include "sim/run/configuration.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// As the only argument, makes a process try a kernel: the request arrives on standard input, the replies go to standard
/// output.
constexpr std::string_view kTrialWord = "--own-kernel-trial";
int runTrialHere();

/// Its end also ends the process.
class OwnTrial {
public:
    /// Longest time of each stage [s]. Compilers get plenty; a force that a run could use needs little.
    struct Limits {
        double compile = 60, force = 10;
    };
    /// `program`: the program to start; empty: this one.
    OwnTrial(OwnTrialRequest request, Limits limits, const std::string& program = {});
    explicit OwnTrial(OwnTrialRequest request) : OwnTrial(std::move(request), Limits{}) {}

    /// The result, once; never waits. Ends a process that takes too long.
    std::optional<OwnTrialReply> poll();
    const std::string& stage() const { return reply_.stage; }
    const OwnTrialRequest& request() const { return request_; }

private:
    void read();

    OwnTrialRequest request_;
    Limits limits_;
    OwnTrialReply reply_;
    Descriptor answers_;
    ChildProcess process_;
    double stageSince_ = 0;  ///< host clock [s]
};

/// Waits for the result. Can be interrupted.
OwnTrialReply awaitTrial(OwnTrial& trial);

/// Reads a kernel from a user's file, tries it with these bodies in its own process, and adds it to the CUDA backend. Throws
/// InputError with FILE:LINE, NoDeviceError, or the error of a failed check.
const KernelRow& adoptKernelFile(const std::string& path, int device, double softening, const std::vector<Double4>& bodies);

/// The same when the kernel of a request is a file: tried with the initial bodies of the run, which then runs on a GPU. Does
/// nothing otherwise. Only for the command line, where naming a file is consent to run it.
void adoptKernelFile(RunRequest& request);

/// Positions and masses rounded as a device stores them.
std::vector<Double4> inSingle(const ParticleSet& bodies);

}  // namespace gravlab
