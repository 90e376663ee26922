// Kernels that users write: their rows, one launch per force, and the first trial of a text.
// Rule: a run accepts only kernels that passed a trial with the same number of bodies.
#include "sim/api/errors.h"
#include "sim/backends/cuda/methods/device.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/own/checked_functions.h"
#include "sim/own/own_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <iterator>
#include <mutex>
#include <set>
#include <span>
#include <utility>

namespace gravlab::cuda {
namespace {

Reason onlyGravity(const KernelRow&, const ForceSettings& force) {
    if (force.law != Law::gravity) return "own kernels know gravity only; take 'tiled'";
    if (force.precision == Precision::fp64) return "own kernels compute in fp32; take 'tiled'";
    return {};
}

/// A kernel that was added while the program ran. It owns the texts of the row's views.
struct Adopted {
    std::string name, idea, image;
    OwnLaunch launch;
    std::set<std::size_t> tried;
    const KernelRow* row = nullptr;
};
struct AllAdopted {
    std::mutex lock;
    std::deque<Adopted> kernels;  ///< references stay
};
AllAdopted& adopted() {
    static AllAdopted all;
    return all;
}

bool wasTried(const KernelRow& row, std::size_t bodies) {
    AllAdopted& all = adopted();
    const std::lock_guard hold(all.lock);
    return std::ranges::any_of(
        all.kernels, [&](const Adopted& kernel) { return kernel.name == row.name && kernel.tried.contains(bodies); });
}

unsigned targetBlocks(std::size_t bodies, int block, int bodiesPerThread) {
    const auto targets = static_cast<std::size_t>(block) * static_cast<std::size_t>(bodiesPerThread);
    return static_cast<unsigned>((bodies + targets - 1) / targets);
}

/// The launch of the contract. Throws DeviceError.
void launchOwn(const void* kernel, const Float4* bodies, Float4* accelerations, std::uint32_t count, float softeningSquared,
               Dim grid, unsigned threads, std::size_t shared, Stream stream) {
    if (grid.y > 1) CUDA_CHECK(fillAsync(accelerations, 0, count * sizeof(Float4), stream));
    int n = static_cast<int>(count);
    void* arguments[] = {&bodies, &accelerations, &n, &softeningSquared};
    CUDA_CHECK(launch(kernel, grid, threads, arguments, shared, stream));
}

class Loaded final : public DeviceForceMethod<float> {
public:
    explicit Loaded(const MethodParts& parts)
        : DeviceForceMethod<float>(parts.plan, parts.count, parts.rate),
          code_(*parts.plan.entry->loaded()),
          stream_(parts.stream) {
        if (parts.count > 0 && !code_.tried(parts.plan.entry->row, parts.count))
            throw UsageError("kernel '" + std::string(parts.plan.entry->row.name) + "' has not been tried with " +
                             std::to_string(parts.count) + " bodies; try it again with them");
    }

private:
    // The code of a user cannot be divided into slices: a force is one launch.
    ForceProgress enqueuePairs(double) override {
        if (count() > 0) {
            const LaunchConfig& launch = plan().launch;
            launchOwn(code_.kernel32, bodies().positions, bodies().sums, count(),
                      static_cast<float>(softeningSquared(request())),
                      {targetBlocks(count(), launch.block, launch.bodiesPerThread), code_.split},
                      static_cast<unsigned>(launch.block), code_.sharedBytes, stream_);
        }
        return {.complete = true, .work = {.pairs = allPairs()}};
    }
    double nextPairs(double) const override { return allPairs(); }
    double doneShare() const override { return 0; }
    void rewind() override {}

