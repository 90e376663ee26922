// The folders of a user's own files.
#include "app/system/file_names.h"
#include "tests/surroundings.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace gravlab {
namespace {

TEST(UserFolder, isTheOneOfTheEnvironmentUnlessItIsRelative) {
    const auto with = [](const char* base, const char* home) {
        using Value = std::optional<std::string>;
        const EnvironmentVariable set("GRAVLAB_TEST_BASE", base ? Value(base) : Value());
        const EnvironmentVariable user("HOME", home ? Value(home) : Value());
        return userFolder("GRAVLAB_TEST_BASE", ".local/state").string();
    };
    EXPECT_EQ(with("/x", "/home/u"), "/x/gravlab");
    EXPECT_EQ(with("x", "/home/u"), "/home/u/.local/state/gravlab");
    EXPECT_EQ(with(nullptr, "/home/u"), "/home/u/.local/state/gravlab");
    EXPECT_EQ(with(nullptr, "u"), "");
    EXPECT_EQ(with("x", nullptr), "");
}

}  // namespace
}  // namespace gravlab
