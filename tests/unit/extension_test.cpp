// Force terms and methods from outside the program, on the host, and the texts about them in files and tables.
#include "tests/extension_suite.h"
#include "tests/extensions/friction.h"

#include "app/bench/term_bench.h"
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/io/run_settings.h"
#include "sim/measure/pair_sum.h"
#include "tests/unit/cli_support.h"

#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

INSTANTIATE_TEST_SUITE_P(Host, ExtensionSuite, testing::Values("reference", "cpu"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(ForceTerms, theFirstIsThePairLaw) {
    const ForceSettings settings{.softening = 0.25};
    EXPECT_EQ(pairLawOf(termsOf(settings)), settings);
    EXPECT_THROW(pairLawOf({}), UsageError);
    const ForceTerms springs{std::make_shared<const Springs>(std::vector<Spring>{})};
    EXPECT_THROW(pairLawOf(springs), UsageError);
    EXPECT_THROW(pairLawOf(termsOf(settings, termsOf(settings))), UsageError);
    EXPECT_TRUE(sameTerms(termsOf(settings), termsOf({.softening = 0.25})));
    EXPECT_FALSE(sameTerms(termsOf(settings), termsOf({.softening = 0.5})));
    EXPECT_FALSE(sameTerms(termsOf(settings), termsOf(settings, springs)));
}

TEST(ForceTerms, asManyAsARunTakesAreKeptInAFile) {
    Simulation chain({.scene = "test-chain", .bodies = 30, .backend = "cpu"});
    const auto startOf = [&](std::size_t terms) {
        RunState state = chain.state();
        state.others.assign(terms, state.others.front());
        return startFrom(checkpointOf(chain.configuration(), state), "chain.hdf5").request;
    };
    Simulation simulation(startOf(kMostTerms));
    EXPECT_EQ(simulation.terms().size(), kMostTerms + 1);
    simulation.advance({.steps = 1}, nullptr);
    const ScratchFolder folder;
    const std::string file = (folder / "terms.hdf5").string();
    writeSnapshot(file, checkpointOf(simulation));
    EXPECT_EQ(Simulation(startFrom(readSnapshot(file), file).request).terms().size(), kMostTerms + 1);
    EXPECT_THROW(Simulation(startOf(kMostTerms + 1)), UsageError) << "before anything is computed";
}

TEST(ForceTerms, aSumIsHeldAgainstTheLooserGate) {
    const ForceGate fine = gateOfAccuracy(1e-4), coarse = gateOfAccuracy(1e-3);
    for (const ForceGate& gate : {looser(fine, coarse), looser(coarse, fine), looser(kGate32, coarse)}) {
        EXPECT_EQ(gate.median, 1e-3);
        EXPECT_EQ(gate.p99, 1e-3);
        EXPECT_EQ(gate.p999, 5e-3);
    }
    // A term that keeps more than single precision is summed with one that does not.
    for (const ForceGate& gate : {looser(kGate32, gateOfAccuracy(1e-7)), looser(gateOfAccuracy(1e-7), kGate32)})
        EXPECT_EQ(gate.p99, kGate32.p999);
    EXPECT_FALSE(std::isfinite(looser(kGate32, kGate64).p99));
    const SceneRequest request{.bodies = 300};
    const ParticleSet bodies = chainBodies(request);
    const ForceTerms terms = termsOf({.softening = 0.1}, chainSprings(request, bodies));
    const std::vector<std::uint32_t> targets = randomTargets(300);
    std::vector<TermShare> shares;
    std::vector<Double4> whole(targets.size());
    // Each term is within its own accuracy, and the sum within the looser one only.
    for (std::size_t k = 0; k < terms.size(); ++k) {
        const double error = k == 0 ? 0.9e-4 : 0.9e-3;
        shares.push_back({terms[k], std::vector<Double4>(targets.size()), k == 0 ? fine : coarse});
        terms[k]->addAccelerations(termBodies(bodies), targets, shares.back().got, {});
        for (std::size_t i = 0; i < targets.size(); ++i) {
            Double4& a = shares.back().got[i];
            a = {a.x * (1 + error), a.y * (1 + error), a.z * (1 + error), a.w};
            whole[i] = {whole[i].x + a.x, whole[i].y + a.y, whole[i].z + a.z, 0};
        }
    }
    TermTruth truth(shares.size(), targets.size());
    addTruth(truth, shares, termBodies(bodies), targets, 0, targets.size());
    const ForceCheck check = compareTerms(shares, whole, truth);
    EXPECT_TRUE(check.passed) << check.text();
}

TEST(ForceTerms, theSumIsCheckedBesideItsParts) {
    const SceneRequest request{.bodies = 30};
    const ParticleSet bodies = chainBodies(request);
    const ForceTerms terms = termsOf({.softening = 0.1}, chainSprings(request, bodies));
    const std::vector<std::uint32_t> targets{0, 7, 29};
    std::vector<TermShare> shares;
    std::vector<Double4> whole(targets.size());
    for (const auto& term : terms) {
        shares.push_back({term, std::vector<Double4>(targets.size()), kGate32});
        term->addAccelerations(termBodies(bodies), targets, shares.back().got, {});
        term->addAccelerations(termBodies(bodies), targets, whole, {});
    }
    TermTruth truth(shares.size(), targets.size());
    addTruth(truth, shares, termBodies(bodies), targets, 0, targets.size());
    EXPECT_TRUE(compareTerms(shares, whole, truth).passed);
    EXPECT_EQ(compareTerms(shares, whole, truth).term, "");
    const ForceCheck left = compareTerms(shares, shares[0].got, truth);
    EXPECT_FALSE(left.passed) << "a term was left out of the sum";
    EXPECT_EQ(left.term, "the sum of all terms");
}

TEST(ForceTerms, whatAMethodKeptHoldsOnlyUnderItsSettings) {
    RunRequest settings{.scene = "test-chain", .bodies = 300, .backend = "cpu", .precision = Precision::fp64};
    settings.pairs().kernel.kernel = "trailing";
    Simulation simulation(settings);
    const auto run = [&](std::int64_t steps) {
        const std::int64_t end = simulation.step() + steps;
        while (simulation.step() < end) simulation.advance({.steps = end - simulation.step()}, nullptr);
        return simulation.bodies();
    };
    run(4);
    const RunState kept = simulation.state();
    RunState bare = kept;
    bare.integratorState.clear();
    settings = requestOf(simulation.configuration());
    settings.softening = 0.2;
    simulation.apply(settings);
    simulation.restore(kept);
    const ParticleSet got = run(2);
    simulation.restore(bare);
    EXPECT_TRUE(sameBytes(got.position, run(2).position)) << "accelerations of another softening were taken up";
}

TEST(ForceTerms, aFileWithAnUnknownTermIsRefused) {
    const ForceTerms springs{std::make_shared<const Springs>(std::vector<Spring>{{1, 2, 0.5, 3}})};
    std::vector<StateArray> arrays = arraysOf(springs);
    arrays.push_back({"other", {1}});
    std::vector<StateArray> all = arrays;
    EXPECT_TRUE(sameTerms(takeTerms(all, "a.hdf5"), springs));
    EXPECT_EQ(all, (std::vector<StateArray>{{"other", {1}}})) << "what is no term stays";
    const auto refusalOf = [](std::vector<StateArray> changed) -> std::string {
        try {
            takeTerms(changed, "a.hdf5");
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    std::vector<StateArray> unknown = arrays;
    for (StateArray& array : unknown)
        if (const std::size_t at = array.name.find("springs"); at != std::string::npos) array.name.replace(at, 7, "magnets");
    EXPECT_THAT(refusalOf(unknown), HasSubstr("'magnets' acts in this run, which this program does not know"));
    for (std::size_t lost = 0; lost + 1 < arrays.size(); ++lost) {
        std::vector<StateArray> changed = arrays;
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(lost));
        EXPECT_THAT(refusalOf(changed), HasSubstr("not whole")) << "without " << arrays[lost].name;
    }
}

TEST(ForceTerms, whatIsBroughtIsInNoListAndTakenByItsName) {
    for (const KernelRow& row : kernels()) EXPECT_NE(row.name, "trailing");
    for (const Scene& scene : sceneTable()) EXPECT_NE(scene.name, "test-chain");
    EXPECT_TRUE(hasKernel("cpu", "trailing"));
    EXPECT_EQ(kernel("cpu", "trailing").name, "trailing");
    EXPECT_FALSE(hasKernel("cuda", "trailing"));
    EXPECT_THROW(addKernel({.backend = "cpu", .name = "trailing", .idea = ""}), std::logic_error);
    EXPECT_THROW(addTermKind({Springs::kKind, Springs::make}), std::logic_error);
    EXPECT_THROW(addScene({.name = "test-chain"}), std::logic_error);
}

class Magnets final : public ForceTerm {
public:
    std::string_view kind() const override { return "magnets"; }
    std::string description() const override { return "magnets"; }
    std::vector<StateArray> numbers() const override { return {}; }
    double addAccelerations(const TermBodies&, std::span<const std::uint32_t>, std::span<Double4>,
                            std::span<double>) const override {
        return 0;
    }
    double potential(const TermBodies&) const override { return 0; }
    TermOffer offer() const override { return {.usesVelocities = true}; }
};

TEST(ForceTerms, aBackendWithoutAMethodSaysSo) {
    const std::unique_ptr<Backend> made = backend("cpu").make({});
    const ParticleSet bodies = goldenBodies();
    made->load(bodies);
    try {
        made->load(bodies, termsOf({}, {std::make_shared<const Magnets>()}), {});
        FAIL() << "it has no method for magnets";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("the cpu backend cannot compute the force term 'magnets'"));
    }
    EXPECT_EQ(made->terms().size(), 1u) << "the old run goes on";
    EXPECT_EQ(made->size(), bodies.size());
    EXPECT_THAT(refusal(integrator("leapfrog").program, termsOf({}, {std::make_shared<const Magnets>()})),
                HasSubstr("depends on velocities"));
}

/// Pulls every body to the origin by its distance: x returns after 2 pi / rate.
class Trap final : public ForceTerm {
public:
    explicit Trap(double rate) : rate_(rate) {}
    std::string_view kind() const override { return "trap"; }
    std::string description() const override { return "trap"; }
    std::vector<StateArray> numbers() const override { return {{"rate", {rate_}}}; }
    double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double>) const override {
        return add(bodies.positions, targets, out);
    }
    void addJerks(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out) const override {
        add(bodies.velocities, targets, out);
    }
    double potential(const TermBodies& bodies) const override {
        double sum = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i)
            sum += inertialMass(bodies.positions[i], bodies.velocities[i]) * rate_ * rate_ *
                   dot(xyz(bodies.positions[i]), xyz(bodies.positions[i])) / 2;
        return sum;
    }
    TermOffer offer() const override { return {.jerk = true}; }

private:
    double add(std::span<const Double4> from, std::span<const std::uint32_t> targets, std::span<Double4> out) const {
        for (std::size_t k = 0; k < targets.size(); ++k) {
            const Vec3d sum = xyz(out[k]) - rate_ * rate_ * xyz(from[targets[k]]);
            out[k] = {sum.x, sum.y, sum.z, 0};
        }
        return static_cast<double>(targets.size());
    }
    double rate_;
};

