// The kernels' text in the lab: cut, coloured, compared.
#include "app/bench/kernel_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string inksOf(const SourceLine& line) {
    std::string inks(line.text.size(), ' ');
    for (const SourceSpan& span : line.spans)
        for (int i = span.first; i < span.last; ++i)
            inks[static_cast<std::size_t>(i)] = "pknctd"[static_cast<int>(span.ink)];
    return inks;
}

TEST(KernelSource, everyRowHasItsText) {
    std::vector<KernelRow> rows(kernels().begin(), kernels().end());
    rows.insert(rows.end(), trapKernels().begin(), trapKernels().end());
    for (const KernelRow& row : rows) {
        const KernelSource& source = kernelSource(row);
        EXPECT_FALSE(source.file.empty()) << row.name;
        EXPECT_GT(source.lines.size(), 5u) << row.name;
        EXPECT_LT(source.lines.size(), 250u) << row.name << ": the function was not found";
    }
    const KernelSource& split = kernelSource(kernel("cuda", "tiled-split"));
    EXPECT_EQ(split.file, "tiled.cuh");
    EXPECT_EQ(split.below, "tiled");
    EXPECT_GE(split.firstDifference, 0) << "one template serves both: what the row adds is marked";
    EXPECT_GE(kernelSource(kernel("cuda", "soa")).firstDifference, 0);
    EXPECT_EQ(kernelSource(kernel("cuda", "pairs")).firstDifference, -1) << "the first rung";
}

bool isMarked(const KernelSource& source, std::string_view part) {
    const auto line =
        std::ranges::find_if(source.lines, [&](const SourceLine& one) { return one.text.find(part) != std::string::npos; });
    return line != source.lines.end() && line->differs;
}

TEST(KernelSource, symmetryIsMarkedAgainstThePlainLoop) {
    const KernelSource& source = kernelSource(kernel("cpu", "naive-symmetric"));
    EXPECT_EQ(source.below, "naive");
    EXPECT_TRUE(isMarked(source, "onB * dx"));
    EXPECT_FALSE(isMarked(source, "const PairLaw law(force);"));
    EXPECT_GE(source.firstDifference, 0);
}

TEST(KernelSource, whatARowAddsToASharedTextIsMarkedByItsNames) {
    const KernelSource& runs = kernelSource(kernel("cuda", "symmetric-runs"));
    EXPECT_EQ(runs.below, "symmetric");
    EXPECT_TRUE(isMarked(runs, "deferredMass = theirs"));
    EXPECT_FALSE(isMarked(runs, "const int n = partition.bodies();"));
    EXPECT_TRUE(isMarked(kernelSource(kernel("cuda", "tiled-registers")), "kBodies"));
    EXPECT_TRUE(isMarked(kernelSource(kernel("cuda", "tiled-split")), "rangeLength"));
}

TEST(KernelSource, cutsAFunctionWithWhatStandsAboveIt) {
    const std::string file =
        "int use() { return f(3); }\n\n// Twice.\ntemplate <class T>\nT f(T x) {\n    if (x) { return 2 * x; "
        "}\n    return 0;\n}\n\nint g();\n";
    EXPECT_EQ(functionText(file, "f"),
              "// Twice.\ntemplate <class T>\nT f(T x) {\n    if (x) { return 2 * x; }\n    return 0;\n}\n");
    EXPECT_EQ(functionText(file, "g"), "") << "a declaration has no text";
    EXPECT_EQ(functionText(file, "h"), "");
}

TEST(KernelSource, coloursWordsNumbersCommentsTextAndDirectives) {
    const auto lines =
        colouredLines("#include <x>  // why\nfor (int i = 0x1f; i < n; ++i) f(\"a // b\"); // end\n/* a\nb */ x\n");
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(inksOf(lines[0]), "ddddddddddddddcccccc");
    EXPECT_THAT(inksOf(lines[1]), StartsWith("kkk pkkk p p nnnnp"));
    EXPECT_THAT(inksOf(lines[1]), HasSubstr("tttttttt"));
    EXPECT_THAT(inksOf(lines[1]), testing::EndsWith("cccccc"));
    EXPECT_EQ(inksOf(lines[2]), "cccc");
    EXPECT_EQ(inksOf(lines[3]), "cccc p");
}

TEST(KernelSource, differencesAreTheLinesThatAreNew) {
    auto now = colouredLines("a\nb\n  c\nnew\nd\n\n");
    markDifferences(now, colouredLines("a\nold\nb\nc\nd\n"));
    std::string marks;
    for (const SourceLine& line : now) marks += line.differs ? '+' : '.';
    EXPECT_EQ(marks, "...+..");
    markDifferences(now, {});
    EXPECT_TRUE(now.front().differs);
}

}  // namespace
}  // namespace gravlab
