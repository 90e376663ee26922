// Which folder may include which headers, checked over the #include lines of the tree. A row of the tables is a rule: fences
// around libraries, and the order of the rooms, where each room includes only rooms above it in the table.
#include "tests/files.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

/// Headers that only the named files may include.
struct Fence {
    const char* what;
    const char* headers;  ///< regular expression over the included name
    const char* files;    ///< regular expression over the including file
};

// A name without a dot or slash is the standard library.
const Fence kFences[] = {
    {"Highway is for sim/backends/cpu", "hwy/.*", "sim/backends/cpu/.*"},
    {"OpenMP is for sim/backends/cpu", "omp\\.h", "sim/backends/cpu/.*"},
    {"processor intrinsics are for sim/backends/cpu", ".*intrin\\.h", "sim/backends/cpu/.*"},
    {"CUDA is for sim/backends/cuda", "(cuda|cuda_.*|nv.*|driver_types)\\.h|cub/.*|cooperative_groups.*",
     "sim/backends/cuda/.*|render/.*_cuda\\.cpp|tests/(gpu|launches)/.*|tests/extensions/.*\\.cu"},
    {"sim/backends/cuda is for builds with CUDA", "sim/backends/cuda/.*",
     "sim/backends/cuda/.*|render/.*_cuda\\.cpp|tests/(gpu|launches)/.*|tests/.*\\.cu"},
    {"toml++ is for the file that checks what it takes for granted", "toml\\+\\+/.*", "sim/io/toml_parser\\.h"},
    {"the parser of TOML is for three files", "sim/io/toml_parser\\.h",
     "sim/io/toml_value\\.cpp|app/lessons/lesson_file\\.cpp|app/files/toml_document\\.cpp"},
    {"zlib is for sim/io/file", "zlib\\.h", "sim/io/file/.*|tests/unit/io_.*"},
    {"HDF5 is for sim/io", "hdf5.*|H5.*", "sim/io/.*|tests/unit/io_.*"},
    {"OpenGL is for render and for contexts", "glad/.*|GL/.*",
     "render/.*|app/frontends/[a-z]+/(window|headless|[a-z_]*context)[a-z_]*\\.(h|cpp)|tests/(gl|gui|gpu)/.*"},
    {"GLM is for render and what uses cameras", "glm/.*", "render/.*|app/.*|tests/.*"},
    {"GLFW is for its context", "GLFW/.*|backends/imgui_impl_glfw\\.h|imgui_impl_glfw\\.h",
     "app/frontends/window/window[a-z_]*\\.(h|cpp)|tests/gui/.*"},
    {"EGL is for its context", "EGL/.*", "app/frontends/headless/headless[a-z_]*\\.(h|cpp)|tests/(gl|gpu)/.*"},
    {"Boost is for sockets", "boost/.*", "app/serve/wire_beast\\.cpp"},
    {"each codec has a file", "wels/.*|turbojpeg\\.h", "app/serve/codec_(openh264|jpeg)\\.cpp"},
    {"CLI11 is for the options", "CLI/.*", "app/commands/(options|option_rows)\\.cpp"},
    {"render sees vertices only", "sim/(?!core/vertex\\.h|api/errors\\.h|core/names\\.h|backends/cuda/runtime/api\\.h).*",
     "(?!render/).*"},
    {"nobody below the app includes it", "app/.*", "app/.*|tests/.*"},
    {"physics does not know pictures", "render/.*", "(?!sim/).*"},
    {"the physics core includes the standard library only", "(?!sim/)(?!generated/)(?!assets/).*[./].*",
     "sim/(api|backends/cpu|backends/cuda|backends/ranks|own|io)/.*|sim/core/(thread_pool|pages)\\.cpp|(?!sim/).*"},
    {"public headers include each other and the standard library", ".*/.*", "(?!sim/api/).*"},
    {"additions see public headers only", "(sim/(?!api/)|app|render).*",
     "(?!tests/extensions/(?!extended_program)|tests/outside/|clients/).*"},
    {"panels read documents and readouts",
     "app/view/(?!service_results).*|app/runs/(run_host|run|twin|state_feed|body_editor)\\.h",
     "(?!app/ui/).*|app/ui/ui\\.cpp"},
    {"ImGui is for the app", "imgui.*|implot.*", "app/.*|tests/gui/.*|tests/gl/still_test\\.cpp"},
};

