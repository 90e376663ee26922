#include "app/plots/page.h"

#include "app/system/child_process.h"
#include "app/system/descriptor.h"
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"

#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

namespace gravlab {
namespace {

using PageJson = nlohmann::ordered_json;

PageJson pageJson(const Page& page) {
    PageJson papers = PageJson::array();
    for (const std::vector<PlotSeries>& curves : page.papers) {
        papers.push_back(PageJson::array());
        for (const PlotSeries& one : curves) papers.back().push_back({{"label", one.label}, {"x", one.x}, {"y", one.y}});
    }
    return {{"name", page.name},   {"title", page.title},   {"csv", page.csv},  {"notes", page.notes}, {"texts", page.texts},
            {"width", page.width}, {"height", page.height}, {"papers", papers}, {"grid", page.grid}};
}

/// figures.py beside the program, in its share folder, or in the tree that the program was built in; empty: none.
std::filesystem::path pageScript() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    std::vector<std::filesystem::path> places{folder / "figures.py", folder.parent_path() / "share/gravlab/figures.py"};
    for (std::filesystem::path above = folder; above.has_relative_path(); above = above.parent_path())
        places.push_back(above / "clients/python/gravlab/figures.py");
    for (const std::filesystem::path& place : places)
        if (std::filesystem::is_regular_file(place, error)) return place;
    return {};
}

}  // namespace

DrawnPages drawnPages(const std::vector<Page>& pages, std::string_view format) {
    const std::filesystem::path script = pageScript();
    if (script.empty())
        return {.files = {}, .why = "figures.py is missing: it belongs beside the program, or in ../share/gravlab"};
    PageJson all{{"format", format}, {"pages", PageJson::array()}};
    for (const Page& page : pages) all["pages"].push_back(pageJson(page));
    const std::string text = all.dump(-1, ' ', false, PageJson::error_handler_t::replace);
    constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    constexpr int kNoMatplotlib = 3;  // what figures.py exits with
    bool found = false;
    // An environment of Python may lack what the system's Python has.
    std::vector<std::string> pythons{"python3", "/usr/bin/python3"};
    if (const char* chosen = std::getenv("GRAVLAB_PYTHON")) pythons = {chosen};
    for (const std::string& python : pythons) {
        const Descriptor in = memoryFile(text), out = memoryFile();
        ChildProcess child;
        if (child.start(python, {python, "-I", script.string()}, {.in = in, .out = out}) != 0) continue;
        found = true;
        const int status = child.wait();
        if (WIFEXITED(status) && WEXITSTATUS(status) == kNoMatplotlib) continue;
        if (status != 0) return {.files = {}, .why = script.string() + " failed"};
        // The first line has the lengths of the files.
        const std::string bytes = contentOf(out, kMostBytes);
        const std::size_t line = std::min(bytes.find('\n'), bytes.size());
        const PageJson lengths = PageJson::parse(bytes.substr(0, line), nullptr, false);
        DrawnPages drawn;
        std::size_t at = line + 1;
        for (const std::size_t length :
             lengths.is_array() ? lengths.get<std::vector<std::size_t>>() : std::vector<std::size_t>()) {
            if (at + length > bytes.size()) break;
            drawn.files.push_back(bytes.substr(at, length));
            at += length;
        }
        if (drawn.files.size() != pages.size()) return {.files = {}, .why = script.string() + " wrote no pictures"};
        return drawn;
    }
    return {.files = {},
            .why = found ? "Python has no matplotlib, which draws it; install the package python3-matplotlib"
                         : "there is no python3, which draws it; install the packages python3 and python3-matplotlib"};
}

std::string_view pictureFormat(std::string_view file) {
    for (const std::string_view format : {"png", "svg", "pdf"})
        if (file.ends_with("." + std::string(format))) return format;
    return {};
}

void writePage(const std::string& file, const Page& page, bool keep) {
    const DrawnPages drawn = drawnPages({page}, pictureFormat(file));
    if (drawn.why.empty()) return writeFileAtomically(file, drawn.files.front());
    std::filesystem::path kept = std::filesystem::path(file).replace_extension(".csv");
    if (std::filesystem::exists(kept)) kept = partialOf(kept);
    if (keep) writeFileAtomically(kept, page.csv);
    throw IoError(file + " was not drawn: " + drawn.why + (keep ? "; the numbers are in " + kept.string() : ""));
}

}  // namespace gravlab
