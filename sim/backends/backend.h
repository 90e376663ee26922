// One interface for everything that can advance bodies, and the table of what this build has.
// Rule: one thread drives one backend.
#pragma once
#include "sim/backends/force_method.h"
#include "sim/backends/kernel.h"
#include "sim/backends/launch_facts.h"
#include "sim/core/particles.h"
#include "sim/core/state_array.h"
#include "sim/core/vertex.h"
#include "sim/forces/force_check.h"
#include "sim/forces/force_settings.h"
#include "sim/forces/force_term.h"
#include "sim/integrators/integrator.h"
#include "sim/measure/diagnostics.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

class PairMatrixSource;  // pair_matrix.h
namespace cuda {
struct TreeLimits;  // cuda/methods/tree_limits.h
}

/// How much one call of advance() may do. Pacing only: it never changes what a step computes.
struct Budget {
    double seconds = 1e300;  ///< stop enqueuing or computing once this is used
    std::int64_t steps = 1;  ///< complete at most this many steps in the call
};

/// What one call of advance() did.
struct AdvanceStatus {
    /// Steps ended since the last call returned (on a device: enqueued to their end), those of finishStep() included.
    std::int64_t stepsCompleted = 0;
    bool published = false;   ///< the sink was opened and closed with the newest complete step
    double stepProgress = 0;  ///< done share of the forces of the step under way, never 0 then; 0 at a step boundary
    double innerStep = 0;     ///< length of the newest step that an adaptive integrator chose; 0 for fixed steps [T]
};

/// Totals of finished work since the backend was made; differences of two readings give rates. Never waits.
struct WorkTotals {
    std::int64_t steps = 0;
    std::int64_t forceEvaluations = 0;
    double interactions = 0;  ///< of the pair law; N*N per force evaluation, self included, where none is left out
    double cells = 0;         ///< of a tree, each for every body that it acts on; a device tells of them a little later
    /// What was computed: pairs, and cells in the place of others.
    double evaluated() const { return interactions + cells; }
    double forceSeconds = 0;      ///< of the pair law; device events or pool timers, not wall time
    double termInteractions = 0;  ///< of the terms beside it: a bond counts for each body that it pulls
    double termSeconds = 0;
    double integrateSeconds = 0;
    double publishSeconds = 0;
    double bodySizedHostCopies = 0;  ///< body-sized device-to-host copies so far; a frame must add none
};

/// The most threads that can be asked for, everywhere: option, file and backend.
constexpr int kMostThreads = 4096;

/// How to make a backend. What is empty the machine decides, and no file fixes it for another machine.
struct BackendOptions {
    int device = 0;                                   ///< CUDA device index
    std::optional<int> threads{};                     ///< CPU threads, 1 to kMostThreads; empty: all
    std::optional<std::string> simd{};                ///< CPU instruction set; empty: the best here
    std::shared_ptr<const cuda::TreeLimits> trees{};  ///< of tests; null: the usual
    bool operator==(const BackendOptions&) const = default;
};

/// Which kernel and launch, and what it may leave out.
struct KernelChoice {
    std::optional<std::string> kernel{};  ///< empty: the backend chooses by N, device and the allowed error
    LaunchConfig launch{};
    double allowedError = 0;  ///< relative error that 99 % of the bodies may have; 0: rounding only
    double opening = 0;       ///< opening angle, for rows of a tree that go by it; 0: the usual
    bool operator==(const KernelChoice&) const = default;
};
/// The kernel's name; "auto" where the backend chooses.
std::string nameOf(const KernelChoice& choice);

/// What a choice has become.
struct KernelInUse {
    std::string kernel;
    LaunchConfig launch{};
    operator KernelChoice() const { return {kernel, launch}; }
    bool operator==(const KernelInUse&) const = default;
};

/// The choice for so many bodies: there can be no more threads that share one body's sources than there are bodies.
KernelChoice fitted(KernelChoice choice, std::size_t bodies);

/// How one term is computed.
struct TermConfiguration {
    KernelChoice kernel{};  ///< a method of the backend for that kind of term, by name
    bool operator==(const TermConfiguration&) const = default;
};
/// How a system is computed: a row for each term, in their order. What is not there is left to the backend.
using SystemConfiguration = std::vector<TermConfiguration>;

/// A force term and how it is computed.
struct Term {
    std::shared_ptr<const ForceTerm> what;
    KernelChoice how{};
};
/// Bodies and what acts on them, the pair law first.
struct System {
    ParticleSet bodies;
    std::vector<Term> terms;
};
/// Terms, each with its choice; what has none is left to the backend.
std::vector<Term> termsWith(const ForceTerms& terms, const SystemConfiguration& how = {});

/// What an engine is told of its terms, the pair law first.
struct EngineTerms {
    ForceTerms terms = termsOf({});
    SystemConfiguration how{};  ///< of each
    std::shared_ptr<const std::vector<std::uint32_t>> ids = std::make_shared<const std::vector<std::uint32_t>>();
};