struct Include {
    std::string file, header;
    int line = 0;
};

/// The complaint about one include, if any.
std::optional<std::string> complaint(const Include& include) {
    struct Patterns {
        std::regex headers, files;
    };
    static const std::vector<Patterns> patterns = [] {
        std::vector<Patterns> made;
        for (const Fence& fence : kFences) made.push_back({std::regex(fence.headers), std::regex(fence.files)});
        return made;
    }();
    for (std::size_t i = 0; i < patterns.size(); ++i)
        if (std::regex_match(include.header, patterns[i].headers) && !std::regex_match(include.file, patterns[i].files))
            return include.file + ":" + std::to_string(include.line) + " includes " + include.header + ": " +
                   kFences[i].what;
    return std::nullopt;
}

/// A room, a folder or the files of one name: they include each other and rooms with a lower floor. The longest that fits
/// counts.
struct Room {
    const char* folder;
    int floor;
};

const Room kRooms[] = {
    {"sim/api", -1},
    {"sim/core", 0},
    {"sim/forces", 1},
    {"sim/integrators", 2},
    {"sim/tree", 3},
    {"sim/contact", 3},
    {"sim/measure", 4},
    {"sim/groups", 4},
    {"sim/backends", 5},
    {"sim/engine", 6},
    {"sim/own", 6},
    {"sim/backends/reference", 7},
    {"sim/backends/cpu", 7},
    {"sim/backends/cuda/runtime", 7},
    {"sim/backends/cuda/kernels", 8},
    {"sim/backends/cuda/kernel_table", 9},
    {"sim/backends/cuda/methods", 10},
    {"sim/backends/cuda/own", 11},
    {"sim/backends/cuda/jobs", 11},
    {"sim/backends/cuda", 12},
    {"sim/backends/without_cuda", 12},
    {"sim/scenes", 13},
    {"sim/run", 14},
    {"sim/io/file", 15},
    {"sim/io", 16},
    {"render", 20},
    {"app/tables", 30},
    {"app/system", 31},
    {"app/model", 32},
    {"app/plots", 33},
    {"app/bench", 34},
    {"app/film", 35},
    {"app/parameters", 36},
    {"app/files", 37},
    {"app/control", 38},
    {"app/runs", 39},
    {"app/services", 40},
    {"app/lab", 41},
    {"app/view", 42},
    {"app/lessons", 43},
    {"app/ui", 44},
    {"app/frontends/headless", 45},
    {"app/session", 46},
    {"app/frontends/window", 47},
    {"app/serve", 47},
    {"app/commands", 48},
    {"app/main", 49},
};

/// An include against the order that is allowed for now, with its reason. Both are beginnings of paths.
struct Exception {
    const char *from, *to, *reason;
};

const Exception kExceptions[] = {
    {"sim/forces/law_numbers.h", "sim/run/configuration.h", "a number of a law names the member that holds what was asked"},
    {"sim/backends/cuda/runtime/device.cpp", "sim/backends/cuda/kernels/force.h",
     "a device says how many threads a block has"},
};

/// The row of a file; null for a folder outside the table.
const Room* roomOf(const std::string& file) {
    const Room* best = nullptr;
    for (const Room& room : kRooms) {
        const std::string folder = room.folder;
        if (!file.starts_with(folder + "/") && !file.starts_with(folder + ".")) continue;
        // A root folder is a room for its own files only.
        if (folder.find('/') == std::string::npos && file.find('/', folder.size() + 1) != std::string::npos) continue;
        if (!best || folder.size() > std::string(best->folder).size()) best = &room;
    }
    return best;
}

