// The text that chooses which call fails, and when.
#include "sim/core/fault_plan.h"

#include "sim/api/errors.h"

#include <gtest/gtest.h>

namespace gravlab::test {
namespace {

constexpr std::string_view kCalls[] = {"glFirst", "glSecond"};

TEST(FaultPlanTest, countsCallsOfEachFunction) {
    FaultPlan plan("glSecond:2:7,glFirst:3+:9,cudaMalloc:1:2", "gl", kCalls);
    EXPECT_EQ(plan.call(1), 0);
    EXPECT_EQ(plan.call(1), 7);
    EXPECT_EQ(plan.call(1), 0);
    for (const int want : {0, 0, 9, 9, 9}) EXPECT_EQ(plan.call(0), want);
    EXPECT_EQ(FaultPlan().call(0), 0);
    EXPECT_EQ(FaultPlan("", "gl", kCalls).call(1), 0);
}

TEST(FaultPlanTest, refusesWhatIsNoPlan) {
    for (const char* text : {"glFirst", "glFirst:1", "glFirst:x:1", "glFirst:1:", "glFirst:1:2x", "glThird:1:1", "open:1:1",
                             ":1:1", "glFirst::1", "glFirst:+:1"})
        EXPECT_THROW(FaultPlan(text, "gl", kCalls), UsageError) << text;
}

}  // namespace
}  // namespace gravlab::test
