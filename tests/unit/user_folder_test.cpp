// The folders of a user's own files.
#include "app/system/file_names.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace gravlab {
namespace {

TEST(UserFolder, isTheOneOfTheEnvironmentUnlessItIsRelative) {
    const auto with = [](const char* base, const char* home) {
        base ? ::setenv("GRAVLAB_TEST_BASE", base, 1) : ::unsetenv("GRAVLAB_TEST_BASE");
        const char* had = std::getenv("HOME");
        const std::string kept = had ? had : "";
        home ? ::setenv("HOME", home, 1) : ::unsetenv("HOME");
        const std::string folder = userFolder("GRAVLAB_TEST_BASE", ".local/state").string();
        had ? ::setenv("HOME", kept.c_str(), 1) : ::unsetenv("HOME");
        ::unsetenv("GRAVLAB_TEST_BASE");
        return folder;
    };
    EXPECT_EQ(with("/x", "/home/u"), "/x/gravlab");
    EXPECT_EQ(with("x", "/home/u"), "/home/u/.local/state/gravlab");
    EXPECT_EQ(with(nullptr, "/home/u"), "/home/u/.local/state/gravlab");
    EXPECT_EQ(with(nullptr, "u"), "");
    EXPECT_EQ(with("x", nullptr), "");
}

}  // namespace
}  // namespace gravlab