const Exception* exceptionFor(const Include& include) {
    for (const Exception& exception : kExceptions)
        if (include.file.starts_with(exception.from) && include.header.starts_with(exception.to)) return &exception;
    return nullptr;
}

bool ofTheTree(const std::string& header) {
    return header.starts_with("sim/") || header.starts_with("render/") || header.starts_with("app/");
}

/// The complaint about an include against the order of the rooms.
std::optional<std::string> disorder(const Include& include) {
    if (include.file.starts_with("tests/") || !ofTheTree(include.header) || exceptionFor(include)) return std::nullopt;
    const Room *from = roomOf(include.file), *to = roomOf(include.header);
    const std::string where = include.file + ":" + std::to_string(include.line) + " includes " + include.header + ": ";
    if (!from) return where + "the folder of " + include.file + " is no room";
    if (!to) return where + "its folder is no room";
    if (from == to || to->floor < from->floor) return std::nullopt;
    return where + from->folder + " stands above or beside " + to->folder;
}

/// The rooms of a circle of includes, first and last the same; empty when there is none. A file outside all rooms counts by
/// its folder.
std::vector<std::string> circleOf(const std::vector<Include>& includes) {
    std::map<std::string, std::set<std::string>> edges;
    const auto name = [](const std::string& file) {
        const Room* room = roomOf(file);
        return room ? std::string(room->folder) : file.substr(0, file.rfind('/'));
    };
    for (const Include& include : includes)
        if (!include.file.starts_with("tests/") && ofTheTree(include.header) && !exceptionFor(include) &&
            name(include.file) != name(include.header))
            edges[name(include.file)].insert(name(include.header));
    std::set<std::string> done;
    std::vector<std::string> path;
    const std::function<bool(const std::string&)> walk = [&](const std::string& room) {
        const auto before = std::find(path.begin(), path.end(), room);
        if (before != path.end()) {
            path.erase(path.begin(), before);
            path.push_back(room);
            return true;
        }
        if (done.contains(room)) return false;
        path.push_back(room);
        for (const std::string& next : edges[room])
            if (walk(next)) return true;
        path.pop_back();
        done.insert(room);
        return false;
    };
    std::vector<std::string> rooms;
    for (const auto& [room, next] : edges) rooms.push_back(room);
    for (const std::string& room : rooms)
        if (walk(room)) return path;
    return {};
}

/// The includes of the tree under test, read once.
std::vector<Include> readIncludes() {
    const fs::path root(GRAVLAB_SOURCE_DIR);
    static const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
    std::vector<Include> found;
    for (const char* folder : {"sim", "render", "app", "tests", "clients/cpp"})
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".h" && extension != ".cpp" && extension != ".cu" && extension != ".cuh") continue;
            std::ifstream file(entry.path());
            std::string text;
            for (int line = 1; std::getline(file, text); ++line) {
                std::smatch match;
                if (std::regex_match(text, match, pattern))
                    found.push_back({fs::relative(entry.path(), root).generic_string(), match[1].str(), line});
            }
        }
    return found;
}
const std::vector<Include>& allIncludes() {
    static const std::vector<Include> all = readIncludes();
    return all;
}

/// Ways to open, create, replace or remove files without sim/io/file, which leaves the old or the new file whole. The flags
/// of open() match all its forms, also across a line break.
const char* const kPast[] = {
    R"(\bO_(RDONLY|WRONLY|RDWR|CREAT|TMPFILE|PATH)\b)",
    R"(\bf(re|d)?open\s*\()",
    R"(\bpopen\s*\()",
    R"(\bw?[io]?fstream\b|\bfilebuf\b)",
    R"((^|[^A-Za-z0-9_>:.])(::)?(creat|unlink|rename|symlink|truncate|mkfifo|mknod)(at|at2)?\s*\()",
    R"((^|[^A-Za-z0-9_>])::(open|link)(at)?\s*\()",
    R"(\bstd::(rename|remove|tmpfile|tmpnam)\s*\(\s*[^,()]*(c_str|"|\)))",
    R"((\bfs|filesystem)::(rename|remove|remove_all|copy|copy_file|copy_symlink|resize_file|create_symlink|create_hard_link|permissions)\s*\()",
    R"(namespace\s+(?!fs\b)\w+\s*=\s*std::filesystem|using\s+namespace\s+std::filesystem|using\s+std::filesystem)",
    R"(\bmk[a-z]*temp\s*\()",
    R"(\b(stbi_write_|png_image_write_to_file|SaveIniSettingsToDisk|LogToFile|H5F(open|create)))",
};

