// The patches of tests/mutations fit the sources: an edited line or comment near a mistake would end its test silently.
#include "tests/files.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

/// The first hunk of a unified diff whose old lines are not together in its file under root, or nothing.
std::string misfit(const std::string& patch, const fs::path& root) {
    std::istringstream lines(patch);
    std::string line, path, source, before;
    bool inHunk = false, lost = false;
    const auto closed = [&] {
        lost = lost || (inHunk && source.find("\n" + before) == std::string::npos);
        return lost;
    };
    while (std::getline(lines, line)) {
        if (line.starts_with("--- a/")) {
            if (closed()) return path;
            inHunk = false;
            path = line.substr(6);
            source = "\n" + contentOf(root / path);
        } else if (line.starts_with("+++ ")) {
            continue;
        } else if (line.starts_with("@@")) {
            if (closed()) return path + ":\n" + before;
            inHunk = true;
            before.clear();
        } else if (inHunk && (line.starts_with(" ") || line.starts_with("-"))) {
            before += line.substr(1) + "\n";
        } else if (inHunk && line.empty()) {
            before += "\n";
        }
    }
    if (!inHunk) return "no hunk";
    return closed() ? path + ":\n" + before : "";
}

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
    EXPECT_EQ(misfit("Mutation: none\n", root), "no hunk");
}

}  // namespace
}  // namespace gravlab
