// The patches of tests/mutations fit the sources: an edited line or comment near a mistake would end its test silently.
#include "tests/patches.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

TEST(Mutations, patchesFitTheSources) {
    const fs::path root(GRAVLAB_SOURCE_DIR);
    int patches = 0;
    for (const auto& entry : fs::directory_iterator(root / "tests/mutations")) {
        if (entry.path().extension() != ".patch") continue;
        ++patches;
        EXPECT_EQ(misfit(contentOf(entry.path()), root), "") << entry.path().filename();
    }
    EXPECT_GT(patches, 0);
}

TEST(Mutations, aPatchOfOtherLinesDoesNotFit) {
    const fs::path root(GRAVLAB_SOURCE_DIR);
    const std::string head =
        "--- a/tests/unit/mutations_fit_test.cpp\n+++ b/tests/unit/mutations_fit_test.cpp\n@@ -1,2 +1,2 @@\n";
    EXPECT_EQ(misfit(head + " namespace gravlab {\n-namespace {\n+namespace x {\n", root), "");
    EXPECT_NE(misfit(head + " namespace gravlab {\n-namespace y {\n+namespace x {\n", root), "");
    EXPECT_NE(misfit("--- a/no/such.cpp\n+++ b/no/such.cpp\n@@ -1,1 +1,1 @@\n-a\n+b\n", root), "");
    const std::string counted = head.substr(0, head.find("@@"));
    EXPECT_NE(misfit(counted + "@@ -1,3 +1,2 @@\n namespace gravlab {\n-namespace {\n+namespace x {\n", root), "");
    EXPECT_NE(misfit(counted + "@@ -1,2 +1,3 @@\n namespace gravlab {\n-namespace {\n+namespace x {\n", root), "");
    EXPECT_NE(misfit(counted + "@@ -1 +1 @@\n-namespace gravlab {\n+namespace x {\n", root), "")
        << "nothing says which of several equal lines is meant";
    EXPECT_EQ(misfit("Mutation: none\n", root), "no hunk");
    const std::string made = "--- /dev/null\n+++ b/tests/unit/";
    EXPECT_EQ(misfit(made + "no_such_file.cpp\n@@ -0,0 +1,1 @@\n+a\n", root), "");
    EXPECT_NE(misfit(made + "mutations_fit_test.cpp\n@@ -0,0 +1,1 @@\n+a\n", root), "");
}

}  // namespace
}  // namespace gravlab