/// A file that uses one of them, the number of lines, and the reason.
struct PastException {
    const char* file;
    int lines;
    const char* reason;
};
const PastException kPastExceptions[] = {
    {"sim/core/validation.cpp", 4, "reads /proc and /sys, which are no files of a user"},
    {"sim/backends/cpu/backend_cpu.cpp", 2, "reads /proc/cpuinfo"},
    {"sim/io/hdf5/helper_process.cpp", 1, "writes to /dev/null"},
    {"sim/io/hdf5/gadget_reader.cpp", 1, "the library opens the descriptor that it is given, in a process of its own"},
    {"sim/io/hdf5/gadget_writer.cpp", 1, "a file in memory"},
    {"app/system/child_process.cpp", 1, "gives /dev/null to a program that it starts"},
    {"app/film/film_encoded.cpp", 3, "reads /proc of the encoder, and keeps what that says in a file without a name"},
    {"app/commands/command_report.cpp", 3, "reads /proc, /etc/os-release and the configuration line by line"},
    {"app/film/film.cpp", 2, "removes the numbered frames of a film that was given up"},
    {"app/files/state_folder.cpp", 9,
     "marks of living sessions are locks and no data; states are removed as their budget says"},
    {"app/control/line_reader.cpp", 1, "reads a script line by line from whatever gives lines, pipes and terminals too"},
    {"app/commands/program.cpp", 1, "holds /dev/null where a stream is closed"},
};

bool goesPast(const std::string& line) {
    static const std::vector<std::regex> patterns = [] {
        std::vector<std::regex> made;
        for (const char* text : kPast) made.emplace_back(text);
        return made;
    }();
    const std::string code = line.substr(0, line.find("//"));
    // Regular expressions over all lines take a minute; most lines have none of these words.
    static constexpr std::string_view kWords[] = {
        "O_",     "open",  "stream", "link",    "creat", "rename", "temp",      "filesystem", "fs::",     "copy",
        "remove", "trunc", "mk",     "filebuf", "tmp",   "stbi",   "png_image", "Disk",       "LogToFile"};
    if (std::none_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return code.find(word) != std::string::npos; }))
        return false;
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::regex& pattern) { return std::regex_search(code, pattern); });
}

/// Commands of a CMake file that name CUDA's folder outside of `if(GRAVLAB_HAS_CUDA)`.
std::vector<std::string> commandsWithoutCuda(const std::string& cmake) {
    std::vector<std::string> found;
    std::vector<bool> open;  // of the branches around a line: whether it is for builds with CUDA
    std::istringstream lines(cmake);
    for (std::string line; std::getline(lines, line);) {
        line.erase(0, line.find_first_not_of(' '));
        if (line.starts_with("if("))
            open.push_back(line == "if(GRAVLAB_HAS_CUDA)");
        else if (line.starts_with("else"))
            open.back() = false;
        else if (line.starts_with("endif"))
            open.pop_back();
        else if (!line.starts_with("#") && line.find("backends/cuda") != std::string::npos &&
                 !std::ranges::count(open, true))
            found.push_back(line);
    }
    return found;
}

