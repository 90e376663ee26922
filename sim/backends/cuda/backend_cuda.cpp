// The CUDA backend: it checks requests, keeps the state that is not physics, and lets the engine compute.
#include "sim/api/errors.h"
#include "sim/backends/cuda/engine.h"
#include "sim/backends/cuda/jobs/contact_scan.h"
#include "sim/backends/cuda/kernels/neighbours.h"
#include "sim/backends/cuda/methods/device.h"
#include "sim/backends/cuda/methods/divided.h"
#include "sim/backends/cuda/methods/launch_plan.h"
#include "sim/backends/cuda/methods/ranked.h"
#include "sim/backends/cuda/methods/tree_energy.h"
#include "sim/backends/devices.h"
#include "sim/backends/division.h"
#include "sim/backends/kernel_rows.h"
#include "sim/backends/memory_need.h"
#include "sim/backends/ranks/job.h"
#include "sim/core/body_pieces.h"
#include "sim/core/pages.h"
#include "sim/core/text.h"
#include "sim/core/validation.h"
#include "sim/engine/engine_backend.h"
#include "sim/forces/bonds/bonds.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/second_pair_law.h"
#include "sim/tree/properties.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <tuple>
#include <utility>

namespace gravlab {
namespace {

using cuda::BodyFacts;
using cuda::EngineContext;
using cuda::LaunchPlan;

/// The context of a device, made current before anything is created on it.
struct BoundContext : EngineContext {
    explicit BoundContext(const cuda::DeviceFacts& facts) { device = facts; }
};

cuda::DeviceFacts bound(int index) {
    if (const Reason reason = cuda::whyNotDevice(index); !reason.empty())
        throw NoDeviceError("the cuda backend cannot run here: " + reason);
    cuda::DeviceFacts facts;
    CUDA_CHECK(cuda::deviceFacts(index, facts));
    CUDA_CHECK(cuda::setDevice(index));
    // The runtime loads code at its first use, which would delay a frame; here the load delays nothing.
    cuda::KernelFacts ignored;
    for (const void* kernel :
         {cuda::integrateKernel<float>().address, cuda::integrateKernel<double>().address, cuda::checkCode<float>(),
          cuda::checkCode<double>(), cuda::addSlotsKernel<float>(kSymmetricBodies<float>).address, cuda::measureCode()})
        CUDA_CHECK(cuda::kernelFacts(ignored, kernel));
    return facts;
}

using Engine = EngineOfEither<cuda::EngineOf>;

Engine makeEngine(EngineContext& context, const BodiesToRead& bodies, const BodyFacts& facts, const LaunchPlan& plan,
                  const EngineTerms& terms) {
    return {plan.precision, context, bodies, facts, plan, terms};
}

/// Tables of bonds have two entries for each, of partner, class and bond, and a quarter of pads.
double bytesOfBonds(const Bonds& bonds) {
    const std::size_t classes = bonds.list().classes.size();
    const double entry = 4 + (classes > 256 ? 4 : classes > 1 ? 1 : 0) + (bonds.breakable() ? 4 : 0);
    return 2 * 1.25 * entry * static_cast<double>(bonds.list().size());
}

class CudaBackend final : public EngineBackend<Engine, BoundContext>,
                          public PairMatrixSource,
                          public ContactWatch,
                          public BodyPieces {
public:
    explicit CudaBackend(const BackendOptions& options)
        : EngineBackend(bound(options.device)), limits_(options.trees ? *options.trees : cuda::TreeLimits{}) {
        context_.helpers = cuda::helperDevices(options.device, options.helpers);
        if (Job* const job = Job::current(); job && options.helpers.empty()) {
            context_.helpers.ranks = std::make_shared<cuda::RankDevices>();
            MessageWriter order;
            order.add(true);  // of a device
            order.add(options.device);
            order.add(std::span<const char>(context_.device.name));
            job->join(context_.helpers.ranks->exchange, 0, std::move(order));
            cuda::linkRanks(*context_.helpers.ranks, *job, options.device, context_.stream);
        }
        engine_ = makeEngine(context_, ParticleSet(), {}, choice({}, {}), {});
    }

    ~CudaBackend() override {
        cuda::setDevice(context_.device.index);
        cuda::waitForStream(context_.stream);
    }

    std::string_view name() const override { return "cuda"; }
    std::string description() const override {
        return cuda::deviceText(context_.device) + cuda::helpersText(context_.helpers);
    }
    MemorySpace vertexSpace() const override { return MemorySpace::cudaDevice; }
    double pairsOfForce() const override {
        return everyPair(activeKernel()) ? engine_.with([](const auto& e) { return e.pairsOfForce(); })
                                         : Backend::pairsOfForce();
    }

    using Backend::load;
    void load(const ParticleSet& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) override {
        use();
        auto labels = std::make_shared<Labels>(
            Labels{copyTouched(bodies.id), copyTouched(bodies.group), bodies.surface, rotationOf(bodies)});
        take(bodies, cuda::factsOf(bodies), std::move(labels), terms, configuration);
        keepMasses(bodies);
    }
    void loadMade(const MadeBodies& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) override {
        use();
        auto labels = std::make_shared<Labels>(Labels{{}, copyTouched(bodies.groups()), {}});
        const std::ranges::iota_view ids(0u, static_cast<std::uint32_t>(bodies.size()));
        reserveTouched(labels->id, bodies.size());
        labels->id.assign(ids.begin(), ids.end());
        take(bodies, cuda::factsOf(bodies), std::move(labels), terms, configuration);
        keepMasses({});
    }
    std::size_t count() const override { return labels_->surface.empty() ? size() : 0; }
    void readPiece(std::size_t first, ParticleSet& out, unsigned arrays) override {
        with([&](auto& e) { e.copyState(first, out, arrays); });
        if ((arrays & kReadLabels) == 0) return;
        std::copy_n(labels_->id.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.id.begin());
        std::copy_n(labels_->group.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.group.begin());
    }
    void loadChanged(const ParticleSet& bodies) override {
        auto kept = std::exchange(context_.measurements, {});
        Backend::load(bodies);
        context_.measurements = std::move(kept);
    }

    bool change(const BodyChanges& changes, bool moved) override {
        use();
        if (plan().precision == Precision::mixed) return false;  // its units fit all places
        const bool fewer = !changes.removed.empty();
        BodyFacts left = facts();
        LaunchPlan chosen;
        std::vector<double> masses, inertial;
        if (fewer) {
            if (masses_.size() != size()) return false;
            masses = masses_;
            inertial = inertial_;
            for (const BodyChanges::Body& body : changes.changed) {
                masses[body.index] = rounded(body.position.w);
                inertial[body.index] = inertialMass(body.position, body.velocity);
            }
            keepOthers(masses, changes.removed);
            keepOthers(inertial, changes.removed);
            const double largest = left.largest;
            left = cuda::factsOf(masses);
            left.largest = largest;
            chosen = choice({pairLawOf(terms_), configuration_[0].kernel}, left);
            if (!engine_.with([&](auto& e) { return e.takesFewer(chosen, left); })) return false;
        }
        const std::size_t before = size();
        if (!changes_) changes_ = std::make_unique<cuda::DeviceChanges>(context_.stream);
        changes_->take(changes);
        engine_.with([&](auto& e) {
            e.change(*changes_, fewer ? &left : nullptr, chosen, moved);
            if (auto& scan = scanOf(e); scan && scan->count() == before)
                scan->change(*changes_, static_cast<std::uint32_t>(e.size()), e.positions());
        });
        changeLabels(changes);
        rotationKnown_ = false;
        if (!fewer) return true;
        context_.writer.forget();
        masses_ = std::move(masses);
        inertial_ = std::move(inertial);
        heavy_ = heavyBodies(masses_.size(), [&](std::size_t i) { return masses_[i]; });
        return true;
    }

    SnapshotFuture snapshotAsync() override {
        use();
        cuda::VectorsFuture later;
        try {
            later = engine_.with([&](auto& e) { return e.copyStateAsync(); });
        } catch (const OutOfMemoryError&) {
            return Backend::snapshotAsync();  // without memory for a copy, the slower copy of the base class needs none
        }
        return [later, labels = labels_, time = engine_.with([](auto& e) { return e.clock().time(); })] {
            ParticleSet bodies;
            bodies.time = time;
            later(bodies.position, bodies.velocity);
            bodies.id = labels->id;
            bodies.group = labels->group;
            bodies.surface = labels->surface;
            return bodies;
        };
    }

    void configure(const ForceSettings& force, const KernelChoice& kernel) override {
        use();
        const LaunchPlan chosen = choice({force, kernel}, facts());
        ForceTerms terms = termsOf(force, othersOf(terms_));
        SystemConfiguration how = configuration_;
        how[0].kernel = kernel;
        if ((force.precision == Precision::fp32) != (plan().precision == Precision::fp32)) {
            changeState(chosen, engineTerms(terms, how, labels_));
        } else {
            // A slow kernel may be minutes from the end of its step: the step begins again with the new one. Softening
            // waits for the end of the step instead, or moving its slider would keep large systems from moving at all.
            const LaunchPlan& now = plan();
            const bool changed = chosen.entry != now.entry || chosen.launch != now.launch ||
                                 chosen.machineCode != now.machineCode || chosen.precision != now.precision;
            engine_.with([&](auto& e) { return e.configure(force, kernel, changed ? &chosen : nullptr); });
        }
        terms_ = std::move(terms);
        configuration_ = std::move(how);
    }
    const KernelRow& activeKernel() const override { return kernel(name(), plan().entry->row.name); }
    LaunchConfig activeLaunch() const override { return plan().launch; }

    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override {
        return with([&](auto& e) { return e.advance(program, timeStep, budget, sink); });
    }
    void setVertexValue(VertexValue value) override { context_.shown = value; }

    void wait() override {
        use();
        CUDA_CHECK(cuda::waitForStream(context_.stream));
        context_.timer.collect();
    }

    std::optional<ForceCheck> takeForceCheck() override {
        return with([&](auto& e) { return e.takeForceCheck(); });
    }

    // A measurement of more bodies would need minutes for the pairs of one state, in its fraction of the device's time.
    // Where few bodies have mass, the host sums their pairs faster.
    std::size_t mostMeasured() const override {
        if (facts().acting() < size()) return 0;
        constexpr std::size_t kByTree = std::size_t{1} << 30;
        return activeKernel().approximates && treeHasEnergy(pairLawOf(terms_)) ? kByTree : 2097152;
    }
    void requestMeasurement() override {
        if (!rotationKnown_ && labels_->surface.size() == inertial_.size())
            labels_->rotation = rotationOf(labels_->surface, [&](std::size_t i) { return inertial_[i]; });
        rotationKnown_ = true;
        measuredRotation_ = labels_->rotation;
        with([](auto& e) { e.requestMeasurement(); });
    }
    bool measuring() const override {
        return engine_.with([](auto& e) { return e.measurement().running(); });
    }
    std::optional<Diagnostics> takeMeasurement(double seconds) override {
        std::optional<Diagnostics> done = with([&](auto& e) { return e.measurement().take(seconds); });
        if (!done) return done;
        done->kinetic += measuredRotation_.energy;
        done->angularMomentum += measuredRotation_.angularMomentum;
        return done;
    }

    PairMatrixSource* pairMatrix() override { return this; }
    bool enqueue(const PairMatrixRequest& request, FloatSink& sink) override {
        return with([&](auto& e) { return e.enqueueMatrix(request, sink); });
    }
    std::optional<PairMatrixResult> take() override {
        return with([&](auto& e) { return e.takeMatrix(); });
    }

    ContactWatch* contactWatch() override { return this; }
    bool begin() override {
        if (labels_->surface.size() != size()) return false;
        use();
        return engine_.with([&]<class Real>(cuda::EngineOf<Real>& e) {
            auto& scan = scanOf(e);
            try {
                if (!scan) scan = std::make_unique<cuda::ContactScan<Real>>(context_.stream);
                scan->begin(e.positions(), labels_->surface);
            } catch (const OutOfMemoryError&) {
                scan.reset();
                return false;  // the host finds contacts without memory of the device
            }
            return true;
        });
    }
    FoundContacts* find() override {
        found_.id = labels_->id;
        found_.surface = labels_->surface;
        found_.heavy = heavy_;
        return with([&](auto& e) { return scanOf(e)->find(e.positions(), e.velocities(), found_); }) ? &found_ : nullptr;
    }

    WorkTotals totals() override {
        use();
        context_.timer.collect();
        WorkTotals totals = context_.timer.totals();
        totals.bodySizedHostCopies = context_.hostCopies + context_.writer.hostCopies();
        return totals;
    }
    double issueSlotsPerSecond() const override {
        const auto slots = [](const cuda::DeviceFacts& device) {
            return 1e3 * device.clockKHz * device.multiprocessors * cuda::lanesPerMultiprocessor(device);
        };
        double all = slots(context_.device);
        std::vector<int> counted{context_.device.index};  // a test names a device several times
        for (const auto& helper : context_.helpers) {
            if (std::ranges::find(counted, helper->device.index) != counted.end()) continue;
            counted.push_back(helper->device.index);
            all += slots(helper->device);
        }
        return context_.helpers.ranks ? static_cast<double>(context_.helpers.ranks->devices) * all : all;
    }
    DevicePeaks peaks() override { return cuda::peaksOf(context_.device); }
    LaunchFacts launchFacts() const override {
        use();
        LaunchFacts facts = cuda::launchFacts(plan(), size(), context_.device);
        facts.device += cuda::helpersText(context_.helpers);
        facts.failure = engine_.with([](auto& e) { return e.launchFailure(); });
        return facts;
    }

private:
    const LaunchPlan& plan() const {
        return engine_.with([](const auto& e) -> decltype(auto) { return e.plan(); });
    }
    const cuda::BodyFacts& facts() const {
        return engine_.with([](const auto& e) -> decltype(auto) { return e.facts(); });
    }
    void use() const override { CUDA_CHECK(cuda::setDevice(context_.device.index)); }

    /// The plan for these bodies. Throws UsageError when row or device cannot compute them.
    LaunchPlan choice(const ForceConfiguration& wanted, const cuda::BodyFacts& bodies) const {
        requireSoftening(wanted.force.softening);
        requireLawNumbers(wanted.force);
        LaunchPlan plan = cuda::choose(wanted.kernel, bodies, wanted.force, context_.device);
        plan.trees = limits_;
        return plan;
    }

    void take(const BodiesToRead& bodies, const BodyFacts& facts, std::shared_ptr<Labels> labels, const ForceTerms& terms,
              const SystemConfiguration& configuration) {
        const ForceSettings& force = pairLawOf(terms);
        SystemConfiguration how = configuration;
        how.resize(terms.size());
        const LaunchPlan chosen = choice({force, how[0].kernel}, facts);
        ForceTerms loaded = terms;
        const EngineTerms computed = engineTerms(terms, how, labels);
        if (!engine_.with([&](auto& e) { return e.replace(bodies, facts, chosen, computed); })) {
            Engine engine;
            try {
                engine = makeEngine(context_, bodies, facts, chosen, computed);
            } catch (const OutOfMemoryError& error) {
                const MemoryNeed need = sumOf(cudaRows({.bodies = bodies.size(), .force = force, .kernel = how[0].kernel}));
                throw OutOfMemoryError(needText(need, bodies.size()) +
                                       formatted(", %.3g GB are free: ", 1e-9 * freeCudaBytes(context_.device.index)) +
                                       error.what());
            }
            CUDA_CHECK(cuda::waitForStream(context_.stream));
            engine_ = std::move(engine);
        }
        labels_ = std::move(labels);
        terms_ = std::move(loaded);
        configuration_ = std::move(how);
        context_.writer.forget();
        context_.measurements = {};
    }

    /// Replaces the engine by one in another precision, which begins at the last complete step of the old engine.
    void changeState(const LaunchPlan& chosen, const EngineTerms& terms) {
        ParticleSet bodies;
        engine_.with([&](auto& e) { return e.copyState(bodies.position, bodies.velocity); });
        const Clock clock = engine_.with([](auto& e) { return e.clock(); });
        Engine engine = makeEngine(context_, bodies, cuda::factsOf(bodies), chosen, terms);
        CUDA_CHECK(cuda::waitForStream(context_.stream));
        engine_ = std::move(engine);
        setClock(clock);
        context_.writer.forget();
        context_.measurements = {};
    }

    template <class Real>
    std::unique_ptr<cuda::ContactScan<Real>>& scanOf(const cuda::EngineOf<Real>&) {
        return std::get<std::unique_ptr<cuda::ContactScan<Real>>>(contacts_);
    }
    double rounded(double mass) const {
        return plan().precision == Precision::fp32 ? static_cast<double>(static_cast<float>(mass)) : mass;
    }
    /// Keeps the masses of bodies with radii, as the device has them.
    void keepMasses(const ParticleSet& bodies) {
        masses_.resize(bodies.surface.empty() ? 0 : bodies.size());
        inertial_.resize(masses_.size());
        for (std::size_t i = 0; i < masses_.size(); ++i) {
            masses_[i] = rounded(bodies.position[i].w);
            inertial_[i] = inertialMass(bodies.position[i], bodies.velocity[i]);
        }
        heavy_ = heavyBodies(masses_.size(), [&](std::size_t i) { return masses_[i]; });
        rotationKnown_ = true;
    }

    cuda::TreeLimits limits_;
    /// Created by the first begin() in each precision.
    std::tuple<std::unique_ptr<cuda::ContactScan<float>>, std::unique_ptr<cuda::ContactScan<double>>> contacts_;
    std::unique_ptr<cuda::DeviceChanges> changes_;  ///< created by the first change()
    FoundContacts found_;
    std::vector<double> masses_, inertial_;  ///< of bodies with radii: sources, and inertial masses
    std::vector<std::uint32_t> heavy_;       ///< see heavyBodies()
    bool rotationKnown_ = true;              ///< the labels have the rotation of the present bodies
    Rotation measuredRotation_;              ///< of the bodies whose measurement was requested last
};

}  // namespace

bool mayKeepOneState(const RunSize& run) {
    const bool tree = run.kernel.kernel
                          ? hasKernel("cuda", *run.kernel.kernel) && gravlab::kernel("cuda", *run.kernel.kernel).approximates
                          : run.kernel.allowedError > 0;
    return tree && run.force.precision == Precision::fp32 && loopLaw(run.force) == Law::gravity &&
           !needsScratch(run.program) && !inBlocks(run.program) && run.others.empty();
}

MemoryRows cudaRows(const RunSize& run) {
    const KernelChoice& kernel = run.kernel;
    const ForceSettings& force = run.force;
    const auto isCells = [](const KernelChoice& choice, const ForceSettings& law) {
        return choice.kernel.value_or("cells") == "cells" && refusal(cuda::kernelEntry("cells").row, law).empty();
    };
    const bool named = kernel.kernel && hasKernel("cuda", *kernel.kernel);
    const bool tree = named ? gravlab::kernel("cuda", *kernel.kernel).approximates
                            : kernel.allowedError > 0 && force.precision != Precision::fp64;
    const bool lists = cuda::takesLists(kernel, run.bodies, force);
    const std::size_t acting = MassiveBodies{nullptr, run.sources}.among(run.bodies);
    // Without a name, a row of slots is the fastest for many bodies that all act.
    const bool slots = named ? cuda::usesSlots(cuda::kernelEntry(*kernel.kernel))
                             : !tree && !lists && acting == run.bodies && loopLaw(force) == Law::gravity;
    const bool cells = !tree && !lists && isCells(kernel, force);
    const KernelRow& row = gravlab::kernel("cuda", named            ? std::string_view(*kernel.kernel)
                                                   : tree           ? "tree"
                                                   : slots          ? "symmetric"
                                                   : lists || cells ? "cells"
                                                                    : "tiled");
    const double real = force.precision == Precision::fp32 ? sizeof(Float4) : sizeof(Double4);
    // Sums of a force are single in mixed precision.
    const double vector = force.precision == Precision::fp64 ? sizeof(Double4) : sizeof(Float4);
    MemoryRows rows;
    const auto add = [&](std::string_view array, double perBody, std::string_view when = {}, bool counted = true) {
        rows.push_back({array, perBody * static_cast<double>(run.bodies), true, when, counted});
    };
    if (run.oneState)
        add("one state: positions, velocities and accelerations", 3 * real);
    else
        add("two states: positions, velocities and accelerations", 6 * real);
    if (needsScratch(run.program)) add("registers of the integrator", 4 * real);
    if (force.precision == Precision::mixed) add("positions and sums in single precision", 2 * sizeof(Float4));
    if (inBlocks(run.program))
        add("levels, and groups or lists of active bodies",
            1 + (tree ? sizeof(TreeGroup) * static_cast<double>(cuda::treeGroupRoom(run.bodies, acting)) /
                            static_cast<double>(std::max<std::size_t>(1, run.bodies))
                      : sizeof(std::uint32_t) + 2 * vector));
    const std::size_t ofMethod = rows.size();
    if (tree)
        for (const MemoryRow& part : cuda::treeRows(run.bodies, acting, force, run.oneState && run.helpers == 0))
            rows.push_back(part);
    if (lists) add("lists of neighbours", cuda::listBytes(1, force));
    // Two keys, two indices, a body in order, and the memory of the sort.
    constexpr double kSorted = 2 * 8 + 2 * 4 + 12.5;
    if (cells) add("cells of bodies", kSorted + vector);
    if (slots)
        add("slots for sums of pairs", cuda::slotBytes(run.bodies, kernel.launch, force.precision) /
                                           static_cast<double>(std::max<std::size_t>(1, run.bodies)));
    if (named) {
        const cuda::KernelEntry& entry = cuda::kernelEntry(*kernel.kernel);
        if (const auto* code = entry.oneSided(); code && code->copier)
            add("copies of bodies in the layout of the row", code->copied * vector / 4);
        // More bodies are cut into groups, which use the same sums.
        constexpr std::size_t kMostOfGroup = std::size_t{1} << 18;
        if (const auto* code = entry.oneSided(); code && run.bodies > code->longestSlice)
            rows.push_back({"sums between slices", 24.0 * static_cast<double>(std::min(run.bodies, kMostOfGroup)), true});
        if (entry.manySteps()) add("second positions, and velocities of zero", 2 * sizeof(Float4));
    }
    if (run.helpers > 0 && whyUndivided(row, run.program, run.bodies, true).empty()) {
        double method = 0;  // each helper has one of its own
        for (std::size_t k = ofMethod; k < rows.size(); ++k) method += rows[k].bytes;
        const bool byTree = row.cut == Split::keyRanges, byPairs = row.cut == Split::tilePairs;
        const double n = static_cast<double>(run.bodies), bytes = vector * n, lengths = sizeof(float) * n;
        // Where devices reach each other, sums of a tree go to their place.
        double own = bytes, lands = byPairs  ? cuda::landedBytes(run.bodies, kernel.launch, force.precision, run.helpers)
                                    : byTree ? static_cast<double>(run.helpers) * (bytes + lengths)
                                             : 0;
        if (run.ranks)
            own = lands =
                bytes + lengths +
                std::max({byPairs ? lands : 0, std::max(1, kernel.launch.split) * bytes, byTree ? bytes + 2 * lengths : 0});
        rows.push_back(
            {run.ranks ? "positions for ranks, and their results" : "sums that arrive from helpers", lands, true});
        rows.push_back(
            {"positions, sums and method of a helper", method + own + (byPairs ? 0 : bytes), true, {}, true, true});
    }
    if (!run.others.empty()) add("sums of the terms beside the pair law", real);
    for (const Term& term : run.others) {
        if (const auto* bonds = dynamic_cast<const Bonds*>(term.what.get()))
            rows.push_back({"tables of bonds", bytesOfBonds(*bonds), true});
        if (const auto* second = dynamic_cast<const SecondPairLaw*>(term.what.get()))
            add("bodies and cells of the second pair law", real + (isCells(term.how, second->law()) ? kSorted + real : 0));
    }
    add("copy of a state", 2 * real, "a save", false);
    // A distance, an energy and a neighbour of each body.
    add("copy of a state, and its energies", 2 * real + 2 * 8 + 4, "a measurement", false);
    if (tree && force.precision == Precision::fp32) {
        rows.back().array = "copy of a state, its energies, and a tree of them";
        rows.back().bytes += sumOf(cuda::treeRows(run.bodies, run.bodies, force, false)).device;
    }
    return rows;
}

DeviceSize cudaDeviceSize(int device) {
    if (!cuda::whyNotDevice(device).empty()) return {};
    cuda::DeviceFacts facts;
    if (cuda::deviceFacts(device, facts) != cuda::kSuccess) return {};
    return {.multiprocessors = facts.multiprocessors, .bandwidth = cuda::peaksOf(facts).bandwidth};
}

double freeCudaBytes(int device) {
    std::size_t free = 0, total = 0;
    if (cuda::setDevice(device) == cuda::kSuccess && cuda::memoryInfo(free, total) == cuda::kSuccess)
        return static_cast<double>(free);
    cuda::takeLastError();
    return std::numeric_limits<double>::infinity();
}

std::unique_ptr<Helper> deviceHelper(std::size_t part, int place, MessageReader order, Transfers& beside) {
    const int first = order.get<int>();
    const auto name = order.rest();
    int devices = 0;
    cuda::deviceCount(devices);
    return cuda::deviceHelper(part, (first + place) % std::max(1, devices),
                              {reinterpret_cast<const char*>(name.data()), name.size()}, beside);
}

bool cuda::addTermMethods() { return addBondMethods() && addSecondPairMethods() && addOuterMethods(); }

BackendRow cudaBackendRow() {
    return {.name = "cuda",
            .idea = "NVIDIA GPU: tiles in shared memory, vertices stored straight into the picture",
            .unavailable =
                [](const BackendOptions& options) {
                    for (const int helper : options.helpers)
                        if (Reason reason = cuda::whyNotDevice(helper); !reason.empty()) return reason;
                    return cuda::whyNotDevice(options.device);
                },
            .make = [](const BackendOptions& options) -> std::unique_ptr<Backend> {
                return std::make_unique<CudaBackend>(options);
            },
            .devices = cuda::deviceList,
            .onDevice = true,
            .mostStudied = 1048576};
}

}  // namespace gravlab
