// Names that people type.
#include "sim/core/names.h"

#include "sim/backends/backend.h"
#include "sim/backends/kernel.h"
#include "sim/integrators/integrator.h"
#include "sim/scenes/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

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
    struct Row {
        std::string_view name;
    };
    const std::vector<Row> rows{{"one"}, {""}, {"two"}};
    EXPECT_EQ(joined(rows, &Row::name), "one, two");
    EXPECT_EQ(joined(
                  rows, [](const Row& row) { return row.name.size() > 2 ? std::string("x") : std::string(); }, " and "),
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

}  // namespace
}  // namespace gravlab