/// With the fence around sim/backends/cuda, such a build compiles no file below that folder.
TEST(IncludeRules, buildsWithoutCudaCompileNothingOfItsFolder) {
    std::ifstream file(fs::path(GRAVLAB_SOURCE_DIR) / "sim/CMakeLists.txt");
    const std::string cmake(std::istreambuf_iterator<char>(file), {});
    EXPECT_THAT(commandsWithoutCuda(cmake),
                testing::ElementsAre("list(FILTER sim_sources EXCLUDE REGEX \"/backends/cuda/\")"));
    EXPECT_LT(cmake.find("file(GLOB_RECURSE sim_sources"), cmake.find("EXCLUDE REGEX \"/backends/cuda/\""));
    EXPECT_THAT(
        commandsWithoutCuda("if(GRAVLAB_HAS_CUDA)\n  set(a backends/cuda/a.cpp)\nelse()\n  set(b backends/cuda/b.cpp)\n"
                            "endif()\n# backends/cuda\nset(c backends/cuda/c.cpp)\n"),
        testing::ElementsAre("set(b backends/cuda/b.cpp)", "set(c backends/cuda/c.cpp)"));
}

TEST(IncludeRules, filesAreOpenedAndReplacedInOneRoom) {
    std::map<std::string, int> used;
    for (const char* folder : {"sim", "render", "app"})
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(GRAVLAB_SOURCE_DIR) / folder)) {
            const std::string name = fs::relative(entry.path(), GRAVLAB_SOURCE_DIR).generic_string();
            if (!entry.is_regular_file() || name.starts_with("sim/io/file/")) continue;
            const auto excused = std::find_if(std::begin(kPastExceptions), std::end(kPastExceptions),
                                              [&](const PastException& row) { return name == row.file; });
            std::ifstream file(entry.path());
            std::string text;
            for (int line = 1; std::getline(file, text); ++line) {
                if (text.size() > 400 || !goesPast(text)) continue;
                if (excused == std::end(kPastExceptions))
                    ADD_FAILURE() << name << ":" << line << ": " << text
                                  << ": files are opened, created and replaced by sim/io/file (AtomicFile, Source)";
                else
                    ++used[name];
            }
        }
    for (const PastException& row : kPastExceptions)
        EXPECT_EQ(used[row.file], row.lines) << row.file << ": its exception is for so many lines: " << row.reason;
}

TEST(IncludeRules, whatGoesPastIsNoticed) {
    for (const char* line : {"std::ofstream file(path);",
                             "FILE* f = fopen(name, \"w\");",
                             "const int fd = ::open(path.c_str(), O_RDONLY);",
                             "if (::rename(a, b))",
                             "fs::remove(file, error);",
                             "std::filesystem::rename(a, b);",
                             "::mkstemp(name);",
                             "std::rename(a.c_str(), b.c_str());",
                             "    const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);",
                             "        O_WRONLY | O_CLOEXEC);",
                             "unlink(name);",
                             "renameat2(a, b, c, d, 0);",
                             "popen(command, mode)",
                             "fdopen(fd, mode)",
                             "#include <fstream>",
                             "std::wofstream file;",
                             "std::filebuf buffer;",
                             "std::remove(\"a\");",
                             "fs::create_symlink(a, b);",
                             "filesystem::remove_all(a);",
                             "namespace files = std::filesystem;",
                             "using namespace std::filesystem;",
                             "stbi_write_png(name, 1, 1, 3, data, 3);",
                             "posix_spawn_file_actions_addopen(&actions, 1, \"x\", O_WRONLY, 0);",
                             "ImGui::SaveIniSettingsToDisk(name);"})
        EXPECT_TRUE(goesPast(line)) << line;
    for (const char* line :
         {"void FileJobs::open(std::string path) {", "files.open();", "std::remove(list.begin(), list.end(), 3);",
          "// std::ofstream in a remark", "Source source = Source::open(path);", "reopen(now)", "reader.rename(to);",
          "tree.unlink(node);", "lessons.open(workspace, lesson);", "namespace fs = std::filesystem;",
          "pipe2(ends, O_CLOEXEC)", "program.link(files);"})
        EXPECT_FALSE(goesPast(line)) << line;
}

