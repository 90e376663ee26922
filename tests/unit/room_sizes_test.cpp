// Each room of the sources keeps its size. A commit that needs more lines raises the row and says why in that row.
#include "tests/files.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

/// One row of tests/data/room_sizes.txt: `room allowed why`.
struct RoomSize {
    std::string room;
    std::size_t allowed = 0;
    std::string why;
};

std::vector<RoomSize> readRoomSizes(const std::string& text) {
    std::vector<RoomSize> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words(line);
        RoomSize row;
        words >> row.room >> row.allowed >> std::ws;
        std::getline(words, row.why);
        rows.push_back(row);
    }
    return rows;
}

bool isSource(const fs::path& file) {
    static constexpr std::array<std::string_view, 9> kEndings = {".h",    ".cpp",  ".cu",   ".cuh", ".inl",
                                                                 ".glsl", ".vert", ".frag", ".comp"};
    return std::find(kEndings.begin(), kEndings.end(), file.extension().string()) != kEndings.end();
}

/// The longest room that holds a file; empty if none does.
std::string roomOf(const std::string& file, const std::vector<RoomSize>& rows) {
    std::string best;
    for (const RoomSize& row : rows)
        if (file.starts_with(row.room + "/") && row.room.size() > best.size()) best = row.room;
    return best;
}

/// Complaints about rooms that are larger than their row, far smaller, or in no row.
std::vector<std::string> complaints(const std::vector<RoomSize>& rows, const std::map<std::string, std::size_t>& files) {
    std::vector<std::string> found;
    std::map<std::string, std::size_t> lines;
    for (const auto& [file, count] : files) {
        const std::string room = roomOf(file, rows);
        if (room.empty()) found.push_back(file + " is in no room of the table");
        lines[room] += count;
    }
    for (const RoomSize& row : rows) {
        const std::size_t now = lines[row.room];
        const std::string name = row.room + " has " + std::to_string(now) + " lines, " + std::to_string(row.allowed);
        if (now > row.allowed)
            found.push_back(name + " allowed: make it smaller, or raise the row and say why");
        else if (row.allowed > now + std::max<std::size_t>(100, now / 20))
            found.push_back(name + " allowed: lower the row, so that the room keeps its size");
        if (row.why.empty()) found.push_back(row.room + " does not say what its lines are for");
    }
    return found;
}

std::map<std::string, std::size_t> sourcesOfTheTree() {
    std::map<std::string, std::size_t> files;
    const fs::path root = GRAVLAB_SOURCE_DIR;
    for (const char* top : {"app", "render", "sim", "shaders", "tests"})
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top))
            if (entry.is_regular_file() && isSource(entry.path())) {
                const std::string text = contentOf(entry.path());
                files[fs::relative(entry.path(), root).generic_string()] =
                    static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
            }
    return files;
}

TEST(RoomSizes, areThoseOfTheTable) {
    const std::vector<RoomSize> rows = readRoomSizes(contentOf(fs::path(GRAVLAB_SOURCE_DIR) / "tests/data/room_sizes.txt"));
    EXPECT_GE(rows.size(), 20u) << "the table was not found";
    for (const std::string& complaint : complaints(rows, sourcesOfTheTree())) ADD_FAILURE() << complaint;
}

TEST(RoomSizes, noticeARoomThatGrewShrankOrIsNew) {
    const std::vector<RoomSize> rows = readRoomSizes("# room allowed why\napp/ui 1000 panels\nsim 500 physics\n");
    EXPECT_THAT(complaints(rows, {{"app/ui/panel.cpp", 990}, {"sim/core/vec.h", 490}}), testing::IsEmpty());
    EXPECT_THAT(complaints(rows, {{"app/ui/panel.cpp", 1001}, {"sim/core/vec.h", 490}}),
                testing::ElementsAre(testing::HasSubstr("app/ui has 1001 lines, 1000 allowed: make it smaller")));
    EXPECT_THAT(complaints(rows, {{"app/ui/panel.cpp", 990}, {"sim/core/vec.h", 390}}),
                testing::ElementsAre(testing::HasSubstr("lower the row")));
    EXPECT_THAT(complaints(rows, {{"app/ui/panel.cpp", 990}, {"sim/core/vec.h", 490}, {"app/flat.cpp", 1}}),
                testing::ElementsAre("app/flat.cpp is in no room of the table"));
    EXPECT_THAT(complaints(readRoomSizes("app 10\n"), {{"app/a.h", 9}}),
                testing::ElementsAre(testing::HasSubstr("does not say")));
}

}  // namespace
}  // namespace gravlab
