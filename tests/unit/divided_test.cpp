// Forces that are divided among the parts of a CPU: the same bits as of one part, and faults of helpers.
#include "sim/backends/cpu/methods/divided.h"
#include "sim/api/errors.h"
#include "sim/backends/division.h"
#include "sim/run/simulation.h"
#include "tests/divided_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <new>

namespace gravlab {
namespace {

using namespace testing_support;
using testing::HasSubstr;

BackendOptions partsOf(std::size_t parts) { return {.helpers = std::vector<int>(parts - 1), .threads = 2}; }
std::unique_ptr<Backend> inParts(std::size_t parts) { return backend("cpu").make(partsOf(parts)); }

constexpr DividedCase kDivided[] = {{"simd-threads"},
                                    {"simd-threads", Precision::mixed},
                                    {"simd-threads", Precision::fp64, "block-leapfrog"},
                                    {"simd", Precision::fp32, "block-leapfrog"},
                                    {"openmp"},
                                    {"tree"},
                                    {"tree", Precision::mixed, "block-leapfrog"},
                                    {"tree", Precision::fp32, "block-leapfrog"},
                                    {"tree-theta"},
                                    {"symmetric-threads"}};

TEST(DividedForces, haveTheBitsOfOnePart) {
    for (const std::size_t count : {1501u, 257u}) {
        const ParticleSet start = unevenBodies(count);
        for (const DividedCase& of : kDivided) {
            if (!refusal(kernel("cpu", of.row), {.precision = of.precision}).empty()) continue;
            const auto one = inParts(1);
            const ParticleSet want = stepped(*one, of, start);
            const WorkTotals work = one->totals();
            for (const std::size_t parts : {2u, 3u, 4u, 8u}) {
                SCOPED_TRACE(std::string(of.row) + ", " + of.integrator + ", " + std::to_string(parts) + " parts of " +
                             std::to_string(count));
                const auto several = inParts(parts);
                EXPECT_TRUE(sameState(stepped(*several, of, start), want));
                EXPECT_EQ(several->totals().interactions, work.interactions) << "each pair is counted once";
                EXPECT_EQ(several->totals().cells, work.cells);
                if (parts == 3) {
                    EXPECT_TRUE(sameState(stepped(*several, of, start, 0), want)) << "in the smallest slices";
                }
            }
        }
    }
}

TEST(DividedForces, holdForTracersAndForFewBodies) {
    ParticleSet tracers = unevenBodies(1000);
    for (std::size_t i = 100; i < tracers.size(); ++i) tracers.position[i].w = 0;
    for (std::size_t i = 0; i < 100; ++i) std::swap(tracers.position[i].w, tracers.position[9 * i + 7].w);
    for (const ParticleSet& start : {tracers, unevenBodies(5), ParticleSet()})
        for (const DividedCase& of : {kDivided[0], kDivided[5]})
            EXPECT_TRUE(sameState(stepped(*inParts(4), of, start), stepped(*inParts(1), of, start)))
                << of.row << ", " << start.size() << " bodies";
}

TEST(DividedForces, continueWithOtherPartsFromASavedState) {
    const ParticleSet start = unevenBodies(900);
    const StepProgram program = usualIntegrator().program;
    for (const DividedCase& of : {kDivided[0], kDivided[5]}) {
        const auto whole = inParts(1), saved = inParts(3);
        stepped(*whole, of, start);
        const ParticleSet half = stepped(*saved, of, start);
        advanceBy(*whole, program, 0.01, 2);
        advanceBy(*saved, program, 0.01, 2);
        EXPECT_TRUE(sameState(stateOf(*saved), stateOf(*whole)));
        for (const std::size_t parts : {1u, 2u}) {
            const auto first = inParts(3), resumed = inParts(parts);
            ASSERT_TRUE(sameState(stepped(*first, of, start), half));
            resumed->load(half, first->terms(), first->systemConfiguration());
            resumed->restoreForceState(first->forceState());
            advanceBy(*resumed, program, 0.01, 2);
            EXPECT_TRUE(sameState(stateOf(*resumed), stateOf(*whole))) << of.row << ", " << parts << " parts";
        }
    }
}

TEST(DividedForces, goOnAfterEditsAndOtherSettingsWithinAStep) {
    for (const DividedCase& of : {kDivided[0], kDivided[5]}) {
        std::vector<ParticleSet> ends;
        for (const std::size_t parts : {1u, 3u}) {
            const auto by = inParts(parts), twin = inParts(parts);
            stepped(*by, of, unevenBodies(700));
            stepped(*twin, of, unevenBodies(600, 2));
            const StepProgram program = usualIntegrator().program;
            by->advance(program, 0.01, {.seconds = 0}, nullptr);
            twin->advance(program, 0.01, {.seconds = 0}, nullptr);  // two runs, each with a force under way
            std::vector<Double4> beside;
            twin->accelerations(beside);
            ParticleSet fewer = stateOf(*by);
            apply({.removed = {3, 400}}, fewer);
            by->load(fewer);
            advanceBy(*by, program, 0.01, 1);
            by->advance(program, 0.01, {.seconds = 0}, nullptr);
            by->configure({.precision = of.precision, .softening = 0.05}, by->configuration().kernel);
            advanceBy(*by, program, 0.01, 2);
            advanceBy(*twin, program, 0.01, 1);
            ends.push_back(stateOf(*by));
            ends.push_back(stateOf(*twin));
        }
        EXPECT_TRUE(sameState(ends[2], ends[0])) << of.row;
        EXPECT_TRUE(sameState(ends[3], ends[1])) << of.row;
    }
}

TEST(DividedForces, areNamedAsATestAndInARun) {
    const auto several = inParts(3);
    EXPECT_THAT(several->description(), HasSubstr(", helpers 0 and 0 as a test"));
    EXPECT_EQ(inParts(1)->description().find("helper"), std::string::npos);
    EXPECT_NE(several->launchFacts().device, inParts(1)->launchFacts().device) << "each has tuned choices of its own";
    RunRequest request{.scene = "plummer", .bodies = 500, .backend = "cpu", .backendOptions = partsOf(3)};
    const auto sentence = [&](const char* row) {
        request.pairs().kernel.kernel = row;
        const Simulation simulation(request);
        return divisionSentence(simulation.backend(), request.backendOptions, simulation.integrator().program);
    };
    EXPECT_EQ(sentence("simd-threads"), "devices 0,0,0: each force is divided by bodies");
    EXPECT_EQ(sentence("tree"), "devices 0,0,0: each force after the first is divided by parts of the tree");
    EXPECT_EQ(sentence("tree-theta"), "devices 0,0,0: each force is divided by parts of the tree");
    EXPECT_THAT(sentence("symmetric-threads"), HasSubstr("stays on the first device, because"));
}

/// What goes wrong on helpers of the row below.
enum class PartFault { none, creation, exception, lastBody };
std::atomic<PartFault> partFault{PartFault::none};

/// simd-threads with faults.
class FaultyPart final : public cpu::CpuForceMethod<float>, public cpu::PartMethod {
public:
    explicit FaultyPart(const cpu::MethodContext& context)
        : made_(cpu::cpuKernel(kernel("cpu", "simd-threads")).fp32(context)),
          part_(dynamic_cast<cpu::PartMethod&>(*made_)),
          helps_(!context.exchange) {
        if (helps_ && partFault == PartFault::creation) throw std::bad_alloc();
    }
    void prepare(const cpu::CpuBodies<float>& bodies, const ForceRequest& request) override {
        if (helps_ && partFault == PartFault::exception && request.targets.first > 400)
            throw std::runtime_error("a fuse blew");
        made_->prepare(bodies, request);
    }
    ForceProgress enqueue(double seconds) override { return made_->enqueue(seconds); }
    bool underWay() const override { return made_->underWay(); }
    double progress() const override { return made_->progress(); }
    void abandon() override { made_->abandon(); }
    cpu::CpuForceSums<float> sums() const override { return made_->sums(); }
    Accuracy accuracy() const override { return made_->accuracy(); }
    void give(MessageWriter& to) const override {
        MessageWriter right;
        part_.give(right);
        MessageBytes bytes = right.take();
        // The last number is the acceleration of the last body along z.
        if (partFault == PartFault::lastBody) bytes.back() ^= std::byte{0x80};
        to.add(std::span<const std::byte>(bytes));
    }
    ForceWork take(const ForceRequest& part, MessageReader& from) override { return part_.take(part, from); }
    void addEnds(const ForceRequest& part, std::vector<std::uint32_t>& to) const override { part_.addEnds(part, to); }

private:
    std::unique_ptr<cpu::CpuForceMethod<float>> made_;
    cpu::PartMethod& part_;
    bool helps_;
};

const bool kFaultyPart = [] {
    cpu::CpuKernel faulty = cpu::cpuKernel(kernel("cpu", "simd-threads"));
    faulty.row.name = "faulty-part";
    faulty.row.unrolls = {};
    faulty.mixed = faulty.fp64 = nullptr;
    faulty.fp32 = [](const cpu::MethodContext& context) -> std::unique_ptr<cpu::CpuForceMethod<float>> {
        return std::make_unique<FaultyPart>(context);
    };
    return cpu::CpuKernels::add(faulty);
}();

TEST(DividedForces, failWithTheNameOfTheHelperAndGoOn) {
    ASSERT_TRUE(kFaultyPart);
    const ParticleSet start = unevenBodies(900);
    const ParticleSet want = stepped(*inParts(1), {"faulty-part"}, start);
    const auto by = inParts(3);
    for (const auto& [fault, words] : {std::pair(PartFault::creation, "memory"), {PartFault::exception, "a fuse blew"}}) {
        partFault = fault;
        try {
            stepped(*by, {"faulty-part"}, start);
            ADD_FAILURE() << "a helper's fault was not seen";
        } catch (const DeviceError& error) {
            EXPECT_THAT(error.what(), HasSubstr(words));
            EXPECT_THAT(error.what(), HasSubstr(fault == PartFault::creation ? "helper 1 of 2" : "helper 2 of 2"));
        }
        partFault = PartFault::none;
        advanceBy(*by, usualIntegrator().program, 0.01, 3);
        EXPECT_TRUE(sameState(stateOf(*by), want)) << "the step begins again, and helpers make their methods again";
    }
}

TEST(DividedForces, areCheckedAtTheEndsOfParts) {
    const ParticleSet start = unevenBodies(900);
    for (const PartFault fault : {PartFault::none, PartFault::lastBody}) {
        const auto by = inParts(3);
        stepped(*by, {"faulty-part"}, start);
        partFault = fault;
        by->requestForceCheck({5});
        advanceBy(*by, usualIntegrator().program, 0.01, 1);
        partFault = PartFault::none;
        const std::optional<ForceCheck> check = by->takeForceCheck();
        ASSERT_TRUE(check);
        EXPECT_EQ(check->samples, 7u) << "the body, and both ends of three parts";
        EXPECT_EQ(check->passed, fault == PartFault::none) << check->text();
        if (fault == PartFault::lastBody) {
            EXPECT_TRUE(check->worst == 599 || check->worst == 899) << check->worst;
        }
    }
    // The parts of a tree end elsewhere.
    const auto tree = inParts(2);
    stepped(*tree, {"tree"}, start);
    tree->requestForceCheck({5});
    advanceBy(*tree, usualIntegrator().program, 0.01, 1);
    EXPECT_GE(tree->takeForceCheck().value().samples, 4u);
}

}  // namespace
}  // namespace gravlab