/// The distance of a body in a trap from its start after one period of that many steps.
double missAfterATurn(const char* method, int steps) {
    constexpr double kRate = 3, kTurn = 2 * std::numbers::pi / kRate;
    const std::unique_ptr<Backend> made = backend("reference").make({});
    const ParticleSet bodies = bodiesOf({{1, 0.5, 0, 1}}, {{0, 2, -1, 1}});
    made->load(bodies, termsOf({}, {std::make_shared<const Trap>(kRate)}), {});
    for (int done = 0; done < steps;)
        done += static_cast<int>(
            made->advance(integrator(method).program, kTurn / steps, {.steps = steps - done}, nullptr).stepsCompleted);
    ParticleSet end = made->bodies();
    return distance(end.position[0], bodies.position[0]);
}

/// Friction on the CPU, as a backend's method reads velocities.
template <class T>
class CpuFriction final : public cpu::CpuForceMethod<T> {
public:
    explicit CpuFriction(std::size_t bodies) : sums_(bodies) {}
    void prepare(const cpu::CpuBodies<T>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
        underWay_ = true;
    }
    ForceProgress enqueue(double) override {
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t i = 0; i < bodies_.count; ++i)
                sums_.axis[axis][i] = static_cast<T>(-Friction::kRate) * bodies_.velocity[axis][i];
        underWay_ = false;
        return {.complete = true, .work = {.pairs = static_cast<double>(bodies_.count)}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override { return 0; }
    void abandon() override { underWay_ = false; }
    cpu::CpuForceSums<T> sums() const override {
        return {{sums_.axis[0].data(), sums_.axis[1].data(), sums_.axis[2].data()}, 1};
    }
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }

private:
    VectorArrays<T> sums_;
    cpu::CpuBodies<T> bodies_;
    ForceRequest request_;
    bool underWay_ = false;
};
template <class T>
std::unique_ptr<cpu::CpuForceMethod<T>> makeFriction(const ForceTerm&, const cpu::MethodContext& context) {
    return std::make_unique<CpuFriction<T>>(context.bodies);
}
const bool kFriction = cpu::CpuTermMethods::add({.row = {.backend = "cpu", .term = "friction", .name = "plain", .idea = ""},
                                                 .fp32 = makeFriction<float>,
                                                 .fp64 = makeFriction<double>});