/// Files of the app that may hold a document to change it: the rooms of commands, parameters and files, the document's own,
/// what carries commands out on the runs, and the view, whose camera and selection follow time and clicks. app/system is
/// below documents.
const std::regex kWriters(
    R"(app/(control|files|model|parameters|system|view)/.*|app/runs/(run_host|body_editor)\.(h|cpp)|app/session/session_files\.(h|cpp))");

/// Whether the code names a document that can be changed, or takes const away.
bool takesDocument(const std::string& line) {
    static const std::regex document(R"(\bDocument\s*[&*])"), constant(R"(\bconst Document\s*[&*])");
    const std::string code = line.substr(0, line.find("//"));
    if (code.find("const_cast") != std::string::npos) return true;
    const auto count = [&](const std::regex& pattern) {
        return std::distance(std::sregex_iterator(code.begin(), code.end(), pattern), std::sregex_iterator());
    };
    return code.find("Document") != std::string::npos && count(document) > count(constant);
}

TEST(IncludeRules, settingsChangeByCommandsAlone) {
    for (const char* line :
         {"void open(Document& document, int step);", "Document* document_;",
          "const_cast<Intent&>(document.intent).paused = true;", "bool take(const Document& before, Document& now);"})
        EXPECT_TRUE(takesDocument(line)) << line;
    for (const char* line : {"void open(const Document& document);", "const Document* document_;", "Document document;",
                             "// Document& in a remark", "bool SessionDocument(int);"})
        EXPECT_FALSE(takesDocument(line)) << line;
    int files = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(GRAVLAB_SOURCE_DIR) / "app")) {
        const std::string name = fs::relative(entry.path(), GRAVLAB_SOURCE_DIR).generic_string();
        if (!entry.is_regular_file() || std::regex_match(name, kWriters)) continue;
        ++files;
        std::ifstream file(entry.path());
        std::string text;
        for (int line = 1; std::getline(file, text); ++line)
            EXPECT_FALSE(text.size() < 400 && takesDocument(text))
                << name << ":" << line << ": " << text << ": post a command, or report through DocumentReports";
    }
    EXPECT_GT(files, 100) << "the tree was not found";
}

TEST(IncludeRules, theTreeKeepsThem) {
    const std::vector<Include>& includes = allIncludes();
    EXPECT_GT(includes.size(), 100u) << "the tree was not found";
    for (const Include& include : includes) {
        const std::optional<std::string> broken = complaint(include);
        EXPECT_FALSE(broken.has_value()) << *broken;
    }
}

TEST(IncludeRules, roomsIncludeOnlyRoomsAboveThem) {
    const std::vector<Include>& includes = allIncludes();
    for (const Include& include : includes) {
        const std::optional<std::string> broken = disorder(include);
        EXPECT_FALSE(broken.has_value()) << *broken;
    }
    const std::vector<std::string> circle = circleOf(includes);
    std::string text;
    for (const std::string& room : circle) text += (text.empty() ? "" : " -> ") + room;
    EXPECT_TRUE(circle.empty()) << "rooms include each other in a circle: " << text;
}

