// Documents: every link to a file of this tree leads somewhere, and the course names every lesson with its minutes.
#include "app/lessons/lesson_file.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
    const fs::path root(GRAVLAB_SOURCE_DIR);
    std::vector<fs::path> found{root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md"};
    for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
        if (entry.path().extension() == ".md") found.push_back(entry.path());
    return found;
}

/// Links of a page that lead to no file.
std::string deadLinks(const std::string& text, const fs::path& folder) {
    static const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
    std::string dead;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), link); found != std::sregex_iterator(); ++found) {
        const std::string target = (*found)[1];
        if (target.find("://") == std::string::npos && !fs::exists(folder / target)) dead += target + " ";
    }
    return dead;
}

TEST(Documents, linksLeadSomewhere) {
    for (const fs::path& page : documents()) EXPECT_EQ(deadLinks(contentOf(page), page.parent_path()), "") << page;
    EXPECT_EQ(deadLinks("[a](no-such.md), [b](http://x.org), ![c](README.md#part)", GRAVLAB_SOURCE_DIR), "no-such.md ");
}

TEST(Documents, theCourseNamesEveryLessonWithItsMinutes) {
    const std::string page = contentOf(fs::path(GRAVLAB_SOURCE_DIR) / "docs/lessons.md");
    for (const std::string& name : lessonNames()) {
        const std::string quoted = "`" + std::string(name) + "`";
        EXPECT_NE(page.find("| " + quoted), page.find(", " + quoted)) << name << " is not in the course";
        const std::size_t row = page.find("| " + quoted + " | ");
        if (row == std::string::npos) continue;
        EXPECT_EQ(std::stoi(page.substr(row + quoted.size() + 5)), lessonNamed(name)->minutes) << name;
    }
}

}  // namespace
}  // namespace gravlab
