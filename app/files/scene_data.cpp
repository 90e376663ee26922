#include "app/files/scene_data.h"

#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/parameters/parameter.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/forces/law.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/units.h"
#include "sim/io/run_settings.h"
#include "sim/io/toml_value.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

std::string textIn(std::string_view key, std::string_view value) {
    const std::optional<Value> found = tomlValue(value);
    const auto* text = found ? std::get_if<std::string>(&*found) : nullptr;
    if (!text || text->empty()) throw UsageError(std::string(key) + " = " + excerpt(value) + "; expected text in quotes");
    return *text;
}

}  // namespace

FilePart::Region parsedRegion(std::string_view name, std::string_view text) {
    const auto fail = [&]() -> UsageError {
        return UsageError(
            std::string(name) + " " + excerpt(text) +
            ": expected X0:X1,Y0:Y1,Z0:Z1 with X0 below X1 and so on; an empty end is open, such as -5:5,:,0:");
    };
    FilePart::Region region;
    const auto end = [&](std::string_view cell, double open) {
        if (trimmed(cell).empty()) return open;
        const double number = numberFrom<double>(trimmed(cell)).value_or(NAN);
        if (!std::isfinite(number)) throw fail();
        return number;
    };
    std::string_view rest = text;
    for (int axis = 0; axis < 3; ++axis) {
        const std::size_t comma = rest.find(',');
        if ((comma == std::string_view::npos) != (axis == 2)) throw fail();
        const std::string_view cell = rest.substr(0, comma);
        const std::size_t colon = cell.find(':');
        if (colon == std::string_view::npos) throw fail();
        region.low[axis] = end(cell.substr(0, colon), -HUGE_VAL);
        region.high[axis] = end(cell.substr(colon + 1), HUGE_VAL);
        if (!(region.low[axis] < region.high[axis])) throw fail();
        rest.remove_prefix(axis < 2 ? comma + 1 : 0);
    }
    return region;
}

std::string regionText(const FilePart::Region& region) {
    std::string text;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis > 0) text += ",";
        if (std::isfinite(region.low[axis])) text += shortestText(region.low[axis]);
        text += ":";
        if (std::isfinite(region.high[axis])) text += shortestText(region.high[axis]);
    }
    return text;
}

bool ignoresHubble(std::string_view name, std::string_view text) {
    if (text != "apply" && text != "ignore")
        throw UsageError(std::string(name) + " '" + std::string(text) + "': expected apply or ignore");
    return text == "ignore";
}

namespace {

/// A key about the user's own bodies.
struct DataKey {
    std::string_view key;
    void (*take)(SceneData&, std::string_view value);
};
constexpr DataKey kKeys[] = {
    {"file",
     [](SceneData& data, std::string_view value) {
         data.file = textIn("file", value);
         if (data.file == "-" || isSceneFile(data.file) || data.file.find('\0') != std::string::npos)
             throw UsageError("file = " + excerpt(value) + "; expected a file with bodies, no scene and no picture");
         if (data.file.starts_with('~') || data.file.find("://") != std::string::npos)
             throw UsageError("file = " + excerpt(value) +
                              "; a name is taken as it is written: write the path out, ~ and addresses are not followed");
     }},
    {"units", [](SceneData& data, std::string_view value) { data.read.units = unitSystem(textIn("units", value)).name; }},
    {"columns", [](SceneData& data, std::string_view value) { data.read.columns = textIn("columns", value); }},
    {"G",
     [](SceneData& data, std::string_view value) {
         const std::optional<Value> found = tomlValue(value);
         const std::optional<double> number = found ? numberOf(*found) : std::nullopt;
         if (!number || !(*number > 0) || !std::isfinite(*number))
             throw UsageError("G = " + excerpt(value) + "; expected a finite number above 0");
         data.read.gravity = number;
     }},
    {"sanitize",
     [](SceneData& data, std::string_view value) {
         if (value != "true" && value != "false")
             throw UsageError("sanitize = " + excerpt(value) + "; expected true or false");
         data.read.sanitize = value == "true";
     }},
    {"region", [](SceneData& data,
                  std::string_view value) { data.read.part.region = parsedRegion("region", textIn("region", value)); }},
    {"every",
     [](SceneData& data, std::string_view value) {
         const std::optional<Value> found = tomlValue(value);
         const auto* number = found ? std::get_if<std::int64_t>(&*found) : nullptr;
         if (!number || *number < 1) throw UsageError("every = " + excerpt(value) + "; expected a whole number from 1 on");
         data.read.part.every = static_cast<std::uint64_t>(*number);
     }},
    {"hubble", [](SceneData& data,
                  std::string_view value) { data.read.ignoreHubble = ignoresHubble("hubble", textIn("hubble", value)); }},
    {"bonds", [](SceneData& data, std::string_view value) { data.read.bonds = textIn("bonds", value); }},
    {"file_fingerprint", [](SceneData& data, std::string_view value) { data.print = textIn("file_fingerprint", value); }},
};

/// Path of a file: the path in the scene file, else the same name beside it. `what`: its content.
fs::path placeOf(const SceneData& data, const std::string& file, const std::string& scene, const char* what = "bodies") {
    const fs::path folder = fs::path(scene).parent_path(), said = (folder / file).lexically_normal();
    std::error_code ignored;
    if (fs::exists(said, ignored)) return said;
    const fs::path beside = folder / fs::path(file).filename();
    if (fs::exists(beside, ignored)) return beside;
    const std::string shown = fs::absolute(said, ignored).lexically_normal().string();
    throw InputError(scene + ", line " + std::to_string(data.line) + ": its " + what + " are not there: " + shown +
                     "; put that file there or beside " + fs::path(scene).filename().string());
}

/// Refusals of the readers name the scene file, because its options are not on the command line.
LoadedStart openedAs(const SceneData& data, const std::string& scene, const std::string& place, const ReadOptions& read) {
    try {
        return openStart(place, read);
    } catch (const UsageError& error) {
        std::string why = error.what();
        const bool columns = why.starts_with("--columns");
        if (columns) why.erase(0, 2);
        throw InputError(scene + ", line " + std::to_string(columns ? data.columnsLine : data.line) + ": " + why);
    }
}

bool said(const SettingRow& row, const RunRequest& settings) { return row.text(settings) != row.text(RunRequest()); }

}  // namespace

