// Gadget binaries in every dialect, made by an independent writer, and every way to cut them, flip bits or state false
// sizes.
#include "sim/api/errors.h"
#include "sim/io/file/source.h"
#include "sim/io/snapshot.h"
#include "tests/unit/io_support.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <functional>
#include <limits>

namespace gravlab {
namespace {

using ::testing::HasSubstr;

/// What a binary is made of, so that a test can spoil one thing.
struct MadeGadget {
    bool named = false, big = false, wide = false, wideIds = false;
    std::array<std::int32_t, 6> counts{1, 2, 0, 0, 1, 0};
    std::array<double, 6> masses{0, 0.5, 0, 0, 0, 0};
    double time = 3.25, redshift = 0, hubble = 1;
    std::int32_t files = 1;
    double allMasses = 0;  ///< of each body in the block, also where the header has one

    template <class Value>
    void add(std::string& to, Value value) const {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        const std::uint16_t probe = 1;
        const bool nativeBig = *reinterpret_cast<const char*>(&probe) == 0;
        for (std::size_t i = 0; i < sizeof value; ++i) to += bytes[big != nativeBig ? sizeof value - 1 - i : i];
    }
    void number(std::string& to, double value) const {
        if (wide)
            add(to, value);
        else
            add(to, static_cast<float>(value));
    }
    void record(std::string& to, const char* name, const std::string& data) const {
        const auto bytes = static_cast<std::int32_t>(data.size());
        if (named) {
            add(to, std::int32_t{8});
            to += name;
            add(to, bytes + 8);
            add(to, std::int32_t{8});
        }
        add(to, bytes);
        to += data;
        add(to, bytes);
    }
    int bodies() const {
        int sum = 0;
        for (const std::int32_t count : counts) sum += count;
        return sum;
    }
    /// Body i is at (i, i + 1/8, i + 1/4), moves with these numbers negated, and has the id 100 + i.
    std::string text() const {
        std::string all, head, places, speeds, ids, listed;
        for (const std::int32_t count : counts) add(head, count);
        for (const double mass : masses) add(head, mass);
        add(head, time), add(head, redshift), add(head, std::int32_t{0}), add(head, std::int32_t{0});
        for (const std::int32_t count : counts) add(head, count);
        add(head, std::int32_t{0}), add(head, files);
        for (const double value : {0.0, 0.0, 0.0, hubble}) add(head, value);
        head.resize(256, '\0');
        for (int i = 0; i < bodies(); ++i) {
            for (int axis = 0; axis < 3; ++axis) number(places, i + 0.125 * axis), number(speeds, -i - 0.125 * axis);
            if (wideIds)
                add(ids, std::int64_t{100} + i);
            else
                add(ids, std::int32_t{100} + i);
        }
        for (int type = 0; type < 6; ++type)
            for (int k = 0; k < counts[static_cast<std::size_t>(type)]; ++k)
                if (allMasses > 0)
                    number(listed, allMasses);
                else if (masses[static_cast<std::size_t>(type)] == 0)
                    number(listed, type + 1);
        record(all, "HEAD", head);
        record(all, "POS ", places);
        record(all, "VEL ", speeds);
        record(all, "ID  ", ids);
        if (!listed.empty()) record(all, "MASS", listed);
        record(all, "U   ", "1234");  // the internal energy of gas
        return all;
    }
};

Snapshot decodedGadget(const std::string& bytes, const ReadOptions& options = {}) {
    return decodeSnapshot(bytes, "g", options);
}
std::string refusedGadget(const std::string& bytes, const ReadOptions& options = {}) {
    return io_test::refused([&] { decodedGadget(bytes, options); });
}

TEST(GadgetBinary, readsEveryDialect) {
    for (int bits = 0; bits < 16; ++bits) {
        SCOPED_TRACE(bits);
        const MadeGadget made{
            .named = (bits & 1) != 0, .big = (bits & 2) != 0, .wide = (bits & 4) != 0, .wideIds = (bits & 8) != 0};
        const Snapshot s = decodedGadget(made.text());
        ASSERT_EQ(s.bodies.size(), 4u);
        EXPECT_EQ(s.format, "gadget");
        EXPECT_EQ(s.time, 3.25);
        EXPECT_TRUE(s.knowsIds && s.knowsVelocities);
        EXPECT_EQ(s.bodies.group, (std::vector<std::uint8_t>{0, 1, 1, 4}));
        EXPECT_EQ(s.bodies.id, (std::vector<std::uint32_t>{100, 101, 102, 103}));
        const double masses[] = {1, 0.5, 0.5, 5};
        for (std::size_t i = 0; i < 4; ++i) {
            const auto n = static_cast<double>(i);
            EXPECT_TRUE(io_test::sameBits(s.bodies.position[i], {n, n + 0.125, n + 0.25, masses[i]})) << i;
            EXPECT_TRUE(io_test::sameBits(s.bodies.velocity[i], {0 - n, 0 - n - 0.125, 0 - n - 0.25, 1})) << i;
        }
    }
}

TEST(GadgetBinary, aRoundTripKeepsFloatsAndIds) {
    for (const char* format : {"gadget", "gadget1"})
        for (const bool equal : {false, true})
            for (const std::size_t bodies : {1u, 4095u, 4096u, 4097u}) {
                SCOPED_TRACE(std::string(format) + (equal ? ", equal masses" : ""));
                Snapshot snapshot = io_test::sample(bodies, true);
                snapshot.time = 1.0 / 3;
                for (std::size_t i = 0; i < bodies; ++i) {
                    snapshot.bodies.id[i] = static_cast<std::uint32_t>(4000000000u - 3 * i);
                    if (equal) snapshot.bodies.position[i].w = 1.0 / 3;  // the table of masses holds doubles
                }
                const std::string bytes = encodeSnapshot(snapshot, format);
                EXPECT_EQ(bytes.size(), 264 + 3 * 8 + 28 * bodies + (equal || bodies == 1 ? 0 : 8 + 4 * bodies) +
                                            (*(format + 6) ? 0 : 16 * (equal || bodies == 1 ? 4 : 5)));
                const Snapshot back = decodedGadget(bytes);
                EXPECT_EQ(back.time, snapshot.time);
                Snapshot expected = snapshot;
                expected.bodies.group.assign(bodies, 1);
                EXPECT_TRUE(io_test::sameBodies(back.bodies, expected.bodies));
            }
    Snapshot far = io_test::sample(2);
    far.bodies.position[1].x = 1e39;
    EXPECT_THROW(encodeSnapshot(far, "gadget"), IoError);
}

TEST(GadgetBinary, hubbleParamIsAppliedAsForHdf5) {
    MadeGadget made{.hubble = 0.5};
    const Snapshot over = decodedGadget(made.text(), {.units = "gadget"});
    EXPECT_EQ(over.fileUnits.length, "kpc/0.5");
    EXPECT_THAT(over.notes, testing::Contains(HasSubstr("HubbleParam = 0.5")));
    const Snapshot ignored = decodedGadget(made.text(), {.units = "gadget", .ignoreHubble = true});
    EXPECT_EQ(ignored.fileUnits.length, "kpc");
    made.hubble = 0;  // older programs leave it empty
    EXPECT_EQ(decodedGadget(made.text(), {.units = "gadget"}).fileUnits.length, "kpc");
    made.redshift = 2;
    EXPECT_THAT(decodedGadget(made.text()).notes, testing::Contains(HasSubstr("a cosmological snapshot")));
}

TEST(GadgetBinary, aBlockOfMassesBesideThoseOfTheHeaderIsUsed) {
    for (const bool wide : {false, true}) {
        MadeGadget made{.named = true, .wide = wide, .counts = {0, 5, 0, 0, 0, 0}, .masses = {0, 0.25, 0, 0, 0, 0}};
        made.allMasses = 0.25;
        const Snapshot same = decodedGadget(made.text());
        ASSERT_EQ(same.bodies.size(), 5u);
        EXPECT_EQ(same.bodies.position[4].w, 0.25);
        EXPECT_THAT(same.notes, ::testing::Not(::testing::Contains(HasSubstr("MASS"))));
        made.allMasses = 0.75;
        const Snapshot other = decodedGadget(made.text());
        EXPECT_EQ(other.bodies.position[4].w, 0.75);
        EXPECT_THAT(other.notes, ::testing::Contains(HasSubstr("block MASS beside other masses in its header")));
    }
}

TEST(GadgetBinary, severalFilesAndFalseHeadersAreRefused) {
    const auto with = [](const std::function<void(MadeGadget&)>& change) {
        MadeGadget made;
        change(made);
        return refusedGadget(made.text());
    };
    EXPECT_THAT(with([](MadeGadget& g) { g.files = 4; }), HasSubstr("is one of 4 files of a snapshot"));
    EXPECT_THAT(with([](MadeGadget& g) { g.time = std::numeric_limits<double>::quiet_NaN(); }), HasSubstr("time is not"));
    EXPECT_THAT(with([](MadeGadget& g) { g.hubble = -1; }), HasSubstr("HubbleParam is below 0"));
    EXPECT_THAT(with([](MadeGadget& g) { g.masses[1] = std::numeric_limits<double>::infinity(); }),
                HasSubstr("mass of type 1"));
    EXPECT_THAT(with([](MadeGadget& g) { g.counts = {}; }), HasSubstr("holds no bodies"));
    for (const bool named : {false, true}) {
        const std::string good = MadeGadget{.named = named}.text();
        const auto changed = [&](std::size_t at, std::int32_t value) {
            std::string bytes = good;
            std::memcpy(bytes.data() + at, &value, sizeof value);
            return refusedGadget(bytes);
        };
        const std::size_t head = named ? 20 : 4;
        EXPECT_THAT(changed(head + 4, 2000000000), HasSubstr("cut short?"));  // no memory is taken for them
        EXPECT_THAT(changed(head + 4, -1), HasSubstr("below 0"));
        EXPECT_THAT(changed(head + 4, 3), HasSubstr("by the mark of their record"));
        EXPECT_THAT(refusedGadget(good, {.maxBodies = 3}), HasSubstr("more than the 3 bodies allowed"));
    }
    std::string unnamed = MadeGadget{.named = true}.text();
    unnamed.replace(unnamed.find("POS "), 4, "P0S ");
    EXPECT_THAT(refusedGadget(unnamed), HasSubstr("has no block POS"));
    std::string unmoved = MadeGadget{.named = true}.text();
    unmoved.replace(unmoved.find("VEL "), 4, "V3L ");
    EXPECT_FALSE(decodedGadget(unmoved).knowsVelocities);
}

TEST(GadgetBinary, cutsAndFlippedBitsAreNeverUnchecked) {
    for (const bool named : {false, true})
        for (const bool big : {false, true}) {
            const MadeGadget made{.named = named, .big = big};
            const std::string bytes = made.text();
            // The last record, of the gas, is not needed.
            const std::size_t needed = bytes.size() - 12 - (named ? 16 : 0);
            for (std::size_t cut = 0; cut < needed; ++cut)
                EXPECT_THROW(decodedGadget(bytes.substr(0, cut)), InputError) << cut;
            EXPECT_EQ(decodedGadget(bytes).bodies.size(), 4u);
            for (std::size_t at = 0; at < bytes.size(); ++at)
                for (const int bit : {0, 6, 7}) {
                    std::string flipped = bytes;
                    flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
                    try {
                        const Snapshot s = decodedGadget(flipped);
                        EXPECT_EQ(s.bodies.size(), 4u) << at;
                        for (const Double4& body : s.bodies.position) EXPECT_EQ(0 * (body.x + body.y + body.z + body.w), 0);
                    } catch (const Error&) {
                    }
                }
        }
}

}  // namespace
}  // namespace gravlab
