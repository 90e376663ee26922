// Names of single bodies: printable, bounded, by id, and with the right body after edits.
#include "sim/core/body_names.h"
#include "sim/core/body_edit.h"
#include "sim/run/simulation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gravlab {
namespace {

TEST(BodyNames, AreFoundByIdWhateverTheOrder) {
    BodyNames names;
    EXPECT_TRUE(names.add(70, "Ceres", "dwarf"));
    EXPECT_TRUE(names.add(3, "Sun"));
    EXPECT_TRUE(names.add(5, "", "probe"));
    EXPECT_TRUE(names.add(9, "  "));
    names.sort();
    EXPECT_EQ(names.size(), 3u) << "a body without name and tag has no row";
    EXPECT_EQ(names.nameOf(3), "Sun");
    EXPECT_EQ(names.nameOf(70), "Ceres");
    EXPECT_EQ(names.tagOf(70), "dwarf");
    EXPECT_EQ(names.tagOf(5), "probe");
    EXPECT_EQ(names.nameOf(4), "");
    EXPECT_EQ(names.idsEnd(), 71u);
}

TEST(BodyNames, ArePrintableAndBounded) {
    BodyNames names;
    names.add(0, "a\x1b[31mred\x07\nline");
    names.add(1, std::string(10'000'000, 'x'));
    names.add(
        2,
        std::string(40, 'y') +
            std::string(
                "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"));
    names.sort();
    for (std::uint32_t id = 0; id < 3; ++id) {
        const std::string_view name = names.nameOf(id);
        EXPECT_LE(name.size(), BodyNames::kMostBytes);
        for (const char c : name) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << id;
    }
    EXPECT_EQ(names.nameOf(1).size(), BodyNames::kMostBytes);
    EXPECT_EQ(names.nameOf(2).back(), '\xa9') << "not cut within a letter";
}

TEST(BodyNames, MatchExactlyFirst) {
    BodyNames names;
    for (const char* name : {"Marsden", "Mercury", "Mars", "Neptune"})
        names.add(static_cast<std::uint32_t>(names.size()), name);
    names.sort();
    const std::vector<BodyNames::Row> found = names.matching("mars", 10);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].name, "Mars");
    EXPECT_EQ(found[1].name, "Marsden");
    EXPECT_EQ(names.matching("M", 2).size(), 2u);
    EXPECT_TRUE(names.matching("", 10).empty());
    EXPECT_TRUE(names.matching("pluto", 10).empty());
}

TEST(BodyNames, FollowTheirBodiesToOtherNumbers) {
    BodyNames names;
    names.add(0, "a");
    names.add(2, "c");
    names.add(9, "gone");
    names.sort();
    const BodyNames moved = names.renumbered(std::vector<std::uint32_t>{40, 30, 20});
    EXPECT_EQ(moved.size(), 2u);
    EXPECT_EQ(moved.nameOf(40), "a");
    EXPECT_EQ(moved.nameOf(20), "c");
    EXPECT_EQ(names.of(std::vector<std::uint32_t>{9, 1}).size(), 1u);
}

TEST(BodyNames, OfTheSolarSystemStayThroughEdits) {
    RunRequest request;
    request.scene = "solar-system";
    Simulation simulation(request);
    ParticleSet bodies = simulation.bodies();
    EXPECT_EQ(simulation.names()->nameOf(bodies.id[0]), "Sun");
    EXPECT_EQ(simulation.names()->nameOf(bodies.id[3]), "Earth");
    const BodyEdit gone{.kind = BodyEdit::Kind::remove, .id = bodies.id[1]};
    applyEdits(bodies, std::vector{gone});
    simulation.load(bodies);
    simulation.snapshot(bodies);
    EXPECT_EQ(simulation.names()->nameOf(bodies.id[2]), "Earth") << "one place on, the same body";
    RunRequest other = simulation.request();
    other.changeScene("two-body");
    simulation.apply(other);
    EXPECT_TRUE(simulation.names()->empty());
}

}  // namespace
}  // namespace gravlab
