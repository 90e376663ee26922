// One interface for everything that can advance bodies, and the table of the backends in this build.
// Rule: one thread drives one backend.
#pragma once
#include "sim/api/bodies.h"
#include "sim/api/law.h"
#include "sim/backends/force_method.h"
#include "sim/backends/kernel.h"
#include "sim/backends/launch_facts.h"
#include "sim/core/clock.h"
#include "sim/core/made_bodies.h"
#include "sim/core/particles.h"
#include "sim/core/vertex.h"
#include "sim/forces/force_check.h"
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

class ContactWatch;      // sim/contact/contact.h
class PairMatrixSource;  // pair_matrix.h
namespace cuda {
struct TreeLimits;  // cuda/methods/tree_limits.h
}

/// How much one call of advance() may do. Pacing only: it never changes what a step computes.
struct Budget {
    double seconds = 1e300;  ///< stop enqueuing or computing once this is used
    std::int64_t steps = 1;  ///< complete at most this many steps in the call
};

/// Result of one call of advance().
struct AdvanceStatus {
    /// Steps that ended since the last call returned, those of finishStep() included. On a device: enqueued to their end.
    std::int64_t stepsCompleted = 0;
    bool published = false;   ///< the sink was opened and closed with the newest complete step
    double stepProgress = 0;  ///< done fraction of the forces of the step under way, never 0 then; 0 at a step boundary
    double innerStep = 0;     ///< length of the newest step that an adaptive integrator chose; 0 for fixed steps [T]
};

/// Totals of finished work since the backend was made; differences of two readings give rates. Never waits.
struct WorkTotals {
    std::int64_t steps = 0;
    std::int64_t forceEvaluations = 0;
    double interactions = 0;  ///< pairs of the pair law; N*N per force evaluation, self included, where none is left out
    double cells = 0;         ///< cells of a tree, counted for each body that they act on; a device reports them late
    /// Everything computed: pairs, and the cells that replace pairs.
    double evaluated() const { return interactions + cells; }
    double forceSeconds = 0;      ///< of the pair law; device events or pool timers, not wall time
    double termInteractions = 0;  ///< work of the other terms: a bond counts for each body that it pulls
    double termSeconds = 0;
    double integrateSeconds = 0;
    double publishSeconds = 0;
    double bodySizedHostCopies = 0;  ///< body-sized device-to-host copies so far; a frame must add none
};

/// Largest number of threads that an option, a file or a backend accepts.
constexpr int kMostThreads = 4096;

/// How to make a backend. The machine decides the empty fields, and no file fixes them for another machine.
struct BackendOptions {
    int device = 0;                                   ///< CUDA device index; a CPU is 0
    std::vector<int> helpers{};                       ///< further devices, which compute parts of forces; see division.h
    std::optional<int> threads{};                     ///< CPU threads, 1 to kMostThreads; empty: all
    std::optional<std::string> simd{};                ///< CPU instruction set; empty: the best here
    std::shared_ptr<const cuda::TreeLimits> trees{};  ///< set by tests; null: the usual limits
    bool operator==(const BackendOptions&) const = default;
};

/// The kernel, its launch, and the error that it may make.
struct KernelChoice {
    std::optional<std::string> kernel{};  ///< empty: the backend chooses by N, device and the allowed error
    LaunchConfig launch{};
    double allowedError = 0;  ///< relative error that 99 % of the bodies may have; 0: rounding only
    double opening = 0;       ///< opening angle, for tree rows with an opening criterion; 0: the usual angle
    bool operator==(const KernelChoice&) const = default;
};
/// The kernel's name; "auto" where the backend chooses.
std::string nameOf(const KernelChoice& choice);

/// The kernel and launch that a choice resolved to.
struct KernelInUse {
    std::string kernel;
    LaunchConfig launch{};
    operator KernelChoice() const { return {kernel, launch}; }
    bool operator==(const KernelInUse&) const = default;
};

/// The choice limited to `bodies` bodies: at most that many threads can divide the sources of one body.
KernelChoice fitted(KernelChoice choice, std::size_t bodies);

/// How one term is computed.
struct TermConfiguration {
    KernelChoice kernel{};  ///< a method of the backend for that kind of term, by name
    bool operator==(const TermConfiguration&) const = default;
};
/// How a system is computed: a row for each term, in their order. The backend chooses for terms without a row.
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
/// Terms, each with its choice. The backend chooses for terms without one.
std::vector<Term> termsWith(const ForceTerms& terms, const SystemConfiguration& how = {});

