// Bodies in memory that a client shares: what comes back, and headers that lie.
#include "sim/io/checkpoint.h"
#include "sim/io/formats/units.h"
#include "sim/io/shared_bodies.h"
#include "sim/measure/diagnostics.h"
#include "tests/unit/io_support.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <limits>

namespace gravlab {
namespace {

using io_test::refused;
using ::testing::HasSubstr;

/// Memory behind a descriptor, as a client makes it.
class ClientMemory {
public:
    ClientMemory() : descriptor_(::memfd_create("gravlab-test", 0)) {
        if (descriptor_ < 0) throw std::runtime_error("no memory to share");
    }
    ~ClientMemory() { ::close(descriptor_); }
    ClientMemory(const ClientMemory&) = delete;
    ClientMemory& operator=(const ClientMemory&) = delete;
    int descriptor() const { return descriptor_; }

    template <class Value>
    void put(std::size_t place, Value value) {
        ASSERT_EQ(::pwrite(descriptor_, &value, sizeof value, static_cast<off_t>(place)), ssize_t{sizeof value});
    }
    template <class Value>
    Value get(std::size_t place) const {
        Value value{};
        EXPECT_EQ(::pread(descriptor_, &value, sizeof value, static_cast<off_t>(place)), ssize_t{sizeof value});
        return value;
    }
    void cutTo(std::size_t bytes) { ASSERT_EQ(::ftruncate(descriptor_, static_cast<off_t>(bytes)), 0); }

private:
    int descriptor_;
};

constexpr unsigned kEverything =
    kSharedPositions | kSharedVelocities | kSharedMasses | kSharedIds | kSharedGroups | kSharedResponses;

ParticleSet manyBodies() {
    ParticleSet bodies;
    bodies.resize(10'001);  // more than a piece, and no multiple of one
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double x = static_cast<double>(i);
        bodies.position[i] = {x, x + 0.25, -x, 1 + x};
        bodies.velocity[i] = {0.5 * x, -x, x / 3, 1};
        bodies.id[i] = static_cast<std::uint32_t>(bodies.size() - i);
        bodies.group[i] = static_cast<std::uint8_t>(i % 7);
    }
    return bodies;
}

TEST(SharedBodies, comeBackToTheBit) {
    const ParticleSet bodies = manyBodies();
    ClientMemory memory;
    writeShared(memory.descriptor(), kEverything, bodies, 42, 1.5, nullptr);
    const Snapshot back = readShared(memory.descriptor(), {});
    EXPECT_TRUE(io_test::sameBodies(bodies, back.bodies));
    EXPECT_EQ(back.time, 1.5);
    EXPECT_TRUE(back.knowsVelocities);
    EXPECT_EQ(memory.get<std::int64_t>(24), 42) << "the step, as docs/python.md says";
    EXPECT_TRUE(std::isnan(memory.get<double>(40))) << "no energy was measured";
    Diagnostics measured;
    measured.kinetic = 3;
    measured.potential = -7;
    measured.angularMomentum = {1, 2, 5};
    writeShared(memory.descriptor(), kSharedEnergies, bodies, 43, 1.5, &measured);
    EXPECT_EQ(memory.get<double>(40), 3);
    EXPECT_EQ(memory.get<double>(48), -7);
    EXPECT_EQ(memory.get<double>(96), 5);
}

TEST(SharedBodies, sealedMemoryIsMappedOnceAndWrittenByThreads) {
    ParticleSet bodies;
    bodies.resize(200'001);  // several pieces of a thread
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double x = static_cast<double>(i);
        bodies.position[i] = {x, x + 0.25, -x, 1 + x};
        bodies.velocity[i] = {0.5 * x, -x, x / 3, 1};
        bodies.id[i] = static_cast<std::uint32_t>(i);
    }
    const int descriptor = ::memfd_create("gravlab-test", MFD_ALLOW_SEALING);
    ASSERT_GE(descriptor, 0);
    SharedMapping mapping;
    EXPECT_EQ(mapping.of(descriptor, 0), nullptr) << "it could shrink";
    ASSERT_EQ(::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    const ParticleSet few = manyBodies();
    for (const ParticleSet* set : {&few, static_cast<const ParticleSet*>(&bodies), &few}) {
        writeShared(descriptor, kEverything, *set, 1, 2, nullptr, {}, &mapping);
        EXPECT_TRUE(io_test::sameBodies(*set, readShared(descriptor, {}).bodies));
    }
    const char* const there = mapping.of(descriptor, 128);
    EXPECT_NE(there, nullptr);
    EXPECT_EQ(mapping.of(descriptor, 64), there) << "mapped once";
    ::close(descriptor);
}

TEST(SharedBodies, withoutVelocitiesRest) {
    ClientMemory memory;
    writeShared(memory.descriptor(), kSharedPositions | kSharedMasses, manyBodies(), 0, 0, nullptr);
    const Snapshot back = readShared(memory.descriptor(), {});
    EXPECT_FALSE(back.knowsVelocities);
    EXPECT_EQ(back.bodies.velocity[5].x, 0);
    EXPECT_EQ(back.bodies.velocity[5].w, 1);
}

TEST(SharedBodies, refuseHeadersThatLie) {
    const ParticleSet bodies = manyBodies();
    ClientMemory memory;
    const auto why = [&] { return refused([&] { readShared(memory.descriptor(), {}); }); };
    EXPECT_THAT(why(), HasSubstr("has no bodies yet"));
    const auto fresh = [&] { writeShared(memory.descriptor(), kEverything, bodies, 0, 0, nullptr); };
    fresh();
    memory.put<char>(0, 'X');
    EXPECT_THAT(why(), HasSubstr("GRAVBLK1"));
    fresh();
    memory.put<std::uint64_t>(16, std::uint64_t{1} << 40);
    EXPECT_THAT(why(), HasSubstr("announces 1099511627776 bodies"));
    fresh();
    memory.put<std::uint64_t>(16, std::numeric_limits<std::uint64_t>::max() / 24);
    EXPECT_THAT(why(), HasSubstr("announces"));
    fresh();
    memory.put<std::uint32_t>(8, kSharedVelocities);
    EXPECT_THAT(why(), HasSubstr("positions and masses are needed"));
    fresh();
    memory.put<std::uint32_t>(8, 1u << 20);
    EXPECT_THAT(why(), HasSubstr("differ in version"));
    fresh();
    memory.put<double>(128 + 24 * 9000, std::numeric_limits<double>::quiet_NaN());
    EXPECT_THAT(why(), HasSubstr("body 9000: x is not a finite number"));
    fresh();
    memory.cutTo(1000);
    EXPECT_THAT(why(), HasSubstr("1000 bytes"));
    ParticleSet twice = bodies;
    twice.id[3] = twice.id[9];
    writeShared(memory.descriptor(), kEverything, twice, 0, 0, nullptr);
    EXPECT_THAT(why(), HasSubstr("two bodies have the same id"));
    EXPECT_THROW(readShared(-1, {}), IoError);
    EXPECT_THROW(writeShared(-1, kSharedIds, bodies, 0, 0, nullptr), IoError);
}

/// What goes in under --units comes out alike, and goes in again as it came out.
TEST(SharedBodies, keepTheUnitsOfTheirRun) {
    ParticleSet bodies = manyBodies();
    ClientMemory memory;
    const auto near = [](double a, double b) { return std::abs(a - b) <= 4e-16 * std::abs(b); };
    for (const UnitSystem& system : unitSystems()) {
        SCOPED_TRACE(system.name);
        writeShared(memory.descriptor(), kEverything, bodies, 0, 0, nullptr);
        Snapshot taken = readShared(memory.descriptor(), {.units = std::string(system.name)});
        for (const bool again : {false, true}) {
            RunConfiguration run;
            run.start = startFrom(std::move(taken), "test").request.start;
            const ArrayUnits units = arrayUnits(run, run.start->row);
            EXPECT_EQ(units.words().substr(0, units.words().find(',')),
                      system.lengthName.empty() ? "L" : std::string(system.lengthName));
            writeShared(memory.descriptor(), kEverything, run.start->state.bodies, 0, 1, nullptr, units);
            EXPECT_TRUE(near(memory.get<double>(32), units.timeScale));
            const std::size_t velocities = 128 + (24 * bodies.size() + 63) / 64 * 64;
            for (const std::size_t i : {1u, 77u, 10'000u}) {
                EXPECT_TRUE(near(memory.get<double>(128 + 24 * i + 8), bodies.position[i].y));
                EXPECT_TRUE(near(memory.get<double>(velocities + 24 * i + 16), bodies.velocity[i].z));
                EXPECT_TRUE(near(memory.get<double>(velocities + (24 * bodies.size() + 63) / 64 * 64 + 8 * i),
                                 bodies.position[i].w));
            }
            if (!again) taken = readShared(memory.descriptor(), {}, units);
        }
    }
}

TEST(SharedBodies, replaceTheArraysThatAreThere) {
    const ParticleSet bodies = manyBodies();
    ParticleSet moved = bodies, changed = bodies;
    ClientMemory memory;
    for (Double4& at : moved.position) at = {2 * at.x, 2 * at.y, 2 * at.z, 3 * at.w};
    for (Double4& at : moved.velocity) at = {-at.x, -at.y, -at.z, 1};
    writeShared(memory.descriptor(), kSharedVelocities, moved, 0, 0, nullptr);
    replaceShared(memory.descriptor(), {}, {}, changed);
    EXPECT_EQ(changed.position[5], bodies.position[5]);
    EXPECT_EQ(changed.velocity[5], moved.velocity[5]);
    writeShared(memory.descriptor(), kSharedPositions, moved, 0, 0, nullptr);
    replaceShared(memory.descriptor(), {}, {}, changed);
    EXPECT_EQ(changed.position[5].y, moved.position[5].y);
    EXPECT_EQ(changed.position[5].w, bodies.position[5].w) << "the mass";
    EXPECT_EQ(changed.velocity[5], moved.velocity[5]);
    changed.resize(7);
    EXPECT_THAT(refused([&] { replaceShared(memory.descriptor(), {}, {}, changed); }),
                HasSubstr("has 10001 bodies, and the run has 7"));
}

TEST(SharedBodies, namesOfArraysAreChecked) {
    EXPECT_EQ(sharedArraysOf("positions, ids"), unsigned{kSharedPositions | kSharedIds});
    EXPECT_EQ(sharedArraysOf("energies"), unsigned{kSharedEnergies});
    EXPECT_EQ(sharedArraysOf("header"), 0u);
    EXPECT_THROW(sharedArraysOf("positions,speed"), UsageError);
}

}  // namespace
}  // namespace gravlab