bool ofSceneAlone(std::string_view key) {
    return key == "scene" || key == "scene_version" || key == "bodies" || key == "parameters";
}

SceneData takeSceneData(std::vector<TomlEntry>& settings, const std::string& name) {
    SceneData data;
    std::map<std::string_view, std::size_t> lines;
    std::size_t sceneLine = 0;
    std::vector<TomlEntry> left;
    for (const TomlEntry& entry : settings) {
        if (ofSceneAlone(entry.key) && sceneLine == 0) sceneLine = entry.line;
        const auto row = std::ranges::find(kKeys, entry.key, &DataKey::key);
        if (row == std::end(kKeys)) {
            left.push_back(entry);
            continue;
        }
        lines.emplace(row->key, entry.line);
        atLine(name, entry.line, [&] { row->take(data, entry.value); });
    }
    if (lines.empty()) return data;
    const auto refuse = [&](std::size_t line, const std::string& why) {
        atLine(name, line, [&] { throw UsageError(why); });
    };
    if (data.file.empty())
        refuse(lines.begin()->second, std::string(lines.begin()->first) +
                                          " says how a file with bodies is read; add file = \"NAME\", or leave it out");
    data.line = lines.at("file");
    data.columnsLine = lines.contains("columns") ? lines.at("columns") : data.line;
    if (sceneLine > 0) refuse(sceneLine, "file has the bodies already; leave out either file or what is said of a scene");
    if (data.read.gravity && !data.read.units.empty())
        refuse(lines.at("G"), "units and G exclude each other; give one of them");
    settings = std::move(left);
    return data;
}

void openSceneData(const SceneData& data, const RunRequest& settings, const std::string& scene, StartOptions& options) {
    const fs::path place = placeOf(data, data.file, scene);
    ReadOptions read = data.read;
    if (!read.bonds.empty()) read.bonds = placeOf(data, read.bonds, scene, "bonds").string();
    read.maxBodies = options.read.maxBodies;
    const std::optional<Law> law = options.has("--law") ? options.simulation.law : settings.law;
    read.allowSigns = law && lawRow(*law).signedSources;
    LoadedStart offer = openedAs(data, scene, place.string(), read);
    RunRequest& request = offer.request;
    for (const SettingRow& row : settingRows()) {
        if (ofSceneAlone(row.key)) continue;
        const Parameter& parameter = ofSetting(row.key);
        const bool machine = parameter.storedAs.scene.empty();
        if (options.has(parameter.storedAs.option) || (machine && !said(row, request)))
            row.copy(request, options.simulation);
        else if (!machine && said(row, settings))
            row.copy(request, settings);
    }
    // A kernel belongs to a backend, so the file's kernel does not apply to another backend.
    if (options.has("--backend") && !options.has("--kernel")) request.pairs().kernel = options.simulation.pairs().kernel;
    request.tuning = options.simulation.tuning;
    const std::string& print = request.start->file.print;
    if (!data.print.empty() && data.print != print)
        offer.notes.insert(offer.notes.begin(), "it has changed since " + fs::path(scene).filename().string() +
                                                    " was written: these are other bodies, and another run");
    for (const std::string& note : offer.notes) options.notes.push_back(place.string() + ": " + note);
    options.simulation = std::move(request);
}

std::string sceneDataText(const StartFile& file, const fs::path& folder) {
    std::error_code ignored;
    const fs::path from = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, ignored);
    const auto relative = [&](const std::string& path) {
        const fs::path hence = fs::weakly_canonical(path, ignored).lexically_relative(from);
        return tomlString(hence.empty() ? path : hence.string());
    };
    std::string text = "file = " + relative(file.path) + "\n";
    if (!file.bonds.empty()) text += "bonds = " + relative(file.bonds) + "\n";
    if (!file.units.empty()) text += "units = " + tomlString(file.units) + "\n";
    if (!file.columns.empty()) text += "columns = " + tomlString(file.columns) + "\n";
    if (file.gravity) text += "G = " + shortestText(*file.gravity) + "\n";
    if (file.part.region) text += "region = " + tomlString(regionText(*file.part.region)) + "\n";
    if (file.part.every > 1) text += "every = " + std::to_string(file.part.every) + "\n";
    if (file.ignoreHubble) text += "hubble = \"ignore\"\n";
    if (file.sanitize) text += "sanitize = true\n";
    return text + "file_fingerprint = " + tomlString(file.print) + "\n";
}

}  // namespace gravlab