/// The terms that an engine computes, the pair law first.
struct EngineTerms {
    ForceTerms terms = termsOf({});
    SystemConfiguration how{};  ///< a row for each term
    std::shared_ptr<const std::vector<std::uint32_t>> ids = std::make_shared<const std::vector<std::uint32_t>>();
};

/// The pair law and its kernel. It is checked against the bodies that it is loaded with, never against others.
struct ForceConfiguration {
    ForceSettings force{};
    KernelChoice kernel{};
    bool operator==(const ForceConfiguration&) const = default;
};

/// A copy of a state that is still on its way. Call it once, on any thread: it waits and returns the bodies in body order.
/// The backend may run on meanwhile. A failure of the copy is thrown by the call.
using SnapshotFuture = std::function<ParticleSet()>;

class Backend {
public:
    virtual ~Backend() = default;

    virtual std::string_view name() const = 0;    ///< the table's name
    virtual std::string description() const = 0;  ///< e.g. "NVIDIA H200, 132 SMs" or "AVX3, 2 threads"
    virtual std::size_t size() const = 0;         ///< bodies loaded
    /// Directed pairs of one force by a row that leaves out no pair: N*N, or fewer where few bodies have mass.
    virtual double pairsOfForce() const { return static_cast<double>(size()) * static_cast<double>(size()); }
    virtual MemorySpace vertexSpace() const = 0;  ///< memory that its publish writes natively

    /// Replaces bodies, terms and configuration together, all or nothing; the backend is at a step boundary afterwards.
    /// Throws UsageError, as configure() does, when the configuration does not suit *these* bodies, and for terms without
    /// a method. It allocates before it frees: after any failure the old bodies are still there and run on. A DeviceError
    /// says how much memory was needed and free. As many bodies as before, under the same terms and rows, are written into
    /// the arrays that exist.
    virtual void load(const ParticleSet& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) = 0;
    void load(const System& system) { loadTerms(system.bodies, system.terms); }
    void loadTerms(const BodiesToRead& bodies, std::span<const Term> terms);
    /// The same of made bodies. A backend that reads them piece by piece never has all of them on the host.
    virtual void loadMade(const MadeBodies& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) {
        load(bodies.whole(), terms, configuration);
    }
    /// Loads the pair law and the other terms.
    void load(const ParticleSet& bodies, const ForceConfiguration& configuration, const ForceTerms& others = {}) {
        load(bodies, termsOf(configuration.force, others), {{.kernel = configuration.kernel}});
    }
    /// Keeps the terms and, as far as these bodies allow, the present configuration.
    void load(const ParticleSet& bodies);
    /// The same for bodies that events of the last complete step have changed: a measurement under way ends with the state
    /// that it began on.
    virtual void loadChanged(const ParticleSet& bodies) { load(bodies); }
    /// The same with other terms of the same kinds.
    void loadAgain(const ParticleSet& bodies, const ForceTerms& terms);
    /// Changes bodies of the last complete step where they are; nothing else is copied or chosen anew. What methods know of
    /// the other bodies stays, and so does the clock. A step under way begins again; a check is dropped, a measurement ends.
    /// Where none is removed, all keep their masses; without `moved` also their places, and so their forces. False, and
    /// nothing changed: these changes need a load().
    virtual bool change(const BodyChanges&, [[maybe_unused]] bool moved = true) { return false; }
    /// One body of the last complete step. Waits.
    virtual BodyChanges::Body body(std::uint32_t index);
    /// Copies the state of the last complete step to `out`, in body order. Waits.
    virtual void snapshot(ParticleSet& out) = 0;
    /// The first body of the last complete step with a number that is not finite, or with a coordinate beyond `farthest`;
    /// size(): there is none. It copies no bodies. Waits.
    virtual std::size_t firstBad(double farthest) = 0;
    /// The same as a new set.
    ParticleSet bodies() {
        ParticleSet out;
        snapshot(out);
        return out;
    }
    /// The same without waiting, where the backend can. Steps may run meanwhile and do not change the copy.
    virtual SnapshotFuture snapshotAsync();