    const LoadedCode& code_;
    Stream stream_;
};

/// Owns loaded code.
class Library {
public:
    explicit Library(const std::string& image) { CUDA_CHECK(loadCode(&library_, image.data())); }
    /// Loads PTX. Its compiler may be newer than the driver, so the PTX then states an older version.
    static Library ofText(std::string ptx) {
        Code code = kUnsupportedPtx;
        Library made;
        for (const char* version : {"", "9.0", "8.8", "8.7", "8.6", "8.5", "8.4", "8.3", "8.2", "8.1", "8.0", "7.8"}) {
            if (*version != 0) {
                const std::size_t at = ptx.find(".version "), end = ptx.find('\n', at);
                if (at == std::string::npos) break;
                ptx.replace(at, end - at, std::string(".version ") + version);
            }
            code = loadCode(&made.library_, ptx.c_str());
            if (code != kUnsupportedPtx) break;
            takeLastError();
        }
        check(code, "loadCode(the text with checks of its addresses)", __FILE__, __LINE__);
        return made;
    }
    ~Library() {
        if (library_) unloadCode(library_);
    }
    Library(Library&& other) noexcept : library_(std::exchange(other.library_, nullptr)) {}
    Library& operator=(Library&&) = delete;
    const void* entry() const {
        const void* kernel = nullptr;
        if (kernelNamed(&kernel, library_, "force") == kSuccess) return kernel;
        takeLastError();
        return nullptr;
    }
    void* variable(const char* name) const {
        void* memory = nullptr;
        CUDA_CHECK(globalNamed(&memory, library_, name));
        return memory;
    }
    /// Keeps the code to the end of the program.
    void keep() { library_ = nullptr; }

private:
    Library() = default;
    void* library_ = nullptr;
};

/// A loaded text whose accesses are checked.
struct CheckedProgram {
    CheckedProgram(CheckedCode made, const OwnLaunch& launch) : code(std::move(made)), library(Library::ofText(code.ptx)) {
        kernel = library.entry();
        if (!kernel) throw DeviceError("the code with checks of addresses has no entry");
        KernelFacts facts;
        CUDA_CHECK(kernelFacts(facts, kernel));
        if (launch.block > facts.mostThreads)
            throw DeviceError("block=" + std::to_string(launch.block) + " is more than " +
                              std::to_string(facts.mostThreads) + ", which the text with checks of its addresses allows");
        stackBytes = facts.localBytes;
        limits = library.variable(kCheckedLimitsName);
        report = library.variable(kCheckedReportName);
    }
    CheckedCode code;
    Library library;
    const void* kernel = nullptr;
    void *limits = nullptr, *report = nullptr;
    std::size_t stackBytes = 0;
};

// Places after the last body that no thread may write: a thread that does not check whether it has a body writes there.
constexpr std::size_t kFence = 4096;
constexpr unsigned char kFenceByte = 0xa5;

/// The runs of one trial with the first `count` bodies of its request.
class Runs {
public:
    Runs(const OwnTrialRequest& request, const OwnLaunch& launch, std::size_t count)
        : launch_(launch),
          count_(count),
          bodies_(request.bodies.data(), count),
          force_{.softening = request.softening},
          positions_(padded(static_cast<std::uint32_t>(count))),
          all_(count + 2 * kFence) {
        double heaviest = 0;
        for (const Double4& body : bodies_) heaviest = std::max(heaviest, std::abs(body.w));
        softeningSquared_ =
            static_cast<float>(std::max({force_.softening * force_.softening, static_cast<double>(kSofteningSquaredFloor32),
                                         smallestR2<float>(force_, heaviest)}));
        std::vector<Float4> host(positions_.size(), kPad<float>);
        std::ranges::transform(bodies_, host.begin(), packedIn<float>);
        copyNow(positions_.data(), host.data(), host.size(), Copy::toDevice, stream_);
    }

    /// Finding of a program with checks before each access; no finding has an empty text.
    CheckedFinding finding(const CheckedProgram& program) {
        const CheckedLimits limits{.bodies = reinterpret_cast<std::uintptr_t>(positions_.data()),
                                   .bodiesBytes = positions_.bytes(),
                                   .accelerations = reinterpret_cast<std::uintptr_t>(sums()),
                                   .accelerationsBytes = count_ * sizeof(Float4),
                                   .turns = checkedTurns(positions_.size(), launch_.bodies),
                                   .stackBytes = program.stackBytes};
        CheckedReport report;
        CUDA_CHECK(copyAsync(program.limits, &limits, sizeof limits, Copy::toDevice, stream_));
        CUDA_CHECK(copyAsync(program.report, &report, sizeof report, Copy::toDevice, stream_));
        CUDA_CHECK(fillAsync(all_.data(), kFenceByte, all_.bytes(), stream_));
        launchOnce(program.kernel);
        CUDA_CHECK(copyAsync(&report, program.report, sizeof report, Copy::toHost, stream_));
        CUDA_CHECK(waitForStream(stream_));
        return report.kind == 0 ? CheckedFinding{} : checkedFinding(report, limits, program.code.arrays, count_);
    }

    /// Runs `kernel` `times` times and returns why it is not good; an empty text: it is good.
    CheckedFinding fault(const void* kernel, int times) {
        targets_ = sampleTargets(bodies_);
        want_.resize(targets_.size());
        floors_.resize(targets_.size());
        referenceForces(bodies_, {}, targets_, force_, want_, floors_, leastShare(gateOf(force_)));
        for (int time = 0; time < times; ++time) {
            CUDA_CHECK(fillAsync(all_.data(), kFenceByte, all_.bytes(), stream_));
            CUDA_CHECK(
                fillAsync(sums(), 0xff, count_ * sizeof(Float4), stream_));  // NaN marks accelerations that are not stored
            launchOnce(kernel);
            CUDA_CHECK(waitForStream(stream_));
            std::vector<Float4> got(all_.size());
            copyNow(got.data(), all_.data(), got.size(), Copy::toHost, stream_);
            if (CheckedFinding why = faultOf(got); !why.text.empty()) {
                why.text += " with " + std::to_string(count_) + " bodies";
                if (time > 0) why.text += ", in run " + std::to_string(time + 1) + " of the same: a race of threads?";
                return why;
            }
        }
        return {};
    }

