// Both ends of a trial. Requests and replies are files in memory, so that neither end ever waits for the other.
#include "app/bench/own_trial.h"

#include "app/bench/kernel_source.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/text.h"
#include "sim/io/file/process_limit.h"
#include "sim/run/simulation.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace gravlab {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20, kMostAnswers = std::size_t{64} << 20;
constexpr double kLookSeconds = 0.01;
// Limits for the compiler. The largest initial text takes it 0.4 s and 60 MB.
constexpr std::uint64_t kCompilerSeconds = 10, kCompilerBytes = std::uint64_t{2} << 30;

/// Values by name, each "NAME BYTES\n", the bytes, and a line end.
void put(std::string& to, std::string_view name, std::string_view value) {
    to += std::string(name) + " " + std::to_string(value.size()) + "\n";
    to += value;
    to += '\n';
}
void put(std::string& to, std::string_view name, double value) { put(to, name, formatted("%.17g", value)); }
/// Removes the first value; false at the end, and when the last value is incomplete.
bool take(std::string_view& from, std::string_view& name, std::string_view& value) {
    const std::size_t end = from.find('\n');
    if (end == std::string_view::npos) return false;
    const std::string_view head = from.substr(0, end);
    const std::size_t blank = head.rfind(' ');
    std::size_t bytes = 0;
    if (blank == std::string_view::npos ||
        std::from_chars(head.data() + blank + 1, head.data() + head.size(), bytes).ec != std::errc() ||
        bytes + 1 > from.size() - end - 1)
        return false;
    name = head.substr(0, blank);
    value = from.substr(end + 1, bytes);
    from.remove_prefix(end + 1 + bytes + 1);
    return true;
}
double numberOf(std::string_view text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string packed(const OwnTrialRequest& request) {
    std::string all;
    put(all, "file", request.file);
    put(all, "text", request.text);
    put(all, "parent", getpid());
    put(all, "device", request.device);
    put(all, "softening", request.softening);
    put(all, "bodies", {reinterpret_cast<const char*>(request.bodies.data()), request.bodies.size() * sizeof(Double4)});
    return all;
}

OwnTrialRequest requestOf(std::string_view all) {
    OwnTrialRequest request;
    std::string_view name, value;
    while (take(all, name, value)) {
        if (name == "file") request.file = std::string(value);
        if (name == "text") request.text = std::string(value);
        if (name == "device") request.device = static_cast<int>(numberOf(value));
        if (name == "softening") request.softening = numberOf(value);
        if (name == "bodies") {
            request.bodies.resize(value.size() / sizeof(Double4));
            std::memcpy(request.bodies.data(), value.data(), request.bodies.size() * sizeof(Double4));
        }
    }
    return request;
}

pid_t parentOf(std::string_view all) {
    std::string_view name, value;
    while (take(all, name, value))
        if (name == "parent") return static_cast<pid_t>(numberOf(value));
    return -1;
}

std::string packed(const OwnTrialReply& reply) {
    std::string all;
    put(all, "stage", reply.stage);
    if (reply.outcome == OwnOutcome::unfinished) return all;
    put(all, "sentence", reply.sentence);
    put(all, "architecture", reply.code.architecture);
    put(all, "compiling", reply.code.seconds);
    for (const CompilerMessage& message : reply.code.messages) {
        put(all, message.error ? "error" : "warning", message.text);
        put(all, "line", message.line);
    }
    put(all, "image", reply.code.image);
    put(all, "seconds", reply.secondsPerForce);
    put(all, "fault", static_cast<double>(reply.fault));
    put(all, "outcome", static_cast<double>(reply.outcome));  // written last: a reader that finds it has all values
    return all;
}

void takeAnswers(std::string_view all, OwnTrialReply& reply) {
    OwnTrialReply got;
    std::string_view name, value;
    while (take(all, name, value)) {
        if (name == "stage") got.stage = printable(value);
        if (name == "sentence") {
            for (const std::string_view line : linesOf(value))
                got.sentence += (got.sentence.empty() ? "" : "\n") + printable(line);
        }
        if (name == "architecture") got.code.architecture = printable(value);
        if (name == "compiling") got.code.seconds = numberOf(value);
        if (name == "error" || name == "warning") got.code.messages.push_back({0, name == "error", printable(value)});
        if (name == "line" && !got.code.messages.empty()) got.code.messages.back().line = static_cast<int>(numberOf(value));
        if (name == "image") got.code.image = std::string(value);
        if (name == "seconds") got.secondsPerForce = numberOf(value);
        if (name == "fault") {
            const double fault = numberOf(value);
            if (fault >= 0 && fault <= static_cast<double>(OwnFault::trap))
                got.fault = static_cast<OwnFault>(static_cast<int>(fault));
        }
        if (name == "outcome") {
            const double outcome = numberOf(value);
            if (outcome >= 0 && outcome <= static_cast<double>(OwnOutcome::good))
                got.outcome = static_cast<OwnOutcome>(static_cast<int>(outcome));
        }
    }
    reply = std::move(got);
}

bool compiles(std::string_view stage) { return stage.starts_with("compiling") || stage.starts_with("making checks"); }

/// A text can make the compiler use any amount of time and memory, so both are limited.
void limitStage(std::string_view stage) {
    const bool limited = compiles(stage);
    limitForNow(RLIMIT_CPU, limited ? usedProcessorSeconds() + kCompilerSeconds : RLIM_INFINITY);
    limitForNow(RLIMIT_DATA, limited && claimedMemory() > 0 ? claimedMemory() + kCompilerBytes : RLIM_INFINITY);
}

/// The cause of a process's end, after "while compiling, ".
std::string deathOf(int status, std::string_view stage) {
    if (!WIFSIGNALED(status)) return {};
    const int signal = WTERMSIG(status);
    if (!compiles(stage)) return ", by signal " + std::to_string(signal);
    if (signal == SIGXCPU || signal == SIGKILL)
        return ": the compiler needs more than " + std::to_string(kCompilerSeconds) + " s of a processor";
    return ", by signal " + std::to_string(signal) + ": perhaps the compiler needs more than " +
           std::to_string(kCompilerBytes >> 30) + " GiB";
}

}  // namespace

