// Texts for users stand alone: the idea of a kernel does not refer to its neighbours, and one step is written as "a step".
#include "app/model/document.h"
#include "app/parameters/parameter.h"
#include "sim/backends/kernel.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace gravlab {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PlainWords, theIdeaOfAKernelStandsAlone) {
    for (const std::string_view backend : {"cpu", "cuda"}) {
        std::set<std::string> ideas;
        for (const KernelRow& row : kernels()) {
            if (row.backend != backend) continue;
            const std::string idea(row.idea);
            EXPECT_THAT(idea, Not(HasSubstr("the same "))) << row.name << ": the same as what?";
            EXPECT_THAT(idea, Not(HasSubstr("the tiled kernel"))) << row.name;
            EXPECT_TRUE(ideas.insert(idea).second) << row.name << " has the idea of another kernel";
            EXPECT_LE(std::count(idea.begin(), idea.end(), ' '), 24) << row.name << ": 25 words at most";
        }
    }
}

TEST(PlainWords, oneStepIsAStep) {
    EXPECT_THAT(runGravlab({"run", "two-body", "--steps", "1"}).out, HasSubstr(", 1 step of 0."));
    EXPECT_THAT(runGravlab({"run", "two-body", "--steps", "2"}).out, HasSubstr(", 2 steps of 0."));
}

TEST(PlainWords, aVectorHoldsBodiesOfThePrecision) {
    Document document;
    const auto bodies = [&] { return parameter("run.vector_bodies").get(document); };
    document.facts.launch.vectorLanes = 0;
    EXPECT_TRUE(isNothing(bodies())) << "a GPU has none";
    document.facts.launch.vectorLanes = 8;
    document.facts.configuration.force.precision = Precision::fp32;
    EXPECT_EQ(bodies(), Value(std::int64_t{8}));
    document.facts.configuration.force.precision = Precision::fp64;
    EXPECT_EQ(bodies(), Value(std::int64_t{4})) << "a number takes the room of two";
}

}  // namespace
}  // namespace gravlab