/// The pair law, and what computes it. It is judged against the bodies that it is for, never against others.
struct ForceConfiguration {
    ForceSettings force{};
    KernelChoice kernel{};
    bool operator==(const ForceConfiguration&) const = default;
};

/// A copy of a state that is still to be fetched: gives the bodies, in body order, once. On any thread, also after the
/// backend has gone on; waits there, and throws there what the copy failed with.
using SnapshotFuture = std::function<ParticleSet()>;

class Backend {
public:
    virtual ~Backend() = default;

    virtual std::string_view name() const = 0;    ///< the table's name
    virtual std::string description() const = 0;  ///< e.g. "NVIDIA H200, 132 SMs" or "AVX3, 2 threads"
    virtual std::size_t size() const = 0;         ///< bodies loaded
    virtual MemorySpace vertexSpace() const = 0;  ///< what its publish writes natively

    /// Replaces all bodies, what acts on them and how it is computed, together and all or nothing; at a step boundary
    /// afterwards. Throws UsageError, as configure() does, when the configuration does not suit *these* bodies, and for
    /// terms that it has no method for. Allocates before it frees: on any failure (a DeviceError says how much was needed
    /// and free) the old bodies are still there and run on.
    virtual void load(const ParticleSet& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) = 0;
    void load(const System& system) { loadTerms(system.bodies, system.terms); }
    void loadTerms(const ParticleSet& bodies, std::span<const Term> terms);
    /// The pair law, and what acts beside it.
    void load(const ParticleSet& bodies, const ForceConfiguration& configuration, const ForceTerms& others = {}) {
        load(bodies, termsOf(configuration.force, others), {{.kernel = configuration.kernel}});
    }
    /// The same terms under the present configuration, as far as these bodies allow.
    void load(const ParticleSet& bodies);
    /// Copies the state of the last complete step out, in body order. Waits.
    virtual void snapshot(ParticleSet& out) = 0;
    /// The same without waiting, where the backend can; steps go on meanwhile and do not change what comes.
    virtual SnapshotFuture snapshotAsync();

    /// Checks settings and kernel of the pair law against row and device *before* anything is launched and takes them from
    /// the next force on. Throws UsageError with the limit and the nearest valid choice; the old settings then stay. A step
    /// under way is finished under the old settings or restarted from its force: never mixed.
    virtual void configure(const ForceSettings& force, const KernelChoice& kernel) = 0;
    /// What load() or configure() took last: all terms, in the order in which they are evaluated and added.
    virtual const ForceTerms& terms() const = 0;
    virtual const SystemConfiguration& systemConfiguration() const = 0;
    /// The pair law's part of it.
    ForceConfiguration configuration() const;
    /// All of terms(), each with its choice.
    std::vector<Term> termsInUse() const { return termsWith(terms(), systemConfiguration()); }
    virtual const KernelRow& activeKernel() const = 0;
    virtual LaunchConfig activeLaunch() const = 0;

    /// Runs as much of `program` as fits the budget and resumes where it stopped. Publishes only complete steps: at the
    /// end of the last step that fits. `sink` may be null. Does not wait for a device. Slicing leaves results bit-identical.
    /// A step under way ends with the program and time step it began with; the new ones hold from the next step on.
    /// Zero steps: only reports. Zero seconds: one slice of work.
    virtual AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) = 0;
    /// Stores the last complete step into the sink again (pause, colour change, edit).
    virtual void publish(VertexSink& sink) = 0;
    virtual void setVertexValue(VertexValue value) = 0;
    /// Runs the step under way to its end. Waits. The step is counted by the next advance().
    virtual void finishStep() = 0;
    /// What the integrator needs, beside the last complete step, to go on as if never stopped; empty for integrators that
    /// need nothing. Call at a step boundary.
    virtual std::vector<StateArray> integratorState() { return {}; }
    /// Takes up what integratorState() gave, for the bodies just loaded; what does not fit them is left out.
    virtual void restoreIntegratorState(const std::vector<StateArray>&) {}
    /// True where a force depends on evaluations before it: forceState() then belongs to a state.
    virtual bool keepsForceState() const { return false; }
    /// True where forceState() is that of the last complete step only after finishStep(): methods have evaluated a force of
    /// the step under way since.
    virtual bool forceStateNeedsStepEnd() const { return keepsForceState(); }
    /// What force methods need, beside the last complete step, to go on as if never stopped; empty for methods that start
    /// afresh each time. Unless forceStateNeedsStepEnd(). Waits.
    virtual std::vector<StateArray> forceState() { return {}; }
    /// Takes up what forceState() gave, for the bodies just loaded. What another term, setting or kernel kept is left out.
    virtual void restoreForceState(const std::vector<StateArray>&) {}
    /// Takes up what integratorState() and forceState() gave, for the bodies just loaded: what force methods kept holds
    /// under any integrator, its own state only under the one that made it.
    void restoreStates(const std::vector<StateArray>& states, bool sameIntegrator);
    /// Waits until all enqueued work is done and throws what it failed with.
    virtual void wait() = 0;

    /// Accelerations of all bodies at the last complete step [L/T^2], by the active kernel, under the settings that hold for
    /// that state: those of the step under way, where there is one. That step goes on as if nothing had been asked. Waits.
    /// For tests, `check`, diagnostics.
    virtual void accelerations(std::vector<Double4>& out) = 0;

    /// Asks that the next complete force evaluation be compared with fp64 on these bodies (on a device by its own plain
    /// fp64 kernel). The result arrives in takeForceCheck() when done; neither call waits. Replaces an earlier request and
    /// drops a result that was not taken; load() does the same.
    virtual void requestForceCheck(std::vector<std::uint32_t> targets) = 0;
    virtual std::optional<ForceCheck> takeForceCheck() = 0;

    /// Up to how many bodies the backend measures a complete step beside the steps that follow it; 0: it cannot.
    virtual std::size_t mostMeasured() const { return 0; }
    /// Begins to measure the last complete step, on a copy that the device makes; steps go on meanwhile. Drops a measurement
    /// that was under way; so do load() and a change of precision. Never waits.
    virtual void requestMeasurement() {}
    virtual bool measuring() const { return false; }
    /// Goes on with it for about `seconds` of the device; the result when it is there. A failure is a sentence in the
    /// result, and the run goes on. Never waits.
    virtual std::optional<Diagnostics> takeMeasurement([[maybe_unused]] double seconds) { return std::nullopt; }

    /// What computes the matrix of all pair forces on the device; null where there is none. Lives as long as the backend.
    virtual PairMatrixSource* pairMatrix() { return nullptr; }

    virtual WorkTotals totals() = 0;
    /// Instructions a second that the device can issue at its highest clock, all lanes counted (SMs x lanes x clock); 0
    /// where that is not known. A rate above this over KernelRow::issuedPerDirectedPair is a measuring error.
    virtual double issueSlotsPerSecond() const { return 0; }
    /// What the device does at most of multiply-adds, inverse roots and reads. May measure, which takes some 0.2 s, and
    /// waits.
    virtual DevicePeaks peaks() { return {}; }
    /// What the active kernel tells of its evaluations, see ForceMethod::figures().
    virtual std::vector<MethodFigure> figures() { return {}; }
    /// What is known of the device and of the active launch on the bodies loaded. Does not wait for enqueued work.
    virtual LaunchFacts launchFacts() const { return {.device = description()}; }
};

