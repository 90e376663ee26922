// Bodies in memory that a client shares: what comes back, and headers that lie.
#include "sim/io/shared_bodies.h"
#include "sim/measure/diagnostics.h"
#include "tests/unit/io_support.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
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
        writeShared(descriptor, kEverything, *set, 1, 2, nullptr, &mapping);
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
    EXPECT_THROW(readShared(-1, {}), IoError);
    EXPECT_THROW(writeShared(-1, kSharedIds, bodies, 0, 0, nullptr), IoError);
}

TEST(SharedBodies, namesOfArraysAreChecked) {
    EXPECT_EQ(sharedArraysOf("positions, ids"), unsigned{kSharedPositions | kSharedIds});
    EXPECT_EQ(sharedArraysOf("energies"), unsigned{kSharedEnergies});
    EXPECT_THROW(sharedArraysOf("positions,speed"), UsageError);
}

}  // namespace
}  // namespace gravlab
