// Every input that a fuzzer found or started from, replayed in each run of the tests. Files of earlier builds stay readable.
#include "sim/io/snapshot.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/paths.h"
#include "tests/unit/io_support.h"

#include <cmath>

namespace gravlab {
namespace {

TEST(Corpus, EveryInputKeepsThePromises) {
    for (const fuzz::Target& target : fuzz::kTargets) {
        const std::filesystem::path folder = std::filesystem::path(GRAVLAB_SOURCE_DIR) / "tests/fuzz/corpus" / target.name;
        int inputs = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            SCOPED_TRACE(entry.path());
            const std::string bytes = contentOf(entry.path());
            target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
            ++inputs;
        }
        EXPECT_GT(inputs, 0) << folder;
    }
}

// tests/data/figure-eight.* were written by the first version of these writers.
TEST(StoredFiles, StayReadable) {
    for (const char* extension : {"csv", "tab", "tipsy", "hdf5"}) {
        if (!formatForWriting(std::string("x.") + extension).unavailable().empty()) continue;
        SCOPED_TRACE(extension);
        const auto path =
            std::filesystem::path(GRAVLAB_SOURCE_DIR) / "tests/data" / (std::string("figure-eight.") + extension);
        const Snapshot s = readSnapshot(path);
        const double tolerance = extension == std::string_view("tipsy") ? 1e-7 : 1e-16;
        ASSERT_EQ(s.bodies.size(), 3u);
        EXPECT_NEAR(s.bodies.position[0].x, 0.970004356697333440, tolerance);
        EXPECT_NEAR(s.bodies.position[1].y, 0.243087531535848862, tolerance);
        EXPECT_NEAR(s.bodies.velocity[2].y, -0.864731460921005956, tolerance);
        EXPECT_EQ(s.bodies.position[2].w, 1);
        if (extension != std::string_view("hdf5")) continue;
        EXPECT_EQ(s.step, 1000);
        EXPECT_EQ(s.time, 1.0);
        EXPECT_EQ(s.timeStep, 0.001);
        EXPECT_EQ(s.seed, 1u);
        EXPECT_EQ(s.settings, "scene = \"figure-eight\"\nintegrator = \"leapfrog\"\n");
        EXPECT_EQ(s.state, (std::vector<StateArray>{{"example", {0.5, 0.25}}}));
        EXPECT_EQ(s.bodies.group, (std::vector<std::uint8_t>{0, 0, 1}));
    }
}

}  // namespace
}  // namespace gravlab