    /// Time of a force on these bodies, as a median of several [s].
    double seconds(const void* kernel) {
        // Five forces are timed, or as many as fit in a second: the check before them has warmed the device up.
        constexpr std::size_t kMostTimes = 5;
        constexpr double kMostSeconds = 1;
        std::vector<double> times;
        for (double sum = 0; times.size() < kMostTimes && sum < kMostSeconds; sum += times.back()) {
            CUDA_CHECK(recordEvent(begin_, stream_));
            launchOnce(kernel);
            CUDA_CHECK(recordEvent(end_, stream_));
            CUDA_CHECK(waitForStream(stream_));
            times.push_back(secondsBetween(begin_, end_));
        }
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        return *middle;
    }
    const ForceCheck& check() const { return check_; }

private:
    Float4* sums() const { return all_.data() + kFence; }
    void launchOnce(const void* kernel) {
        launchOwn(kernel, positions_.data(), sums(), static_cast<std::uint32_t>(count_), softeningSquared_,
                  {targetBlocks(count_, launch_.block, launch_.bodies), static_cast<unsigned>(launch_.split)},
                  static_cast<unsigned>(launch_.block), launch_.shared, stream_);
    }
    CheckedFinding faultOf(const std::vector<Float4>& got) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(got.data());
        const std::size_t fence = kFence * sizeof(Float4), end = fence + count_ * sizeof(Float4);
        const auto touched = [&](std::size_t from, std::size_t to) {
            return std::any_of(bytes + from, bytes + to, [](unsigned char byte) { return byte != kFenceByte; });
        };
        if (touched(end, end + fence))
            return {.text = "it writes behind the last acceleration: a thread whose body is n or more must store nothing;",
                    .fault = OwnFault::address};
        if (touched(0, fence)) return {.text = "it writes before the first acceleration;", .fault = OwnFault::address};
        std::size_t missing = 0, first = count_;
        for (std::size_t i = 0; i < count_; ++i) {
            const Float4& a = got[kFence + i];
            if (std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z)) continue;
            first = std::min(first, i);
            ++missing;
        }
        if (missing > 0)
            return {.text = std::to_string(missing) + " accelerations are not stored or not finite, the first of body " +
                            std::to_string(first) + ";"};
        std::vector<Double4> have(targets_.size());
        for (std::size_t k = 0; k < targets_.size(); ++k) {
            const Float4& a = got[kFence + targets_[k]];
            have[k] = {a.x, a.y, a.z, 0};
        }
        check_ = compareForces(have, want_, gateOf(force_), floors_);
        if (check_.passed) return {};
        return {.text = "its forces are not those of fp64: " + check_.text() + ","};
    }

    const OwnLaunch& launch_;
    std::size_t count_;
    std::span<const Double4> bodies_;
    ForceSettings force_;
    float softeningSquared_ = 0;
    std::vector<std::uint32_t> targets_;
    std::vector<Double4> want_;
    std::vector<double> floors_;
    OwnedStream stream_;
    OwnedEvent begin_, end_;
    DeviceArray<Float4> positions_, all_;  ///< the accelerations lie in the middle of `all_`
    ForceCheck check_;
};

// Most bodies whose addresses are checked. The checks make a force several times as long.
constexpr std::size_t kMostChecked = 32768;
// A small number of bodies that is no multiple of any factor of a launch.
constexpr std::size_t kFew = 1021;

