// Contacts on a device: the pairs that it finds are enough for the host, in every precision and for bodies of any sizes;
// runs do not depend on slices.
#include "sim/contact/contact.h"
#include "app/services/conservation.h"
#include "gpu_fixture.h"
#include "sim/core/random.h"
#include "sim/run/simulation.h"
#include "tests/advance.h"
#include "tests/contact_lists.h"
#include "tests/contact_runs.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gravlab::test {
namespace {

class ContactOnGpu : public GpuTest {
protected:
    /// Bodies on random paths in a box, some of them large.
    static ParticleSet moving(std::size_t count, double radius) {
        std::vector<Double4> x(count), v(count);
        for (std::size_t i = 0; i < count; ++i) {
            Random random(11, i);
            const auto number = [&](double most) {
                return static_cast<double>(static_cast<float>(random.uniform(-most, most)));
            };
            x[i] = {number(1), number(1), number(1),
                    static_cast<double>(static_cast<float>(1.0 / static_cast<double>(count)))};
            v[i] = {number(0.5), number(0.5), number(0.5), 1};
        }
        ParticleSet bodies = bodiesOf(x, v);
        bodies.surface.assign(count, {radius, {}});
        for (std::size_t i = 0; i < count; i += 100) bodies.surface[i].radius *= i % 300 == 0 ? 20 : 3;
        return bodies;
    }
};

TEST_F(ContactOnGpu, theDeviceFindsEveryPairThatTouches) {
    for (const Precision precision : {Precision::fp32, Precision::fp64})
        for (const std::size_t count : {std::size_t{2}, std::size_t{65}, std::size_t{1000}, std::size_t{5000}}) {
            const ParticleSet start = moving(count, count < 100 ? 0.3 : 0.5 / std::cbrt(static_cast<double>(count)));
            const ForceSettings force{.precision = precision, .softening = 0.01};
            std::unique_ptr<Backend> device = backend("cuda").make({});
            device->load(start, ForceConfiguration{force, {}});
            ContactWatch* watch = device->contactWatch();
            ASSERT_NE(watch, nullptr);
            ASSERT_TRUE(watch->begin());
            std::size_t resolved = 0;
            for (std::int64_t step = 1; step <= 3; ++step) {
                ParticleSet before = device->bodies();
                device->advance(integrator("leapfrog").program, 0.05, {.steps = 1}, nullptr);
                ParticleSet end = device->bodies();
                FoundContacts* const found = watch->find();
                for (const ContactMode mode : {ContactMode::stick, ContactMode::bounce}) {
                    ParticleSet searched = end, listed = end;
                    const ContactSettings contact{.mode = mode};
                    const ContactStep length{step, 0, 0.05};
                    const auto all = testing_support::resolveHere(before.position, searched, contact, force, length);
                    if (!found) {
                        ASSERT_EQ(all.size(), 0u);
                        continue;
                    }
                    const auto some = resolveContacts(*found, contact, force, length);
                    apply(found->changes, listed);
                    ASSERT_EQ(some.size(), all.size()) << count << " bodies, step " << step;
                    EXPECT_TRUE(sameBytes(listed.position, searched.position));
                    EXPECT_TRUE(sameBytes(listed.velocity, searched.velocity));
                    EXPECT_EQ(listed.surface, searched.surface);
                    resolved += all.size();
                }
                if (!found || count > 1000) continue;
                // The pairs and lists are those that comparing all bodies finds, but for rounding at their edges.
                const ContactLists lists(before.position, end, 64);
                EXPECT_NEAR(static_cast<double>(found->pairs.size()), static_cast<double>(lists.pairs.size()),
                            2 + 1e-3 * static_cast<double>(lists.pairs.size()));
            }
            EXPECT_GE(resolved, count >= 1000 ? count / 10 : 0);
        }
}

TEST_F(ContactOnGpu, runsDoNotDependOnSlicesAndGoBack) {
    RunRequest request{.scene = "moon", .bodies = 4096, .backend = "cuda"};
    request.pairs().kernel.kernel = "tiled";
    Simulation whole(request);
    const Diagnostics first = whole.measure();
    EXPECT_GT(expectSameContacts(whole, request, 20, 40).second.contacts.bounces, 0);
    const Diagnostics last = whole.measure();
    EXPECT_LT(distance(last.angularMomentum, first.angularMomentum), 1e-4 * length(first.angularMomentum));
}

// Under the tree contacts change bodies in place; under the tiled row mergers load the bodies anew.
TEST_F(ContactOnGpu, aMeasurementEndsWithTheStateItBeganOnAlthoughEachStepHasContacts) {
    for (const char* row : {"tree", "tiled"}) {
        SCOPED_TRACE(row);
        RunRequest request{.scene = "moon", .bodies = 8192, .backend = "cuda"};
        request.pairs().kernel.kernel = row;
        Simulation simulation(request);
        gravlab::run(simulation, 20);
        const Diagnostics now = simulation.measure();
        const ContactTotals before = simulation.contacts();
        Backend& device = simulation.backend();
        device.requestMeasurement();
        gravlab::run(simulation, 20);
        EXPECT_GT(simulation.contacts().merges, before.merges);
        ASSERT_TRUE(device.measuring());
        std::optional<Diagnostics> measured;
        while (device.measuring() && !measured) {
            device.wait();
            measured = device.takeMeasurement(0.05);
        }
        ASSERT_TRUE(measured);
        EXPECT_EQ(measured->failure, "");
        EXPECT_EQ(measured->kinetic, now.kinetic);
        EXPECT_EQ(measured->potential, now.potential);
        EXPECT_EQ(measured->angularMomentum, now.angularMomentum);
        // The next measurement is that of the bodies that are left.
        EXPECT_NE(simulation.measure().kinetic, now.kinetic);
        EXPECT_FALSE(device.measuring());
    }
}

// Frames of a fiftieth of a second with a step each: the strip has a point at least once a second, and each is the balance
// of its own step.
TEST_F(ContactOnGpu, theStripHasTheBalanceOfARunWhoseStepsAllHaveContacts) {
    constexpr int kFrames = 150;
    RunRequest request{.scene = "moon", .bodies = 8192, .backend = "cuda"};
    request.pairs().kernel.kernel = "tiled";
    Simulation simulation(request), stopped(request);
    ConservationMonitor strip;
    StateFeed feed;
    std::vector<double> balance;
    int withContacts = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
        balance.push_back(stopped.measure().balance());
        strip.update(simulation, feed, 0.02 * frame);
        const ContactTotals before = simulation.contacts();
        gravlab::run(simulation, 1);
        gravlab::run(stopped, 1);
        withContacts += simulation.contacts() != before;
    }
    EXPECT_GT(withContacts, kFrames * 9 / 10);
    ASSERT_GE(strip.points().size(), 4u) << strip.why();
    std::int64_t last = 0;
    for (const ConservationPoint& point : strip.points()) {
        EXPECT_LE(point.step, last + 50);
        last = point.step;
        const double change = balance.at(static_cast<std::size_t>(point.step)) - balance.front();
        EXPECT_NEAR(point.change, change / std::abs(balance.front()), 1e-12) << "step " << point.step;
    }
    EXPECT_GE(last, kFrames - 100);
}

