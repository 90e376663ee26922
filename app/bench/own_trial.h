// The first trial of a kernel that a user wrote, in a process of its own: this program again. What hangs or reads where
// nothing is ends there and touches nothing here.
// Rule: the other process is not believed; what it sends is bounded, and only whether it passed counts.
#pragma once
#include "app/system/child_process.h"
#include "app/tables/own_kernel.h"
#include "sim/run/configuration.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Alone on the command line it makes a process one that tries a kernel: the request comes in from standard input, the
/// answers go to standard output.
constexpr std::string_view kTrialWord = "--own-kernel-trial";
int runTrialHere();

class OwnTrial {
public:
    /// How long each of its stages may take [s]. Compilers take what they take; a force that a run could use does not.
    struct Limits {
        double compile = 60, force = 10;
    };
    /// `program`: what is started; empty: this program.
    OwnTrial(OwnTrialRequest request, Limits limits, const std::string& program = {});
    explicit OwnTrial(OwnTrialRequest request) : OwnTrial(std::move(request), Limits{}) {}
    /// Ends the process if it is still there.
    ~OwnTrial();
    OwnTrial(const OwnTrial&) = delete;
    OwnTrial& operator=(const OwnTrial&) = delete;

    /// How it ended, once; never waits. Ends a process that takes too long.
    std::optional<OwnTrialReply> poll();
    const std::string& stage() const { return reply_.stage; }
    const OwnTrialRequest& request() const { return request_; }

private:
    void read();

    OwnTrialRequest request_;
    Limits limits_;
    OwnTrialReply reply_;
    ChildProcess process_;
    int answers_ = -1;
    double stageSince_ = 0;  ///< host clock [s]
};

/// The same, waiting. Can be interrupted.
OwnTrialReply awaitTrial(OwnTrial& trial);

/// A text of a file that a user named: read, tried with these bodies in a process of its own, and taken up as a kernel of
/// the CUDA backend. Throws InputError with FILE:LINE, NoDeviceError, or a check that failed.
const KernelRow& adoptKernelFile(const std::string& path, int device, double softening, const std::vector<Double4>& bodies);

/// The same where the kernel of a request is a file: tried with the bodies that the run begins with, which it computes
/// then on a GPU. Nothing where it is none. Only for what the command line asks for: to name a file there is consent.
void adoptKernelFile(RunRequest& request);

/// Positions and masses as a device holds them.
std::vector<Double4> inSingle(const ParticleSet& bodies);

}  // namespace gravlab