    /// Checks settings and kernel of the pair law against row and device *before* anything is launched. They hold from the
    /// next force on. Throws UsageError with the limit and the nearest valid choice; the old settings then stay. A step
    /// under way ends under the old settings or restarts from its force: it never mixes them.
    virtual void configure(const ForceSettings& force, const KernelChoice& kernel) = 0;
    /// Terms of the last load() or configure(), in the order in which they are evaluated and added.
    virtual const ForceTerms& terms() const = 0;
    virtual const SystemConfiguration& systemConfiguration() const = 0;
    /// The configuration of the pair law.
    ForceConfiguration configuration() const;
    /// All of terms(), each with its choice.
    std::vector<Term> termsInUse() const { return termsWith(terms(), systemConfiguration()); }
    virtual const KernelRow& activeKernel() const = 0;
    virtual LaunchConfig activeLaunch() const = 0;

    /// Runs as much of `program` as fits the budget and resumes where it stopped. It publishes only complete steps, at the
    /// end of the last step that fits. `sink` may be null. Does not wait for a device. Slicing leaves results bit-identical.
    /// A step under way ends with the program and time step it began with; the new ones hold from the next step on.
    /// With zero steps it only reports. With zero seconds it runs one slice of work.
    virtual AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) = 0;
    /// Stores the last complete step into the sink again (pause, colour change, edit).
    virtual void publish(VertexSink& sink) = 0;
    virtual void setVertexValue(VertexValue value) = 0;
    /// Sets the simulated time of the last complete step, for terms that depend on it; a load begins at 0. Call it after a
    /// load and between steps. Backends count their own steps from there.
    virtual void setClock(const Clock&) {}
    /// Runs the step under way to its end. Waits. The step is counted by the next advance().
    virtual void finishStep() = 0;
    /// State that the integrator needs, beside the last complete step, to continue as if never stopped. It is empty for
    /// integrators that need nothing. Call it at a step boundary.
    virtual std::vector<StateArray> integratorState() { return {}; }
    /// Restores a result of integratorState() for the bodies just loaded. State that does not fit them is ignored.
    virtual void restoreIntegratorState(const std::vector<StateArray>&) {}
    /// True where a force depends on earlier evaluations. A saved state then needs forceState().
    virtual bool keepsForceState() const { return false; }
    /// True where forceState() needs finishStep() first: methods have since evaluated a force of the step under way.
    virtual bool forceStateNeedsStepEnd() const { return keepsForceState(); }
    /// State that force methods need, beside the last complete step, to continue as if never stopped. It is empty for
    /// methods that start afresh each time. Not valid while forceStateNeedsStepEnd(). Waits.
    virtual std::vector<StateArray> forceState() { return {}; }
    /// Restores a result of forceState() for the bodies just loaded. State of another term, setting or kernel is ignored.
    virtual void restoreForceState(const std::vector<StateArray>&) {}
    /// Goes back to the last complete step, that of a load(). Its force stays where it is known; else methods forget all, as
    /// after a load() of these bodies.
    virtual void beginAgain() {}
    /// Restores results of integratorState() and forceState() for the bodies just loaded. The state of force methods holds
    /// under any integrator; integrator state holds only under the integrator that made it.
    void restoreStates(const std::vector<StateArray>& states, bool sameIntegrator);
    /// Waits until all enqueued work is done and throws its failure, if any.
    virtual void wait() = 0;

    /// Accelerations of all bodies at the last complete step [L/T^2], by the active kernel. The settings are those that hold
    /// for that state: those of the step under way, where there is one. The call does not disturb that step. Waits.
    /// For tests, `check` and diagnostics.
    virtual void accelerations(std::vector<Double4>& out) = 0;

    /// Requests a comparison of the next complete force evaluation with fp64 on these bodies. A device compares with its own
    /// plain fp64 kernel. takeForceCheck() returns the result when it is done; neither call waits. A request replaces an
    /// earlier one and drops a result that was not taken. load() drops both.
    virtual void requestForceCheck(std::vector<std::uint32_t> targets) = 0;
    virtual std::optional<ForceCheck> takeForceCheck() = 0;

    /// Most bodies of which the backend can measure a complete step while further steps run; 0: it cannot.
    virtual std::size_t mostMeasured() const { return 0; }
    /// Begins to measure the last complete step, on a copy that the device makes; steps run meanwhile, and contacts may
    /// change bodies. It drops a measurement under way; so do load() and a change of precision. Never waits.
    virtual void requestMeasurement() {}
    virtual bool measuring() const { return false; }
    /// Continues the measurement for about `seconds` of device time and returns the result once it is there. A failure is a
    /// sentence in the result, and the run continues. Never waits.
    virtual std::optional<Diagnostics> takeMeasurement([[maybe_unused]] double seconds) { return std::nullopt; }

    /// Computes the matrix of all pair forces on the device; null where there is none. Lives as long as the backend.
    virtual PairMatrixSource* pairMatrix() { return nullptr; }

    /// Finds contacts on the device; null where there is none. Lives as long as the backend.
    virtual ContactWatch* contactWatch() { return nullptr; }

    virtual WorkTotals totals() = 0;
    /// Instructions per second that all devices of the run can issue at their highest clock, all lanes counted (SMs x lanes
    /// x clock); 0 where that is not known. A rate above this over KernelRow::issuedPerDirectedPair is a measuring error.
    virtual double issueSlotsPerSecond() const { return 0; }
    /// Highest rates of multiply-adds, inverse roots and reads on the device. May measure, which takes some 0.2 s, and
    /// waits.
    virtual DevicePeaks peaks() { return {}; }
    /// Figures of the active kernel's evaluations, see ForceMethod::figures().
    virtual std::vector<MethodFigure> figures() { return {}; }
    /// Facts of the device and of the active launch on the bodies loaded. Does not wait for enqueued work.
    virtual LaunchFacts launchFacts() const { return {.device = description()}; }
};