int runTrialHere() {
    // When the program dies, the compiler must end as well.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limitForGood(RLIMIT_CORE, 0);
    std::size_t most = kMostText + 65536;
    if (const off_t length = lseek(0, 0, SEEK_END); length > 0) most = static_cast<std::size_t>(length);
    const std::string all = contentOf(0, most);
    if (parentOf(all) != getppid()) _exit(1);  // the parent died before
    tryOwnKernel(requestOf(all), [](const OwnTrialReply& reply) {
        limitStage(reply.stage);
        writeAll(1, packed(reply));
    });
    // Skip the cleanup of the device: freeing it may wait for a kernel that never ends.
    _exit(0);
}

OwnTrial::OwnTrial(OwnTrialRequest request, Limits limits, const std::string& program)
    : request_(std::move(request)), limits_(limits), stageSince_(hostClock()) {
    if (request_.text.size() > kMostText) throw InputError(request_.file + " is longer than 1 MiB, too long for a kernel");
    const Descriptor in = memoryFile(packed(request_));
    answers_ = memoryFile();
    const std::string own = program.empty() ? "/proc/self/exe" : program;
    if (const int error = process_.start(own, {"gravlab", std::string(kTrialWord)}, {.in = in, .out = answers_}))
        throw IoError("no process for the trial of a kernel: " + own + ": " + std::generic_category().message(error));
    reply_.stage = "starting";
}

void OwnTrial::read() {
    const std::string before = reply_.stage;
    takeAnswers(contentOf(answers_, kMostAnswers), reply_);
    if (reply_.stage.empty()) reply_.stage = before;
    if (reply_.stage != before) stageSince_ = hostClock();
}

