// A measurement that outlasts the contacts of later steps, where the device changes bodies in place and where it loads them
// anew. Kernels do nothing here, so the energies are those of rotation, which the host sums.
#include "sim/backends/backend.h"
#include "sim/contact/contact.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

TEST(MeasurementOnDevice, endsWithTheStateItBeganOnAlthoughContactsChangeBodies) {
    for (const Precision precision : {Precision::fp32, Precision::fp64})
        for (const char* row : {"tree", "tiled"}) {
            if (precision == Precision::fp64 && row == std::string("tree")) continue;
            SCOPED_TRACE(row);
            ParticleSet bodies = testing_support::unevenBodies(3000);
            for (std::size_t i = 0; i < bodies.size(); ++i) bodies.surface.push_back({0.01, {0, 0, 1.0 + i % 7}});
            std::unique_ptr<Backend> device = deviceBackend().make({});
            device->load(bodies, ForceConfiguration{{.precision = precision, .softening = 0.01}, {.kernel = row}});
            const auto finished = [&] {
                std::optional<Diagnostics> done;
                for (int k = 0; k < 1000 && !done && device->measuring(); ++k) done = device->takeMeasurement(1e-3);
                return done;
            };
            ParticleSet all = bodies;  // as the host has changed them
            const auto merge = [&] {
                const BodyChanges merged{
                    {{.index = 5, .position = all.position[5], .velocity = all.velocity[5], .surface = {0.5, {0, 0, 9}}}},
                    {17, 1000}};
                const bool inPlace = device->change(merged);
                EXPECT_EQ(inPlace, row == std::string("tree"));
                apply(merged, all);
                if (!inPlace) device->loadChanged(all);
                ASSERT_EQ(device->size(), all.size());
            };
            device->requestMeasurement();
            for (int step = 0; step < 3; ++step) merge();
            ASSERT_TRUE(device->measuring());
            const std::optional<Diagnostics> first = finished();
            ASSERT_TRUE(first);
            EXPECT_EQ(first->failure, "");
            const double before = rotationOf(bodies).energy, after = rotationOf(all).energy;
            EXPECT_NEAR(first->kinetic, before, 1e-6 * before);
            EXPECT_GT(std::abs(after - before), 1e-3 * before);
            // The next one is that of the bodies that are left, and other bodies end it.
            device->requestMeasurement();
            const std::optional<Diagnostics> second = finished();
            ASSERT_TRUE(second);
            EXPECT_NEAR(second->kinetic, after, 1e-6 * after);
            device->requestMeasurement();
            device->load(bodies);
            EXPECT_FALSE(device->measuring());
        }
}

}  // namespace
}  // namespace gravlab
