// Names of files that keys write.
#include "app/system/file_names.h"

#include "cli_support.h"
#include "tests/surroundings.h"

#include <gmock/gmock.h>

namespace gravlab {
namespace {

TEST(TimedName, IsNeverThatOfAFileThatIsThere) {
    const ScratchFolder folder;
    const CurrentFolder inside(folder.path());
    constexpr int kFiles = 5;  // within a second or two, so that some have the same time
    for (int i = 0; i < kFiles; ++i) {
        const std::string name = timedName("gravlab", ".png");
        EXPECT_FALSE(fs::exists(name)) << name;
        EXPECT_THAT(name, testing::MatchesRegex("gravlab-[0-9]+-[0-9]+(-[0-9]+)?\\.png"));
        std::ofstream(name) << i;
    }
    EXPECT_EQ(folder.entries(), static_cast<std::size_t>(kFiles));
}

TEST(TimedName, TakesNoNameOfALinkThatLeadsNowhereAndNoneOfAFolder) {
    const ScratchFolder folder;
    const CurrentFolder inside(folder.path());
    for (int i = 0; i < 3; ++i) fs::create_symlink("nowhere", timedName("gravlab", ".png"));
    for (int i = 0; i < 3; ++i) fs::create_directory(timedName("gravlab", ""));
    EXPECT_EQ(folder.entries(), 6u);
}

/// A folder that cannot be read, a name that is too long: no name is free then, and none is returned.
TEST(TimedName, EndsWhereTheSystemCannotSay) {
    const ScratchFolder folder;
    const CurrentFolder inside(folder.path());
    const std::string endless(300, 'a');
    std::error_code error;
    ASSERT_NE(fs::symlink_status(endless, error).type(), fs::file_type::not_found);
    EXPECT_TRUE(timedName(endless, ".png").starts_with(endless)) << "writing it will say why not";
}

TEST(TimedName, HasPlainLettersOnly) {
    EXPECT_EQ(plainName("two bodies/x"), "two-bodies-x");
    EXPECT_EQ(plainName("../../etc"), "------etc");
    EXPECT_EQ(plainName(""), "run");
    EXPECT_EQ(plainName(std::string(100, 'a')).size(), 40u);
}

}  // namespace
}  // namespace gravlab
