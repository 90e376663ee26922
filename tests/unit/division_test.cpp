// How devices divide forces: lists of devices, shares, and what stays on the first device.
#include "sim/backends/division.h"
#include "sim/backends/devices.h"

#include <gtest/gtest.h>

#include <numeric>

namespace gravlab {
namespace {

TEST(Division, ReadsAndWritesListsOfDevices) {
    for (const char* text : {"0", "3", "0,1,2", "0,0,0", "1,0", "1023"}) {
        BackendOptions options;
        ASSERT_TRUE(takeDevices(options, text)) << text;
        EXPECT_EQ(devicesText(options), text);
    }
    BackendOptions options{.device = 2, .helpers = {3}};
    for (const char* text : {"", ",", "0,", ",1", "-1", "1024", "0;1", "0.5", "one", "0, 1", "99999999999"})
        EXPECT_FALSE(takeDevices(options, text)) << text;
    std::string many = "0";
    for (int k = 0; k < kMostDevices; ++k) many += ",0";
    EXPECT_FALSE(takeDevices(options, many));
    EXPECT_EQ(devicesText(options), "2,3") << "nothing changes where the text is refused";
    EXPECT_TRUE(takeDevices(options, "all"));
    EXPECT_EQ(options.device, 0);
    EXPECT_EQ(helpersText({}), "");
    EXPECT_EQ(helpersText({.device = 0, .helpers = {1, 2}}), ", helpers 1 and 2");
    EXPECT_EQ(helpersText({.device = 0, .helpers = {0}}), ", helper 0 as a test");
    EXPECT_EQ(cpuHelpers({.device = 0, .helpers = {0, 1, 0}}).size(), 2u);
    EXPECT_TRUE(cpuHelpers({.device = 1, .helpers = {1}}).empty()) << "a run of other devices goes on undivided";
}

TEST(Division, CutsRangesInProportionToWeights) {
    using Bounds = std::vector<std::size_t>;
    const auto cut = [](std::vector<double> weights, std::size_t units, std::vector<double> work = {},
                        double undivided = 0) { return cutByWeights(weights, units, work, undivided); };
    EXPECT_EQ(cut({1}, 7), (Bounds{0, 7}));
    EXPECT_EQ(cut({1, 1}, 8), (Bounds{0, 4, 8}));
    EXPECT_EQ(cut({1, 1, 1}, 9000), (Bounds{0, 3000, 6000, 9000}));
    EXPECT_EQ(cut({1, 3}, 8), (Bounds{0, 2, 8}));
    EXPECT_EQ(cut({1, 1, 1, 1}, 2), (Bounds{0, 0, 1, 1, 2})) << "fewer units than ranges";
    EXPECT_EQ(cut({1, 1}, 0), (Bounds{0, 0, 0}));
    EXPECT_EQ(cut({1, 1}, 4, {9, 1, 1, 1}), (Bounds{0, 1, 4}));
    EXPECT_EQ(cut({1, 1}, 4, {0, 0, 0, 0}), (Bounds{0, 2, 4})) << "without work, units count";
    EXPECT_EQ(cut({1, 1}, 8, {}, 4), (Bounds{0, 2, 8})) << "the first range has other work, too";
    EXPECT_EQ(cut({1, 1, 1}, 8, {}, 100), (Bounds{0, 0, 4, 8})) << "the first range has more than its share already";
    std::vector<double> work(kTreeParts);
    std::iota(work.begin(), work.end(), 0.0);
    const Bounds bounds = cut({1, 2, 1}, kTreeParts, work);
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    const auto part = [&](std::size_t k) {
        return std::accumulate(work.data() + bounds[k], work.data() + bounds[k + 1], 0.0) / all;
    };
    EXPECT_NEAR(part(0), 0.25, 0.001);
    EXPECT_NEAR(part(1), 0.5, 0.001);
}

TEST(Division, SaysWhyAForceStaysOnTheFirstDevice) {
    const StepProgram leapfrog = usualIntegrator().program;
    const auto why = [&](const char* name, const char* backend = "cpu", StepProgram program = {}, std::size_t bodies = 5000,
                         bool test = true) { return whyUndivided(kernel(backend, name), program, bodies, test); };
    for (const char* row : {"simd-threads", "naive", "tree", "tree-theta"}) EXPECT_EQ(why(row), "") << row;
    EXPECT_EQ(why("tree", "cuda", leapfrog), "");
    EXPECT_NE(why("symmetric-threads").find("each pair"), std::string::npos);
    EXPECT_EQ(why("symmetric", "cuda"), "") << "a device sums pairs in a fixed number of parts";
    EXPECT_NE(why("cells").find("one device"), std::string::npos);
    EXPECT_NE(why("many-steps", "cuda").find("whole steps"), std::string::npos);
    EXPECT_NE(why("simd-threads", "cpu", integrator("radau15").program).find("adaptive"), std::string::npos);
    EXPECT_NE(why("simd-threads", "cpu", integrator("hermite4").program).find("jerk"), std::string::npos);
    EXPECT_NE(why("simd-threads", "cpu", leapfrog, 100).find("too few"), std::string::npos);
    const std::pair<const char*, std::size_t> crossovers[] = {{"symmetric-runs", 16384}, {"tiled", 32768}, {"tree", 65536}};
    for (const auto& [row, bodies] : crossovers) {
        EXPECT_EQ(why(row, "cuda", leapfrog, bodies, false), "") << row;
        EXPECT_NE(why(row, "cuda", leapfrog, bodies - 1, false).find(" gains by a second device from "), std::string::npos);
        EXPECT_EQ(why(row, "cuda", leapfrog, bodies - 1, true), "") << "a test of the division has any N";
    }
    EXPECT_FALSE(repeatsDevice({.device = 0, .helpers = {1, 2}}));
    EXPECT_TRUE(repeatsDevice({.device = 0, .helpers = {1, 0}}));
    EXPECT_TRUE(repeatsDevice({.device = 0, .helpers = {1, 1}}));
}

}  // namespace
}  // namespace gravlab
