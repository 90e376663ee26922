// Names that people type.
#include "sim/core/names.h"
#include "sim/backends/backend.h"
#include "sim/backends/kernel.h"
#include "sim/core/body_edit.h"
#include "sim/core/body_names.h"
#include "sim/integrators/integrator.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::HasSubstr;

template <class Call>
std::string refusal(Call call) {
    try {
        call();
    } catch (const UsageError& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

TEST(Names, theMessageNamesTheNearestAndAllValidOnes) {
    const std::string text = unknownName("scene", "plumer", {"disc", "plummer", "cube"});
    EXPECT_EQ(text, "unknown scene 'plumer'; did you mean 'plummer'? valid: disc, plummer, cube");
}

TEST(Names, areJoinedWithoutEmptyOnes) {
    struct Case {
        std::string_view name;
    };
    const std::vector<Case> rows{{"one"}, {""}, {"two"}};
    EXPECT_EQ(joined(rows, &Case::name), "one, two");
    EXPECT_EQ(joined(
                  rows, [](const Case& row) { return row.name.size() > 2 ? std::string("x") : std::string(); }, " and "),
              "x and x");
    EXPECT_EQ(joined(std::vector<std::string>{}, {}, ","), "");
    std::string list;
    for (const char* text : {"a", "b"}) addTo(list, text, "; ");
    EXPECT_EQ(list, "a; b");
}

TEST(Names, emptyAndHugeNamesGiveAShortMessage) {
    EXPECT_THAT(unknownName("scene", "", {"disc"}), HasSubstr("valid: disc"));
    EXPECT_LT(unknownName("scene", std::string(100000, 'x'), {"disc"}).size(), 200u);
    EXPECT_THAT(unknownName("scene", "x", {}), HasSubstr("none to choose"));
}

TEST(Names, everyTableRefusesUnknownNamesWithAHint) {
    EXPECT_THAT(refusal([] { sceneNamed("colision"); }), HasSubstr("did you mean 'collision'?"));
    EXPECT_THAT(refusal([] { integrator("leapfrg"); }), HasSubstr("did you mean 'leapfrog'?"));
    EXPECT_THAT(refusal([] { backend("cuba"); }), HasSubstr("did you mean 'cuda'?"));
    EXPECT_THAT(refusal([] { chooseBackend("Auto", {}); }), HasSubstr("did you mean 'auto'?"));
    EXPECT_THAT(refusal([] { kernel("cuda", "tield"); }), HasSubstr("did you mean 'tiled'?"));
    EXPECT_THAT(refusal([] { kernel("no-backend", "tiled"); }), HasSubstr("unknown no-backend kernel"));
    EXPECT_THAT(refusal([] { kernel("cpu", "tiled"); }), HasSubstr("unknown cpu kernel 'tiled'"));
}

template <class Rows>
void expectDistinctNames(const Rows& rows) {
    std::set<std::string_view> names;
    for (const auto& row : rows) {
        EXPECT_FALSE(row.name.empty());
        EXPECT_FALSE(row.idea.empty()) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    }
    EXPECT_FALSE(names.empty());
}

TEST(Names, everyRowHasANameOfItsOwnAndAnIdea) {
    expectDistinctNames(sceneTable());
    expectDistinctNames(integrators());
    expectDistinctNames(backends());
    for (const BackendRow& row : backends()) {
        std::vector<KernelRow> ofBackend;
        for (const KernelRow& k : kernels())
            if (k.backend == row.name) ofBackend.push_back(k);
        expectDistinctNames(ofBackend);
    }
}

TEST(Names, backendsAreFoundByWhatTheyAre) {
    for (const BackendRow& row : backends()) {
        EXPECT_EQ(row.exact + row.usesCores + row.onDevice, 1) << row.name;
        EXPECT_EQ(findBackend(row.name), &row);
    }
    EXPECT_EQ(findBackend("cpuu"), nullptr);
    EXPECT_EQ(exactBackend().name, "reference");
    EXPECT_EQ(hostBackend().name, "cpu");
    EXPECT_EQ(deviceBackend().name, "cuda");
}

TEST(Names, studiesGoUpToWhatABackendCanDo) {
    using testing::ElementsAre;
    EXPECT_THAT(studiedBodies(exactBackend().mostStudied), ElementsAre(256, 1024, 4096));
    EXPECT_THAT(studiedBodies(hostBackend().mostStudied), ElementsAre(1024, 4096, 16384, 65536));
    EXPECT_THAT(studiedBodies(deviceBackend().mostStudied), ElementsAre(1024, 4096, 16384, 65536, 262144, 1048576));
}

// Names of single bodies: printable, bounded, by id, and with the right body after edits.

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
    RunRequest request{.scene = "solar-system"};
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