/// A row of the backend table.
struct BackendRow {
    std::string_view name;
    std::string_view idea;
    Reason (*unavailable)(const BackendOptions&);  ///< empty when it can run here; else one sentence with cause and fix
    std::unique_ptr<Backend> (*make)(const BackendOptions&);
    std::string (*devices)();  ///< devices that it can run on, for `list devices`
    /// Why it cannot run this program on that many bodies; empty when it can. Null: all but Hermite and adaptive programs.
    Reason (*refuses)(StepProgram program, std::size_t bodies) = nullptr;
    /// The backend that others are compared with: always fp64, one plain loop, all integrators.
    bool exact = false;
    bool usesCores = false;       ///< takes BackendOptions::threads and simd; runs few bodies in double precision
    bool onDevice = false;        ///< takes BackendOptions::device, and leaves the host's cores free
    std::size_t mostStudied = 0;  ///< most bodies that a benchmark runs unless the user gives a number
};

/// Why that backend cannot run the integrator on `bodies` bodies, and which one can; empty when it can.
Reason refusal(const BackendRow& row, const Integrator& integrator, std::size_t bodies);

/// Why none of that backend's kernels can compute the force, and which backend can; empty when one can.
Reason refusal(const BackendRow& row, const ForceSettings& force);

/// Why the integrator cannot run under that law; empty when it can.
Reason refusal(const Integrator& integrator, Law law);

/// Why a program cannot run under these terms; empty when it can. Hermite steps need the jerk of every term, and terms
/// that depend on velocities need a program that takesVelocities().
Reason refusal(StepProgram program, const ForceTerms& terms);
/// Why a time step is too long for a term on these bodies, and which one is not; empty when it is short enough.
Reason refusal(StepProgram program, const ForceTerms& terms, const TermBodies& bodies, double timeStep);

/// All backends, slowest first, including those that cannot run here.
std::span<const BackendRow> backends();

/// The row of that name. Throws UsageError naming the valid ones and the nearest.
const BackendRow& backend(std::string_view name);
/// The same; null when there is none.
const BackendRow* findBackend(std::string_view name);
/// The backend that others are compared with, the fastest one on the host, and the one on a device.
const BackendRow& exactBackend();
const BackendRow& hostBackend();
const BackendRow& deviceBackend();

/// Limits for the accelerations of that row: rounding, or the allowed error where the row approximates.
ForceGate gateOf(const KernelRow& row, const ForceSettings& force, double allowedError = 0, double opening = 0);

/// 1024, 4096 and so on up to `most`, at least three numbers: the values of N that benchmarks run by default.
std::vector<std::size_t> studiedBodies(std::size_t most);

/// The backend that a request resolves to, and why it is not a faster one.
struct BackendChoice {
    const BackendRow* row = nullptr;
    std::string why;  ///< one sentence: which backend runs and why the faster ones do not
};

/// The backend of that name; without a name the fastest that works here. Throws NoDeviceError, with the reason and the fix,
/// when the named backend cannot run.
BackendChoice chooseBackend(const std::optional<std::string>& name, const BackendOptions& options);

}  // namespace gravlab