TEST(ForceTerms, integratorsThatTakeVelocitiesKeepTheirOrderAndOthersRefuse) {
    const ForceTerms terms = termsOf({}, {std::make_shared<const Friction>()});
    int taken = 0;
    for (const Integrator& row : integrators()) {
        const Reason reason = refusal(row.program, terms);
        if (!takesVelocities(row.program)) {
            EXPECT_THAT(reason, HasSubstr("'friction' depends on velocities")) << row.name;
            EXPECT_THAT(reason, HasSubstr("rk4")) << row.name;
            continue;
        }
        if (needsJerk(row.program)) continue;
        if (isAdaptive(row.program)) {
            EXPECT_EQ(reason, "") << row.name;
            EXPECT_LT(missOfFriction("reference", "radau15", 16), 1e-14) << "velocities of its own nodes";
            continue;
        }
        ++taken;
        EXPECT_EQ(reason, "") << row.name;
        for (const char* name : {"reference", "cpu"}) {
            const std::string method(row.name);
            const double ratio = missOfFriction(name, method.c_str(), 16) / missOfFriction(name, method.c_str(), 32);
            EXPECT_NEAR(std::log2(ratio), row.order, 0.1) << name << ' ' << method;
        }
    }
    EXPECT_EQ(taken, 3) << "rk4, symplectic-euler and euler";
}