std::optional<OwnTrialReply> OwnTrial::poll() {
    if (!process_.running()) return std::nullopt;
    const std::optional<int> ended = process_.poll();
    read();
    if (ended) {
        if (reply_.outcome == OwnOutcome::unfinished) {
            reply_.outcome = OwnOutcome::failed;
            reply_.sentence = "the process that tried it died while " + reply_.stage + deathOf(*ended, reply_.stage);
        }
        return reply_;
    }
    const bool computes = reply_.stage.starts_with("a force");
    const double limit = computes ? limits_.force : limits_.compile;
    if (hostClock() - stageSince_ < limit) return std::nullopt;
    process_.end();
    reply_.outcome = OwnOutcome::failed;
    if (computes) reply_.fault = OwnFault::endless;
    reply_.sentence = reply_.stage + formatted(" takes longer than %.3g s", limit) +
                      (computes ? ": does a loop not end?" : "; it was ended");
    return reply_;
}

OwnTrialReply awaitTrial(OwnTrial& trial) {
    while (true) {
        if (std::optional<OwnTrialReply> reply = trial.poll()) return std::move(*reply);
        InterruptWatch::check();
        std::this_thread::sleep_for(std::chrono::duration<double>(kLookSeconds));
    }
}

const KernelRow& adoptKernelFile(const std::string& path, int device, double softening, const std::vector<Double4>& bodies) {
    const std::string text = ownTextOfFile(path);
    const OwnLaunch launch = ownLaunch(text, path);
    OwnTrial trial({.text = text, .file = path, .device = device, .softening = softening, .bodies = bodies});
    const OwnTrialReply reply = awaitTrial(trial);
    switch (reply.outcome) {
        case OwnOutcome::good:
            break;
        case OwnOutcome::badText: {
            const std::size_t last = reply.sentence.rfind('\n') + 1;  // 0 for a single line
            for (std::size_t at = 0, end = 0; at < last; at = end + 1) {
                end = reply.sentence.find('\n', at);
                notify(reply.sentence.substr(at, end - at));
            }
            throw InputError(reply.sentence.substr(last));
        }
        case OwnOutcome::noCompiler:
        case OwnOutcome::noDevice:
            throw NoDeviceError(path + ": " + reply.sentence);
        default:
            // A message with a line also names the file.
            throw Error(ExitCode::checkFailed,
                        reply.sentence.starts_with(path + ":") ? reply.sentence : path + ": " + reply.sentence);
    }
    for (const CompilerMessage& message : reply.code.messages)
        if (!message.error) notify(messagesText({message}, path));
    const KernelRow& row = adoptOwnKernel(path, reply.code, launch, bodies.size());
    showOwnSource(row.name, text);
    return row;
}

void adoptKernelFile(RunRequest& request) {
    if (!request.pairs().kernel.kernel || !namesKernelFile(*request.pairs().kernel.kernel)) return;
    const std::string path = *request.pairs().kernel.kernel;
    if (request.backend && *request.backend != deviceBackend().name)
        throw UsageError("the kernel of " + path + " runs on a GPU: take --backend cuda in the place of " +
                         *request.backend);
    ParticleSet bodies;
    double softening = 0;
    // Without a device the compiler still finds errors, and the last sentence says what is missing.
    if (chooseBackend({}, request.backendOptions).row->name == deviceBackend().name) {
        RunRequest begins = request;
        begins.backend = std::string(deviceBackend().name);
        begins.pairs().kernel = {};
        Simulation start(begins);
        start.snapshot(bodies);
        softening = start.force().softening;
    }
    request.pairs().kernel.kernel =
        std::string(adoptKernelFile(path, request.backendOptions.device, softening, inSingle(bodies)).name);
    request.backend = std::string(deviceBackend().name);
}

std::vector<Double4> inSingle(const ParticleSet& bodies) {
    std::vector<Double4> all = bodies.position;
    for (Double4& body : all)
        for (double* const number : {&body.x, &body.y, &body.z, &body.w}) *number = static_cast<float>(*number);
    return all;
}

}  // namespace gravlab