/// A row of the backend table.
struct BackendRow {
    std::string_view name;
    std::string_view idea;
    Reason (*unavailable)(const BackendOptions&);  ///< empty when it can run here; else cause and fix in one sentence
    std::unique_ptr<Backend> (*make)(const BackendOptions&);
    std::string (*devices)();  ///< what it would run on, for `list devices`
    /// Why it cannot run this program on that many bodies; empty when it can. Null: all but Hermite and adaptive programs.
    Reason (*refuses)(StepProgram program, std::size_t bodies) = nullptr;
    /// What others are compared with: fp64 whatever is asked for, one plain loop, all integrators.
    bool exact = false;
    bool usesCores = false;       ///< takes BackendOptions::threads and simd; runs few bodies in double precision
    bool onDevice = false;        ///< takes BackendOptions::device, and leaves the host's cores free
    std::size_t mostStudied = 0;  ///< bodies up to which benchmarks go by themselves
};

/// Why that backend cannot run the integrator on that many bodies, and what can; empty when it can.
Reason refusal(const BackendRow& row, const Integrator& integrator, std::size_t bodies);

/// Why none of that backend's kernels can compute the force, and what can; empty when one can.
Reason refusal(const BackendRow& row, const ForceSettings& force);

/// Why the integrator cannot run under that law; empty when it can.
Reason refusal(const Integrator& integrator, Law law);

/// Why it cannot run a program under these terms; empty when it can. Hermite steps need the jerk of every term, and terms
/// that depend on velocities need a program that takesVelocities().
Reason refusal(StepProgram program, const ForceTerms& terms);

/// All backends, worst first. Also those that cannot run here.
std::span<const BackendRow> backends();

/// The row of that name. Throws UsageError naming the valid ones and the nearest.
const BackendRow& backend(std::string_view name);
/// The same; null when there is none.
const BackendRow* findBackend(std::string_view name);
/// The one that others are compared with, the best on the host, and the one on a device.
const BackendRow& exactBackend();
const BackendRow& hostBackend();
const BackendRow& deviceBackend();

/// What accelerations of that row are held against: rounding, or the error that was allowed where it approximates.
ForceGate gateOf(const KernelRow& row, const ForceSettings& force, double allowedError = 0, double opening = 0);

/// 1024, 4096 and so on up to `most`, at least three numbers: what benchmarks go through by themselves.
std::vector<std::size_t> studiedBodies(std::size_t most);

/// What a request resolves to, and why not something faster.
struct BackendChoice {
    const BackendRow* row = nullptr;
    std::string why;  ///< one sentence: which path runs and why the faster ones do not
};

/// The backend of that name; without one the best that works here. One that was named and cannot run throws NoDeviceError
/// with the reason and the fix.
BackendChoice chooseBackend(const std::optional<std::string>& name, const BackendOptions& options);

}  // namespace gravlab
