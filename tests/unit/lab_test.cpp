// The lab without its panel: sweeps and searches by slices, results, and what is refused.
#include "app/lab.h"

#include "sim/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gravlab {
namespace {

using testing::HasSubstr;

LabSubject subject(const char* kernelName, std::size_t bodies) {
    LabSubject s;
    s.backend = "cpu";
    s.kernel.kernel = kernelName;
    s.bodies = bodies;
    return s;
}

const LabSweep& sweepNamed(std::string_view name) {
    const auto rows = labSweeps();
    return *std::find_if(rows.begin(), rows.end(), [&](const LabSweep& row) { return row.name == name; });
}

TEST(Lab, sweepsInSlicesAndQuietensTheDeviceFirst) {
    Lab lab;
    int quiet = 0;
    const auto quieten = [&quiet] { ++quiet; };
    lab.advance(0.01, quieten);
    EXPECT_EQ(quiet, 0) << "nothing is measured, so nothing waits";
    lab.startSweep(sweepNamed("threads"), subject("simd-threads", 64));
    EXPECT_TRUE(lab.busy());
    while (lab.busy()) lab.advance(0.05, quieten);
    EXPECT_GT(quiet, 1);
    ASSERT_FALSE(lab.results().empty());
    EXPECT_EQ(lab.results().front().row.kernel, "simd-threads");
    EXPECT_EQ(lab.results().front().point.x, 1);
    ASSERT_NE(lab.best(), nullptr);
    EXPECT_TRUE(lab.best()->row.verified);
}

TEST(Lab, cancelKeepsTheResultsAndANewSweepDropsThem) {
    Lab lab;
    lab.startSweep(sweepNamed("bodies"), subject("simd", 64));
    while (lab.results().empty()) lab.advance(0.02, [] {});
    lab.cancel();
    EXPECT_FALSE(lab.busy());
    EXPECT_EQ(lab.status(), "cancelled");
    EXPECT_FALSE(lab.results().empty());
    lab.startSweep(sweepNamed("bodies"), subject("simd", 64));
    EXPECT_TRUE(lab.results().empty());
}

TEST(Lab, greysWhatAKernelCannotVary) {
    EXPECT_THAT(refusal(sweepNamed("block"), kernel("cpu", "simd")), HasSubstr("no block size"));
    EXPECT_THAT(refusal(sweepNamed("block x unroll"), kernel("cuda", "global")), HasSubstr("no unroll"));
    EXPECT_EQ(refusal(sweepNamed("block x unroll"), kernel("cuda", "tiled")), "");
    EXPECT_EQ(refusal(sweepNamed("bodies"), kernel("cpu", "naive")), "");
}

TEST(Lab, leavesWhatWouldStopThePictureToTheCommandLine) {
    Lab lab;
    lab.startTune(subject("simd", 1u << 20));
    EXPECT_FALSE(lab.busy());
    EXPECT_THAT(lab.status(), HasSubstr("gravlab tune"));
    lab.startSweep(sweepNamed("threads"), subject("simd-threads", 1u << 20));
    EXPECT_FALSE(lab.busy());
    EXPECT_THAT(lab.status(), HasSubstr("262,144"));
}

TEST(Lab, opensAtAPageByName) {
    Lab lab;
    lab.openAt("");
    EXPECT_FALSE(lab.open);
    lab.openAt("matrix");
    EXPECT_TRUE(lab.open);
    EXPECT_EQ(lab.page, LabPage::matrix);
}

}  // namespace
}  // namespace gravlab