TEST(IncludeRules, aRoomThatIncludesDownwardsIsNoticed) {
    const Include broken[] = {
        {"sim/core/clock.h", "sim/forces/law.h", 1},
        {"sim/measure/diagnostics.cpp", "sim/backends/backend.h", 1},
        {"sim/backends/cpu/engine.cpp", "sim/backends/cuda/engine.h", 1},
        {"sim/backends/cuda/kernels/force.h", "sim/backends/cuda/methods/force_plan.h", 1},
        {"sim/scenes/disc.cpp", "sim/run/simulation.h", 1},
        {"sim/run/simulation.cpp", "sim/io/checkpoint.h", 1},
        {"sim/io/file/source.cpp", "sim/io/snapshot.h", 1},
        {"app/model/look.cpp", "app/runs/history.h", 1},
        {"app/runs/history.cpp", "app/ui/ui.h", 1},
        {"app/ui/overlay.cpp", "app/frontends/window/window.h", 1},
        {"app/ui/panel_film.cpp", "app/commands/options.h", 1},
        {"app/invented/new.cpp", "app/model/look.h", 1},
        {"app/ui/panel_film.cpp", "app/invented/new.h", 1},
        {"app/tables/format.cpp", "app/model/look.h", 1},
    };
    for (const Include& include : broken)
        EXPECT_TRUE(disorder(include).has_value()) << include.file << " " << include.header;
    const Include fine[] = {
        {"sim/forces/law.h", "sim/core/names.h", 1},
        {"sim/backends/backend.h", "sim/measure/shape.h", 1},
        {"sim/backends/cpu/kernels/simd.h", "sim/backends/cpu/engine.h", 1},
        {"app/ui/ui.h", "app/tables/format.h", 1},
        {"app/main.cpp", "app/bench/verify.h", 1},
        {"app/commands/command_run.cpp", "app/files/snapshot_jobs.h", 1},
    };
    for (const Include& include : fine) EXPECT_FALSE(disorder(include).has_value()) << include.file << " " << include.header;
    const std::vector<Include> circle{{"app/one/a.h", "app/two/b.h", 1},
                                      {"app/two/b.h", "app/three/c.h", 1},
                                      {"app/three/c.h", "app/one/a.h", 1},
                                      {"app/zero/d.h", "app/one/a.h", 1}};
    EXPECT_THAT(circleOf(circle), testing::ElementsAre("app/one", "app/two", "app/three", "app/one"));
    EXPECT_TRUE(circleOf({circle[0], circle[1], circle[3]}).empty());
}

TEST(IncludeRules, aStageOfAChangeKnowsNoLaterOne) {
    std::vector<std::string> later{"sim/run/simulation.h"};
    for (const char* stage : {"build", "judge", "resolve"}) {
        const std::string file = std::string(GRAVLAB_SOURCE_DIR "/sim/run/") + stage;
        for (const char* end : {".h", ".cpp"})
            for (const std::string& header : later)
                EXPECT_EQ(contentOf(file + end).find(header), std::string::npos) << file << end << " includes " << header;
        later.push_back("sim/run/" + std::string(stage) + ".h");
    }
}

TEST(IncludeRules, everyHeaderIsReadOnce) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(GRAVLAB_SOURCE_DIR) / "sim")) {
        if (entry.path().extension() != ".h") continue;
        std::ifstream file(entry.path());
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        EXPECT_NE(text.find("#pragma once"), std::string::npos) << entry.path();
    }
}

/// Whether a line of code goes over all bodies.
bool goesOverBodies(const std::string& line) {
    static const std::regex kLoop(
        R"(for \(.*(bodies_?(\(\))?(\.|->)(size|position|velocity|id)\b|: &?bodies_|vector<ParticleVertex>))");
    return std::regex_search(line, kLoop);
}