TEST(ForceTerms, aKernelOfATermIsListedChosenKeptAndRefused) {
    std::vector<std::string> names;
    for (const KernelRow* row : listedKernels("cpu", Springs::kKind)) names.emplace_back(row->name);
    EXPECT_EQ(names, (std::vector<std::string>{"wrong", "blocks", "list"}));
    ASSERT_EQ(listedKernels("reference", Springs::kKind).size(), 1u);
    RunRequest wanted{
        .scene = "test-chain", .bodies = 50, .backend = "cpu", .terms = parsedTermRequests("springs=blocks:block=16")};
    Simulation simulation(wanted);
    const auto inUse = [&] { return simulation.configuration().terms.at(1); };
    EXPECT_EQ(inUse().kernel.kernel, "blocks");
    EXPECT_EQ(inUse().kernel.launch.block, 16);
    EXPECT_EQ(inUse().term, "springs");
    // The force term remains after a restart, an edit and a return to an earlier state.
    const RunState early = simulation.state();
    simulation.reset();
    EXPECT_EQ(inUse().kernel.launch.block, 16);
    simulation.load(early.bodies);
    simulation.restore(early);
    EXPECT_EQ(inUse().kernel.kernel, "blocks");
    // A change continues with the present bodies.
    const std::uint64_t id = simulation.bodiesId();
    simulation.advance({.steps = 3}, nullptr);
    const std::int64_t step = simulation.step();
    wanted.terms.clear();
    simulation.apply(wanted);
    EXPECT_EQ(inUse().kernel.kernel, "list") << "the best stands last";
    EXPECT_EQ(simulation.step(), step);
    EXPECT_EQ(simulation.bodiesId(), id);
    const auto refused = [&](const char* terms) -> std::string {
        RunRequest other = wanted;
        other.terms = parsedTermRequests(terms);
        try {
            simulation.apply(other);
        } catch (const UsageError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_THAT(refused("springs=none"), HasSubstr("it has wrong, blocks, list"));
    EXPECT_THAT(refused("springs=blocks:block=17"), HasSubstr("nearest: 16"));
    EXPECT_THAT(refused("magnets=list"), HasSubstr("beside the pair law act: springs"));
    EXPECT_EQ(inUse().kernel.kernel, "list") << "what was refused changes nothing";
    // Another backend has its own method.
    RunRequest other = requestOf(simulation.configuration());
    other.changeBackend("reference");
    simulation.apply(other);
    EXPECT_EQ(inUse().kernel.kernel, "plain");
}

TEST(ForceTerms, textsOfTermKernelsAreReadBack) {
    for (const char* text : {"springs=list", "magnets=auto:block=64,springs=list:unroll=0:split=2:accuracy=0.001"})
        EXPECT_EQ(termRequestsText(parsedTermRequests(text)), text);
    EXPECT_TRUE(parsedTermRequests("auto").empty());
    for (const char* text :
         {"springs", "springs=", "=list", "springs=list:block", "springs=list:block=x", "springs=list:b=1", "springs=list,",
          "springs=list:accuracy=7", "pair-law=none", "pair-law=own.cu"})
        EXPECT_THROW(parsedTermRequests(text), UsageError) << text;
}

TEST(ForceTerms, thePairLawIsRequestedLikeAnyOfThem) {
    const auto taken = [](std::initializer_list<std::pair<const char*, const char*>> lines) {
        RunRequest request{.scene = "test-chain", .bodies = 50, .backend = "cpu", .precision = Precision::fp32};
        for (const auto& [key, value] : lines) EXPECT_TRUE(settingRow(key).take(request, value)) << key << ' ' << value;
        return request;
    };
    const RunRequest shortForms = taken({{"kernel", "\"tree\""}, {"block", "32"}, {"accuracy", "0.001"}}),
                     oneList = taken({{"term_kernels", "\"springs=list,pair-law=tree:block=32:accuracy=0.001\""}});
    EXPECT_EQ(oneList.pairs(), shortForms.pairs());
    EXPECT_EQ(oneList.terms.size(), 2u);
    EXPECT_EQ(settingRow("term_kernels").text(oneList), "\"springs=list\"") << "files have keys for the pair law";
    EXPECT_EQ(settingRow("term_kernels").text(shortForms), "\"auto\"");
    std::vector<std::string> notes;
    EXPECT_EQ(parsedSettings(settingsText(oneList), "a file", notes), oneList);
    // What says nothing of the pair law leaves its request as it was; other scenes keep its kernel, other backends its
    // error.
    RunRequest changed = oneList;
    EXPECT_TRUE(settingRow("term_kernels").take(changed, "\"auto\""));
    EXPECT_EQ(changed, shortForms);
    changed = oneList;
    changed.changeScene("plummer");
    EXPECT_EQ(changed.terms, shortForms.terms);
    changed.changeBackend("reference");
    EXPECT_EQ(changed.pairs(), (TermRequest{.kernel = {}, .accuracy = 0.001}));
    RunRequest bare = oneList, empty = oneList;
    bare.terms.clear();
    empty.terms = {{"pair-law", {}}};
    EXPECT_EQ(Simulation(bare).configuration(), Simulation(empty).configuration()) << "absent means open";
    const RunConfiguration now = Simulation(oneList).configuration();
    ASSERT_EQ(now.terms.size(), 2u);
    EXPECT_EQ(now.terms[0], now.pairs());
    EXPECT_EQ(now.pairs().term, "pair-law");
    EXPECT_EQ(now.pairs().kernel.kernel, "tree");
    EXPECT_EQ(now.pairs().accuracy, 0.001);
    EXPECT_EQ(now.others()[0].term, "springs");
    EXPECT_EQ(&termKernel("cpu", "pair-law", "tree"), &kernel("cpu", "tree"));
    EXPECT_TRUE(hasKernel("cpu", "blocks", "springs") && !hasKernel("cpu", "blocks") &&
                !hasKernel("cpu", "tree", "springs"));
    EXPECT_TRUE(hasKernel("reference", "plain", "springs") && !hasKernel("reference", "list", "springs"));
}

TEST(ForceTerms, aSearchFindsAVerifiedKernelAndRunsTakeIt) {
    RunRequest wanted{.scene = "test-chain", .backend = "cpu"};
    const std::unique_ptr<Backend> made = backend("cpu").make({});
    TermStudy study = termStudy(wanted, Springs::kKind, 300);
    const std::optional<TunedChoice> found = tuneTerm(*made, study, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->term, "springs");
    EXPECT_NE(found->kernel.kernel, "wrong") << "what fails its check competes";
    TunedChoice choice = *found;
    choice.kernel = {"blocks", {.block = 16}};
    choice.precision = Precision::fp64;
    wanted.bodies = 300;
    wanted.precision = Precision::fp64;
    wanted.tuning = std::make_shared<const Tuning>(Tuning().with(choice));
    Simulation simulation(wanted);
    EXPECT_EQ(simulation.configuration().terms.at(1).kernel.kernel, "blocks");
    wanted.terms = parsedTermRequests("springs=list");
    EXPECT_EQ(Simulation(wanted).configuration().terms.at(1).kernel.kernel, "list") << "what is asked for comes first";
    EXPECT_THROW(termStudy(wanted, "magnets", 300), UsageError);
}

TEST(ForceTerms, hermiteStepsTakeATermThatOffersItsJerk) {
    EXPECT_LT(missAfterATurn("radau15", 1), 1e-13);
    EXPECT_LT(missAfterATurn("hermite4", 200), 1e-5);
    EXPECT_NEAR(std::log2(missAfterATurn("hermite4", 200) / missAfterATurn("hermite4", 400)), 4, 0.05)
        << "another order: the jerk is wrong";
}

TEST(ForceTerms, aBodysOwnEnergyHasThem) {
    const SceneRequest request{.bodies = 12};
    const ParticleSet bodies = chainBodies(request);
    const ForceTerms terms = termsOf({.softening = 0.1}, chainSprings(request, bodies));
    double pairs = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double kinetic = dot(xyz(bodies.velocity[i]), xyz(bodies.velocity[i])) / 2;
        pairs += inertialMass(bodies.position[i], bodies.velocity[i]) * (specificEnergy(bodies, i, terms, 0) - kinetic);
    }
    // Both bodies of a pair or a spring count it.
    const double whole = measureSystem(bodies, terms, 1).potential;
    EXPECT_NEAR(pairs, 2 * whole, 1e-12 * std::abs(whole));
    EXPECT_GT(std::abs(whole - measure(bodies, pairLawOf(terms), 1).potential), 0.01) << "springs hold no energy";
}

TEST(ForceTerms, aFingerprintSpeaksOfThem) {
    const SceneRequest request{.bodies = 16};  // all numbers are floats, to which a fingerprint rounds
    const ParticleSet bodies = chainBodies(request);
    EXPECT_NE(hashOf(bodies, chainSprings(request, bodies)), hashOf(bodies));
    RunRequest settings{.scene = "test-chain", .bodies = 16};
    EXPECT_EQ(fingerprint(settings, 3).start, hashOf(bodies, chainSprings(request, bodies)));
}

TEST(ForceTerms, aTrajectoryFollowsThem) {
    const SceneRequest request{.bodies = 20};
    auto start = std::make_shared<TrajectoryStart>();
    start->bodies = std::make_shared<const ParticleSet>(chainBodies(request));
    start->force = {.softening = 0.1};
    const auto endOf = [&] {
        TrajectoryPredictor predictor({.start = start, .id = 5u, .duration = 1});
        while (!predictor.advance(1)) {
        }
        return predictor.path().points.back().place;
    };
    const Vec3d without = endOf();
    start->others = chainSprings(request, *start->bodies);
    EXPECT_GT(length(endOf() - without), 0.01);
}

}  // namespace
}  // namespace gravlab