TEST_F(ContactOnGpu, changesInPlaceGiveTheSameBitsAsALoad) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
        ParticleSet bodies = moving(1000, 0.01);
        const ForceConfiguration configuration{{.precision = precision, .softening = 0.01}, {.kernel = "tiled"}};
        const auto stepped = [&](const auto& change) {
            std::unique_ptr<Backend> device = backend("cuda").make({});
            device->load(bodies, configuration);
            device->advance(integrator("leapfrog").program, 0.01, {.steps = 3}, nullptr);
            change(*device);
            device->advance(integrator("leapfrog").program, 0.01, {.steps = 3}, nullptr);
            return device->bodies();
        };
        const BodyChanges moved{{{17, {0.5, 0.25, 0, 1e-3}, {1, 0, 0.5, 1}, {0.5, {}}}}, {}};
        const ParticleSet changed = stepped([&](Backend& device) { EXPECT_TRUE(device.change(moved)); });
        const ParticleSet loaded = stepped([&](Backend& device) {
            ParticleSet all = device.bodies();
            apply(moved, all);
            device.load(all);
        });
        EXPECT_TRUE(sameBytes(changed.position, loaded.position));
        EXPECT_TRUE(sameBytes(changed.velocity, loaded.velocity));
        EXPECT_EQ(changed.surface, loaded.surface);
    }
}

// Mergers in place under the tree: the run continues exactly from a state, keeps its bodies, and gives back removed ones.
TEST_F(ContactOnGpu, mergersInPlaceKeepTheRunExact) {
    RunRequest request{.scene = "moon", .bodies = 20000, .backend = "cuda"};
    request.farField = true;
    request.pairs().kernel.kernel = "tree";  // the usual row for this number loads bodies after a merger
    Simulation whole(request);
    ASSERT_EQ(whole.backend().activeKernel().name, "tree");
    ParticleSet start = whole.bodies();
    const auto& [early, end] = expectSameContacts(whole, request, 10, 30);
    EXPECT_GT(early.contacts.merges, 5);
    EXPECT_EQ(end.bodies.size(), start.size() - static_cast<std::size_t>(end.contacts.merges));
    // Ids and radii belong to the same bodies still: most of them have moved little from their orbits.
    EXPECT_TRUE(std::ranges::is_sorted(end.bodies.id.begin(), end.bodies.id.end() - 1));
    double mass = 0, volume = 0, massBefore = 0, volumeBefore = 0;
    const auto add = [](const ParticleSet& bodies, double& m, double& v) {
        for (std::size_t i = 0; i < bodies.size(); ++i)
            m += bodies.position[i].w, v += std::pow(bodies.surface[i].radius, 3);
    };
    add(start, massBefore, volumeBefore);
    add(end.bodies, mass, volume);
    EXPECT_NEAR(mass, massBefore, 1e-6);
    EXPECT_NEAR(volume, volumeBefore, 1e-9);
    for (std::size_t i = 0; i < end.bodies.size(); ++i) {
        const double density = end.bodies.position[i].w / std::pow(end.bodies.surface[i].radius, 3);
        EXPECT_NEAR(density, end.bodies.id[i] != 0 ? 0.6 : 1, 1e-2) << "body " << i;
    }
    while (!whole.forceCheck()) gravlab::run(whole, 1);
    EXPECT_TRUE(whole.forceCheck()->passed);
}

}  // namespace
}  // namespace gravlab::test