TEST(IncludeRules, loopsOverBodiesAreOptimised) {
    EXPECT_TRUE(goesOverBodies("    for (std::size_t i = 0; i < bodies.size(); ++i) {"));
    EXPECT_TRUE(goesOverBodies("    for (const Double4& p : bodies.position) sum += p.w;"));
    EXPECT_FALSE(goesOverBodies("    for (const BodyName& row : names) use(row);"));
    // The CMake lists of sources that are compiled for a quick build.
    static const std::regex kFilter(R"re(list\(FILTER light_sources (INCLUDE|EXCLUDE) REGEX "([^"]*)"\))re");
    for (const std::string room : {"app", "sim"}) {
        const fs::path folder = fs::path(GRAVLAB_SOURCE_DIR) / room;
        std::ifstream lists(folder / "CMakeLists.txt");
        const std::string text((std::istreambuf_iterator<char>(lists)), {});
        std::vector<std::pair<bool, std::regex>> filters;
        for (std::sregex_iterator found(text.begin(), text.end(), kFilter), none; found != none; ++found)
            filters.emplace_back((*found)[1] == "INCLUDE",
                                 std::regex(std::regex_replace((*found)[2].str(), std::regex(R"(\\\\)"), R"(\)")));
        ASSERT_GE(filters.size(), 4u) << room;
        std::size_t light = 0, others = 0;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.path().extension() != ".cpp") continue;
            const std::string name = "/" + room + "/" + entry.path().lexically_relative(folder).string();
            const bool quick = std::ranges::all_of(
                filters, [&](const auto& filter) { return std::regex_search(name, filter.second) == filter.first; });
            std::ifstream file(entry.path());
            int number = 0;
            for (std::string line; std::getline(file, line);) {
                ++number;
                if (!goesOverBodies(line)) continue;
                ++others;
                EXPECT_FALSE(quick) << name << ":" << number << " goes over bodies; take it out of light_sources of " << room
                                    << "/CMakeLists.txt";
            }
            light += quick;
        }
        EXPECT_GT(light, 30u) << room;
        EXPECT_GT(others, 5u) << room;
    }
}

TEST(IncludeRules, aBrokenOneIsNoticed) {
    const Include broken[] = {
        {"sim/run/simulation.cpp", "cuda_runtime.h", 1},
        {"sim/run/simulation.cpp", "unistd.h", 1},
        {"sim/scenes/disc.cpp", "glm/vec3.hpp", 1},
        {"sim/measure/diagnostics.cpp", "hwy/highway.h", 1},
        {"sim/backends/cuda/tiled.cu", "render/camera.h", 1},
        {"sim/backends/backend.cpp", "app/commands/options.h", 1},
        {"render/camera.cpp", "sim/run/simulation.h", 1},
        {"render/particle_buffer.cpp", "cuda_runtime.h", 1},
        {"render/camera.h", "imgui.h", 1},
        {"app/services/telemetry.cpp", "GLFW/glfw3.h", 1},
        {"app/commands/command_run.cpp", "sim/backends/cuda/runtime/api.h", 1},
        {"app/lab/visit_order.cpp", "sim/backends/cuda/kernels/symmetric.h", 1},
        {"sim/backends/backend.cpp", "sim/backends/cuda/backend_cuda.h", 1},
        {"tests/unit/kernel_source_test.cpp", "sim/backends/cuda/kernel_table.h", 1},
        {"tests/extensions/springs.h", "sim/run/simulation.h", 1},
        {"app/commands/command_run.cpp", "CLI/CLI.hpp", 1},
        {"app/view/app.cpp", "cuda_gl_interop.h", 1},
        {"app/ui/panel_status.cpp", "app/runs/run_host.h", 1},
        {"app/ui/panel_status.cpp", "app/view/app.h", 1},
        {"app/files/config.cpp", "toml++/toml.h", 1},
        {"sim/backends/cpu/pool.cpp", "cuda_runtime.h", 1},
    };
    for (const Include& include : broken)
        EXPECT_TRUE(complaint(include).has_value()) << include.file << " " << include.header;
    const Include fine[] = {
        {"sim/run/simulation.cpp", "vector", 1},
        {"sim/backends/cuda/jobs/groups.cpp", "sim/backends/cuda/jobs/groups.h", 1},
        {"tests/methods/trailing_cuda.cu", "sim/backends/cuda/methods/force_method.h", 1},
        {"sim/backends/cpu/kernels.cpp", "hwy/highway.h", 1},
        {"render/camera.h", "sim/core/vertex.h", 1},
        {"render/buffer_cuda.cpp", "sim/backends/cuda/runtime/api.h", 1},
        {"app/commands/options.cpp", "CLI/CLI.hpp", 1},
    };
    for (const Include& include : fine)
        EXPECT_FALSE(complaint(include).has_value()) << include.file << " " << include.header;
}

}  // namespace
}  // namespace gravlab
