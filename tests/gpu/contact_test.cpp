// Contacts on a device: the pairs that it finds are enough for the host, in every precision and for bodies of any sizes;
// runs do not depend on slices.
#include "sim/contact/contact.h"
#include "gpu_fixture.h"
#include "sim/core/random.h"
#include "sim/run/simulation.h"

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
                ParticleSet before;
                device->snapshot(before);
                device->advance(integrator("leapfrog").program, 0.05, {.steps = 1}, nullptr);
                std::vector<ContactPair> pairs;
                std::vector<Double4> from;
                watch->find(pairs, from);
                ParticleSet end;
                device->snapshot(end);
                for (const ContactMode mode : {ContactMode::stick, ContactMode::bounce}) {
                    ParticleSet searched = end, listed = end;
                    const ContactSettings contact{.mode = mode};
                    const ContactStep length{step, 0, 0.05};
                    const auto all = resolveContacts(before.position, searched, contact, force, length);
                    const auto found =
                        resolveContacts(pairs.empty() ? before.position : from, listed, contact, force, length, &pairs);
                    ASSERT_EQ(found.size(), all.size()) << count << " bodies, step " << step;
                    EXPECT_TRUE(sameBytes(listed.position, searched.position));
                    EXPECT_TRUE(sameBytes(listed.velocity, searched.velocity));
                    resolved += all.size();
                }
                // Not every pair is a candidate.
                EXPECT_LT(pairs.size(), std::max<std::size_t>(30 * count, 4096));
            }
            EXPECT_GE(resolved, count >= 1000 ? count / 10 : 0);
        }
}

TEST_F(ContactOnGpu, runsDoNotDependOnSlicesAndGoBack) {
    RunRequest request{.scene = "moon", .bodies = 4096, .backend = "cuda"};
    request.pairs().kernel.kernel = "tiled";
    Simulation whole(request), sliced(request);
    const Diagnostics first = whole.measure();
    RunState early;
    while (whole.step() < 40) {
        whole.advance({.steps = 10}, nullptr);
        if (whole.step() == 20) early = whole.state();
    }
    while (sliced.step() < 40) sliced.advance({.seconds = 0, .steps = 40 - sliced.step()}, nullptr);
    const RunState a = whole.state(), b = sliced.state();
    EXPECT_GT(a.contacts.merges, 0);
    EXPECT_GT(a.contacts.bounces, 0);
    EXPECT_EQ(a.contacts, b.contacts);
    EXPECT_TRUE(sameBytes(a.bodies.position, b.bodies.position));
    EXPECT_EQ(a.bodies.surface, b.bodies.surface);
    whole.restore(early);
    EXPECT_EQ(whole.configuration().bodies, early.bodies.size());
    while (whole.step() < 40) whole.advance({.steps = 40 - whole.step()}, nullptr);
    EXPECT_TRUE(sameBytes(whole.state().bodies.position, a.bodies.position));
    const Diagnostics last = whole.measure();
    EXPECT_LT(distance(last.angularMomentum, first.angularMomentum), 1e-4 * length(first.angularMomentum));
}

}  // namespace
}  // namespace gravlab::test