void runTrial(const OwnTrialRequest& request, const OwnDevice& device, OwnTrialReply& reply, const OwnReport& report) {
    const auto stage = [&](std::string text) {
        reply.stage = std::move(text);
        report(reply);
    };
    const OwnLaunch launch = ownLaunch(request.text, request.file);
    CUDA_CHECK(setDevice(request.device));
    stage("loading the code");
    const Library library(reply.code.image);
    const void* const kernel = library.entry();
    if (!kernel) {
        reply.outcome = OwnOutcome::badText;
        reply.sentence = request.file + ": error: the entry has no extern \"C\" before __global__";
        return;
    }
    KernelFacts facts;
    CUDA_CHECK(kernelFacts(facts, kernel));
    if (launch.block > facts.mostThreads) {
        reply.outcome = OwnOutcome::badText;
        reply.sentence = request.file + ": block=" + std::to_string(launch.block) + " is more than " +
                         std::to_string(facts.mostThreads) + ", which its " + std::to_string(facts.registers) +
                         " registers a thread allow";
        return;
    }
    const std::size_t all = request.bodies.size();
    {
        // A bad address on the device would stop the drawing of every program, so the checks come first.
        stage("making checks of its addresses");
        CheckedCode checked = compileChecked(request.text, request.file, device.major, device.minor);
        if (refusesUnchecked(reply, checked, request.file)) return;
        const CheckedProgram program(std::move(checked), launch);
        for (const std::size_t bodies : {std::min(all, kFew), std::min(all, kMostChecked)}) {
            stage("a force of " + std::to_string(bodies) + " bodies with its addresses checked");
            const CheckedFinding finding = Runs(request, launch, bodies).finding(program);
            if (finding.text.empty()) continue;
            reply.outcome = OwnOutcome::failed;
            reply.code.messages.push_back({finding.line, true, finding.text});
            reply.fault = finding.fault;
            reply.sentence =
                request.file + (finding.line > 0 ? ":" + std::to_string(finding.line) : std::string()) + ": " + finding.text;
            return;
        }
    }
    struct Part {
        std::size_t bodies;
        int times;
    };
    const Part parts[] = {{std::min(all, kFew), 3}, {all, all > 100000 ? 1 : 3}};
    for (const Part& part : parts) {
        const std::string what = "a force of " + std::to_string(part.bodies) + " bodies";
        stage(what);
        Runs runs(request, launch, part.bodies);
        if (CheckedFinding why = runs.fault(kernel, part.times); !why.text.empty()) {
            reply.outcome = OwnOutcome::wrong;
            reply.fault = why.fault;
            reply.sentence = std::move(why.text);
            return;
        }
        if (&part != std::end(parts) - 1) continue;
        stage(what + " by the clock");
        reply.secondsPerForce = runs.seconds(kernel);
        reply.sentence = runs.check().text();
    }
    reply.outcome = OwnOutcome::good;
}

}  // namespace

MadeMethod<float> makeLoaded(const MethodParts& parts) { return std::make_unique<Loaded>(parts); }

}  // namespace gravlab::cuda

namespace gravlab {

OwnDevice ownDevice(int index) {
    OwnDevice device{.missing = cuda::whyNotDevice(index), .run = cuda::runTrial};
    if (!device.missing.empty()) return device;
    cuda::DeviceFacts facts{};
    CUDA_CHECK(cuda::deviceFacts(index, facts));
    device.major = facts.major;
    device.minor = facts.minor;
    return device;
}

bool isOwnKernel(std::string_view name) {
    cuda::AllAdopted& all = cuda::adopted();
    const std::lock_guard hold(all.lock);
    return std::ranges::any_of(all.kernels, [&](const cuda::Adopted& kernel) { return kernel.name == name; });
}

const KernelRow& adoptOwnKernel(const std::string& name, const OwnMachineCode& code, const OwnLaunch& launch,
                                std::size_t bodies) {
    using namespace cuda;
    AllAdopted& all = adopted();
    const std::lock_guard hold(all.lock);
    for (Adopted& known : all.kernels)
        if (known.image == code.image && known.launch == launch) {
            known.tried.insert(bodies);
            return *known.row;
        }
    Library library(code.image);
    const void* const kernel = library.entry();
    if (!kernel) throw InputError(name + " has no entry 'force'");
    library.keep();
    Adopted& made = all.kernels.emplace_back(
        Adopted{.name = name, .idea = {}, .image = code.image, .launch = launch, .tried = {bodies}});
    for (int k = 2; hasKernel("cuda", made.name); ++k) made.name = name + " " + std::to_string(k);
    made.idea = "your own text" + (launch.from.empty() ? std::string() : ", which began as '" + launch.from + "'");
    KernelEntries::add({.row = {.backend = "cuda",
                                .name = made.name,
                                .idea = made.idea,
                                .usual = {launch.block, launch.unroll, launch.bodies, 1},
                                .deterministic = launch.split == 1,
                                .source = made.name,
                                .refuses = onlyGravity,
                                .listed = false},
                        .code = LoadedCode{.kernel32 = kernel,
                                           .split = static_cast<unsigned>(launch.split),
                                           .sharedBytes = launch.shared,
                                           .tried = wasTried}});
    made.row = &gravlab::kernel("cuda", made.name);
    return *made.row;
}

}  // namespace gravlab
