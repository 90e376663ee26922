// Grading of a folder on a GPU: kernels that hang, write out of bounds, are wrong are named, and the others are
// timed. Neither affects the next.
#include "app/bench/grade.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/paths.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>

#include <string>

namespace gravlab::test {
namespace {

class GradeOnGpu : public GpuTest {};

TEST_F(GradeOnGpu, eachKernelOfAFolderGetsItsVerdict) {
    if (const Reason reason = whyNoCompiler(); !reason.empty()) {
        if (gpuRequired()) FAIL() << reason;
        GTEST_SKIP() << reason;
    }
    const ScratchFolder folder;
    const std::string tiled(ownTemplateText("tiled"));
    const auto write = [&](const char* name, const std::string& from, const std::string& to) {
        std::string text = tiled;
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        put((folder / name).string(), text.replace(at, from.size(), to));
    };
    write("a-good.cu", "", "");
    write("b-hangs.cu", "base += BLOCK", "base += 0 * BLOCK");
    write("c-sleeps.cu", "base += BLOCK) {", "base += 0 * BLOCK) { for (int k = 0; k < 1000; ++k) __nanosleep(1000000);");
    write("d-behind.cu", "if (i < n) acc", "acc");
    write("e-wrong.cu", "mine < n ?", "mine < n - 1 ?");
    write("f-good.cu", "int i", "int i");
    GradeRequest request{.folder = folder.path(), .bodies = 4096, .limits = {.compile = 60, .force = 2}};
    request.program = GRAVLAB_BINARY;
    std::size_t rows = 0;
    const GradeSheet sheet = gradeFolder(request, [&](const GradeSheet&) { ++rows; });
    ASSERT_EQ(sheet.rows.size(), 6u);
    EXPECT_EQ(rows, 6u);
    EXPECT_TRUE(sheet.ran());
    EXPECT_FALSE(sheet.device.empty());
    const char* const verdicts[] = {"good", "hangs", "hangs", "out of bounds", "wrong", "good"};
    for (std::size_t k = 0; k < sheet.rows.size(); ++k) {
        const Graded& row = sheet.rows[k];
        EXPECT_EQ(verdictOf(row.reply), verdicts[k]) << row.file << ": " << row.reply.sentence;
        EXPECT_EQ(row.reply.secondsPerForce > 0, row.reply.outcome == OwnOutcome::good) << row.file;
        EXPECT_EQ(errorsOf(row).empty(), row.reply.outcome == OwnOutcome::good) << row.file;
    }
    EXPECT_GT(errorsOf(sheet.rows[1]).front().line, 0);
    EXPECT_GT(errorsOf(sheet.rows[3]).front().line, 0);
}

}  // namespace
}  // namespace gravlab::test
