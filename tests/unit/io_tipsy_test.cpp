// Tipsy in every dialect, made byte by byte, and every way to cut it, flip bits or declare a false size.
#include "sim/api/errors.h"
#include "sim/io/snapshot.h"
#include "tests/unit/io_support.h"

#include <gmock/gmock.h>
#include <cmath>
#include <cstring>
#include <limits>

namespace gravlab {
namespace {

using io_test::sameBodies;
using io_test::sample;
using ::testing::HasSubstr;

/// An independent writer: one value after the other, most significant byte first or last.
class Builder {
public:
    explicit Builder(bool bigEndian) : big_(bigEndian) {}
    template <class Value>
    Builder& add(Value value) {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        const std::uint16_t probe = 1;
        const bool nativeBig = *reinterpret_cast<const char*>(&probe) == 0;
        for (std::size_t i = 0; i < sizeof value; ++i) text_ += bytes[big_ != nativeBig ? sizeof value - 1 - i : i];
        return *this;
    }
    const std::string& text() const { return text_; }

private:
    bool big_;
    std::string text_;
};

struct Dialect {
    bool bigEndian;
    bool padded;
};
constexpr Dialect kDialects[] = {{false, false}, {false, true}, {true, false}, {true, true}};

/// One gas, two dark and one star body; body i has mass i + 1 and its own position and velocity.
std::string made(Dialect dialect) {
    Builder out(dialect.bigEndian);
    out.add(12.5).add(std::int32_t{4}).add(std::int32_t{3}).add(std::int32_t{1}).add(std::int32_t{2}).add(std::int32_t{1});
    if (dialect.padded) out.add(std::int32_t{0});
    const int extra[] = {5, 2, 2, 4};
    for (int body = 0; body < 4; ++body) {
        const float start = static_cast<float>(body + 1);
        for (int i = 0; i < 7; ++i) out.add(start + static_cast<float>(i) * 0.125f);
        // gas: rho temp hsmooth metals phi; dark: eps phi; star: metals tform eps phi
        for (int i = 0; i < extra[body]; ++i) out.add(i == (body == 0 || body == 3 ? 2 : 0) ? 0.5f : 77.0f);
    }
    return out.text();
}

Snapshot decodedTipsy(const std::string& bytes, const ReadOptions& options = {}) {
    return decodeSnapshot(bytes, "t.bin", options);
}

std::string refusedTipsy(const std::string& bytes, const ReadOptions& options = {}) {
    try {
        decodedTipsy(bytes, options);
    } catch (const InputError& error) {
        return error.what();
    }
    ADD_FAILURE() << "accepted";
    return {};
}

TEST(Tipsy, ReadsEveryDialect) {
    for (const Dialect& dialect : kDialects) {
        const Snapshot s = decodedTipsy(made(dialect));
        ASSERT_EQ(s.bodies.size(), 4u);
        EXPECT_EQ(s.format, "tipsy");
        EXPECT_EQ(s.time, 12.5);
        EXPECT_EQ(s.softening, 0.5);
        EXPECT_EQ(s.bodies.group, (std::vector<std::uint8_t>{0, 1, 1, 2}));
        for (std::size_t i = 0; i < 4; ++i) {
            const double start = static_cast<double>(i + 1);
            EXPECT_TRUE(io_test::sameBits(s.bodies.position[i], {start + 0.125, start + 0.25, start + 0.375, start})) << i;
            EXPECT_TRUE(io_test::sameBits(s.bodies.velocity[i], {start + 0.5, start + 0.625, start + 0.75, 1})) << i;
        }
    }
}

TEST(Tipsy, RoundTripKeepsFloats) {
    for (std::size_t bodies : {1u, 2u, 4095u, 4096u, 4097u}) {
        Snapshot snapshot = sample(bodies, true);
        snapshot.time = 1.0 / 3;
        snapshot.softening = 0.25;
        const std::string bytes = encodeSnapshot(snapshot, "tipsy");
        EXPECT_EQ(bytes.size(), 32 + 36 * bodies);
        const Snapshot back = decodedTipsy(bytes);
        EXPECT_EQ(back.time, snapshot.time);
        EXPECT_EQ(back.softening, 0.25);
        EXPECT_EQ(back.bodies.group, std::vector<std::uint8_t>(bodies, 1));
        Snapshot expected = snapshot;
        expected.bodies.group.assign(bodies, 1);
        EXPECT_TRUE(sameBodies(back.bodies, expected.bodies));
    }
}

TEST(Tipsy, StandardFormIsBigEndianDark) {
    Snapshot snapshot = sample(1, true);
    snapshot.time = 2;
    snapshot.bodies.position[0] = {1, 2, 3, 4};
    Builder expected(true);
    expected.add(2.0).add(1).add(3).add(0).add(1).add(0).add(0).add(4.0f).add(1.0f).add(2.0f).add(3.0f);
    EXPECT_EQ(encodeSnapshot(snapshot, "tipsy").substr(0, 48), expected.text());
}

TEST(Tipsy, CutAnywhereIsRefused) {
    for (const Dialect& dialect : kDialects) {
        const std::string bytes = made(dialect);
        for (std::size_t cut = 0; cut < bytes.size(); ++cut)
            EXPECT_THROW(decodedTipsy(bytes.substr(0, cut)), InputError) << cut;
        EXPECT_THROW(decodedTipsy(bytes + "x"), InputError);
        EXPECT_EQ(decodedTipsy(bytes).bodies.size(), 4u);
    }
    EXPECT_THAT(refusedTipsy(made(kDialects[3]).substr(0, 100)), HasSubstr("cut short"));
}

// Flips in the five counts are always seen. Tipsy has no check sum: flips in the numbers may give other finite numbers, but
// never a crash, another count or a number that is not finite.
TEST(Tipsy, FlippedBitsNeverGetThroughUnchecked) {
    for (const Dialect& dialect : kDialects) {
        const std::string bytes = made(dialect);
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            std::string flipped = bytes;
            flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
            const bool inCounts = bit / 8 >= 8 && bit / 8 < 28;
            try {
                const Snapshot s = decodedTipsy(flipped);
                EXPECT_FALSE(inCounts) << bit;
                EXPECT_EQ(s.bodies.size(), 4u);
                for (const Double4& p : s.bodies.position) EXPECT_TRUE(std::isfinite(p.x + p.y + p.z + p.w) && p.w >= 0);
                for (const Double4& v : s.bodies.velocity) EXPECT_TRUE(std::isfinite(v.x + v.y + v.z + v.w));
            } catch (const InputError&) {
            }
        }
    }
}

TEST(Tipsy, BadNumbersAreRefusedWithPlaceAndBody) {
    const float bad[] = {std::nanf(""), HUGE_VALF, -HUGE_VALF};
    for (std::size_t body : {0u, 2u, 4u})
        for (std::size_t field = 0; field < 7; ++field)
            for (float value : bad) {
                std::string bytes = encodeSnapshot(sample(5, true), "tipsy");
                Builder one(true);
                one.add(value);
                bytes.replace(32 + 36 * body + 4 * field, 4, one.text());
                const std::string says = refusedTipsy(bytes);
                EXPECT_THAT(says, HasSubstr("body " + std::to_string(body)));
                EXPECT_THAT(says, HasSubstr("byte " + std::to_string(32 + 36 * body)));
                EXPECT_EQ(decodedTipsy(bytes, {.sanitize = true}).bodies.size(), 4u);
            }
    std::string negative = encodeSnapshot(sample(5, true), "tipsy");
    negative.replace(32, 4, Builder(true).add(-1.0f).text());
    EXPECT_THAT(refusedTipsy(negative), HasSubstr("negative"));
    EXPECT_EQ(decodedTipsy(negative, {.allowSigns = true}).bodies.position[0].w, -1);
    std::string time = encodeSnapshot(sample(5, true), "tipsy");
    time.replace(0, 8, Builder(true).add(std::nan("")).text());
    EXPECT_THAT(refusedTipsy(time), HasSubstr("time"));
}

TEST(Tipsy, HostileCountsAreRefused) {
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    const struct {
        std::int32_t bodies, dimensions, gas, dark, star;
    } cases[] = {
        {0, 3, 0, 0, 0},
        {kMost, 3, 0, kMost, 0},
        {kMost, 3, kMost, 0, 0},
        {-1, 3, 0, -1, 0},
        {-2, 3, kMost, kMost, 0},
        {0, 3, -1, 1, 0},
        {5, 3, 0, 4, 0},
        {4, 2, 1, 2, 1},
        {5, 3, 1, 3, 1},
        {std::numeric_limits<std::int32_t>::min(), 3, std::numeric_limits<std::int32_t>::min(), 0, 0},
    };
    for (const Dialect& dialect : kDialects)
        for (const auto& test : cases) {
            Builder head(dialect.bigEndian);
            head.add(1.0).add(test.bodies).add(test.dimensions).add(test.gas).add(test.dark).add(test.star);
            const std::string bytes = head.text() + made(dialect).substr(28);
            EXPECT_THROW(decodedTipsy(bytes), InputError) << test.bodies << ' ' << test.dark;
        }
    EXPECT_THAT(refusedTipsy(made(kDialects[0]), {.maxBodies = 3}), HasSubstr("more than the 3"));
}

TEST(Tipsy, VersionTwoHasIdsInPlaceOfSoftening) {
    const auto versionTwo = [](std::int64_t first) {
        Builder out(false);
        out.add(0.0)
            .add(std::int32_t{3})
            .add(std::int32_t{3})
            .add(std::int32_t{0})
            .add(std::int32_t{2})
            .add(std::int32_t{1});
        out.add(std::int32_t{2});
        for (int body = 0; body < 3; ++body) {
            for (int i = 0; i < (body == 2 ? 9 : 7); ++i) out.add(static_cast<float>(body + i));
            out.add(first + body);
        }
        return decodedTipsy(out.text());
    };
    const Snapshot small = versionTwo(7), large = versionTwo(3000000001065353216);
    EXPECT_EQ(small.bodies.id, (std::vector<std::uint32_t>{7, 8, 9}));
    EXPECT_THAT(large.notes, ::testing::Contains(HasSubstr("beyond 32 bits: numbered anew")));
    for (const Snapshot& s : {small, large}) {
        EXPECT_FALSE(s.softening);
        EXPECT_THAT(s.notes, ::testing::Not(::testing::Contains(HasSubstr("softenings"))));
        EXPECT_EQ(s.bodies.position[2].w, 2);
    }
}

TEST(Tipsy, NumbersBeyondFloatsAreNotWritten) {
    Snapshot snapshot = sample(3);
    snapshot.bodies.velocity[2].y = 1e39;
    for (const char* format : {"tipsy", "ply"}) EXPECT_THROW(encodeSnapshot(snapshot, format), IoError);
    EXPECT_NO_THROW(encodeSnapshot(snapshot, "csv"));
}

}  // namespace
}  // namespace gravlab
