// The rows of [view], and the settings of a run above them.
#include "app/control/scene_file.h"

#include "app/control/parameter.h"
#include "app/control/quantity.h"
#include "app/control/scene_data.h"
#include "app/control/twin_settings.h"
#include "app/model/camera_path.h"
#include "app/model/document.h"
#include "app/system/picture.h"
#include "app/tables/format.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"
#include "sim/io/run_settings.h"
#include "sim/io/toml_value.h"
#include "sim/run/fingerprint.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

namespace gravlab {
namespace {

/// A setting of the machine, not of the scene.
bool ofMachine(std::string_view key) { return ofSetting(key).kept.scene.empty(); }

constexpr std::string_view kViewTable = "view.";

/// What [view] calls a row; empty: it is not there.
std::string_view viewKey(const Parameter& row) {
    return row.kept.scene.starts_with(kViewTable) ? row.kept.scene.substr(kViewTable.size()) : std::string_view();
}

/// Hands each KEY = VALUE of a table to `take`, and says where one was that it refused.
template <class Take>
void takeTable(std::string_view text, std::size_t line, const std::string& name, Take take) {
    std::map<std::string, std::size_t> lines;
    eachLine(text, line, [&](std::size_t number, std::string_view here) {
        const std::string where = name + ", line " + std::to_string(number) + ": ";
        const KeyValue pair = keyValue(here);
        if (!pair.found) throw InputError(where + "expected KEY = VALUE");
        try {
            const std::string key(pair.key);
            const auto [first, fresh] = lines.emplace(key, number);
            if (!fresh) throw UsageError(key + " is there twice, first in line " + std::to_string(first->second));
            take(key, pair.value);
        } catch (const UsageError& error) {
            throw InputError(where + error.what());
        }
    });
}

/// Whether a value is text of a number with a unit, which is then kept; what the command line says goes before it.
bool keptWithUnit(Options& options, const Parameter& row, const std::string& key, std::string_view value) {
    const std::optional<Value> found = tomlValue(value);
    const auto* text = found ? std::get_if<std::string>(&*found) : nullptr;
    if (!text || !hasDimension(row.unit) || !isQuantity(*text)) return false;
    requireDimension(key, *text, row.unit);
    return options.has(row.kept.option) || keepQuantity(options, row, key, *text);
}

/// Takes settings with a unit out of the text above the tables; lines keep their numbers.
void takeWritten(std::string& settings, const std::string& name, Options& options) {
    std::string left;
    std::vector<std::string> seen;
    std::size_t number = 0;
    for (std::size_t at = 0; at < settings.size();) {
        const std::size_t end = std::min(settings.find('\n', at), settings.size());
        const std::string line = settings.substr(at, end - at);
        at = end + 1;
        ++number;
        const KeyValue pair = keyValue(trimmed(withoutRemark(line)));
        const auto row = std::ranges::find_if(parameters(), [&](const Parameter& candidate) {
            return pair.found && candidate.path.starts_with("run.") && candidate.kept.scene == pair.key;
        });
        bool kept = false;
        try {
            kept = row != parameters().end() && keptWithUnit(options, *row, std::string(pair.key), pair.value);
        } catch (const UsageError& error) {
            throw InputError(name + ", line " + std::to_string(number) + ": " + error.what());
        }
        if (kept && std::ranges::find(seen, pair.key) != seen.end())
            throw InputError(name + ", line " + std::to_string(number) + ": " + std::string(pair.key) + " is there twice");
        if (kept) seen.emplace_back(pair.key);
        left += kept ? "\n" : line + "\n";
    }
    if (!seen.empty()) settings = std::move(left);
}

void takeView(Options& options, const std::string& key, std::string_view text) {
    std::vector<std::string_view> valid;
    for (const Parameter& row : parameters()) {
        if (viewKey(row).empty()) continue;
        valid.push_back(viewKey(row));
        if (viewKey(row) != key) continue;
        if (keptWithUnit(options, row, key, text)) return;
        Value value = fileValue(row, key, text);
        if (!options.has(row.kept.option)) options.settings[row.path] = std::move(value);
        return;
    }
    throw UsageError(unknownName("key of [view]", key, valid));
}

/// A table [twin] is a twin, even an empty one. What the command line says of twins goes before all of it.
void takeTwinTable(std::string_view text, std::size_t line, const std::string& name, Options& options) {
    TwinChoice twin;
    twin.on = true;
    takeTable(text, line, name, [&](const std::string& key, std::string_view value) {
        const Parameter* row = findParameter("twin." + key);
        if (row && keptWithUnit(options, *row, key, value)) return;
        if (key == "view")
            twin.view = twinView(std::get<std::string>(fileValue(parameter("twin.view"), key, value)));
        else
            takeTwin(twin, key, value);
    });
    if (options.has("--twin")) return;
    if (options.has("--twin-view")) twin.view = options.twin.view;
    options.twin = twin;
}

/// What [camera.path] holds: one key, over as many lines as it takes.
void takePath(std::string_view text, std::size_t line, const std::string& name, Options& options) {
    std::string inside;
    eachLine(text, line, [&](std::size_t, std::string_view here) { inside += std::string(here) + " "; });
    const KeyValue pair = keyValue(inside);
    try {
        if (pair.key != "points")
            throw UsageError("expected points = [[seconds, distance, azimuth, elevation, x, y, z], ...] and nothing else");
        options.path = parsePath(pair.value);
    } catch (const UsageError& error) {
        throw InputError(name + ", line " + std::to_string(line - 1) + ": [camera.path]: " + error.what());
    }
}

/// The remembered views, or the path there was.
CameraPath pathOf(const Document& document) {
    const CameraPath remembered = CameraPath::through(document.views);
    return remembered.empty() ? document.tour.path : remembered;
}

constexpr std::string_view kTables[] = {"[view]", "[twin]", "[camera.path]"};

/// A table's name begins with a letter; rows of numbers do not.
bool isHeading(std::string_view line) {
    return line.size() > 1 && line[0] == '[' && (std::isalpha(static_cast<unsigned char>(line[1])) || line[1] == ']');
}

}  // namespace

bool isSceneFile(std::string_view path) { return path.ends_with(".toml") || path.ends_with(".png"); }

Reason noSceneFile(const Document& document) {
    const StartState* start = document.facts.configuration.start.get();
    if (!start || !start->file.path.empty()) return {};
    return "The bodies of this run are in no file that a scene file could name; save the run, open what was saved, and do "
           "it again.";
}

void addSceneFile(PictureTexts& texts, const Document& document, const std::string& path) {
    if (noSceneFile(document).empty()) texts[kSceneFileKey] = sceneFileText(document, path);
}

std::string sceneFileText(const Document& document, const std::string& path) {
    const Facts& facts = document.facts;
    const StartState* start = facts.configuration.start.get();
    RunRequest settings = requestOf(facts.configuration);
    settings.bodies = document.facts.startBodies;
    // What ran, and not what a window would choose for so many bodies on the day that the file is read.
    if (facts.kernel && !facts.kernel->approximates) settings.accuracy = 0;
    std::string text = "# gravlab scene file: gravlab view FILE, or FILE.png that carries it\n# taken at step " +
                       std::to_string(facts.step) + ", t = " + formatted("%.9g", facts.time) + "\n";
    if (document.facts.edited)
        text += "# bodies were changed by hand by then, which is not in here: the scene begins as it is built\n";
    if (const std::string print = shortFingerprint(settings); !print.empty()) text += "# fingerprint: " + print + "\n";
    if (start) text += sceneDataText(start->file, std::filesystem::path(path).parent_path());
    for (const SettingRow& row : settingRows())
        if (!ofMachine(row.key) && !(start && ofSceneAlone(row.key)))
            text += std::string(row.key) + " = " + row.text(settings) + "\n";
    text += "\n[view]\n";
    for (const Parameter& row : parameters())
        if (const std::string_view key = viewKey(row); !key.empty())
            text += std::string(key) + " = " + fileText(row, row.get(document)) + "\n";
    TwinChoice twin = document.intent.twin;
    for (const std::string_view key : twinKeys())
        if (ofMachine(key)) twin.release(key);
    if (twin.on)
        text += "\n[twin]\nview = " + fileText(parameter("twin.view"), parameter("twin.view").get(document)) + "\n" +
                twinText(twin);
    if (const CameraPath flight = pathOf(document); !flight.empty())
        text += "\n[camera.path]\npoints = " + pathText(flight.points()) + "\n";
    return text;
}

void takeSceneText(std::string_view text, const std::string& name, Options& options) {
    // The settings, then tables, each to the next line in brackets.
    struct Table {
        std::string_view heading, text;
        std::size_t line;
    };
    std::vector<Table> tables{{"", text, 1}};
    for (std::size_t at = 0, line = 1; at < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view here = trimmed(text.substr(at, end - at));
        if (isHeading(here)) {
            if (std::find(std::begin(kTables), std::end(kTables), here) == std::end(kTables))
                throw InputError(name + ", line " + std::to_string(line) +
                                 ": the only tables of a scene file are [view], [twin] and [camera.path]");
            for (const Table& before : tables)
                if (before.heading == here)
                    throw InputError(name + ", line " + std::to_string(line) + ": " + std::string(here) + " is there twice");
            Table& last = tables.back();
            last.text = last.text.substr(0, at - static_cast<std::size_t>(last.text.data() - text.data()));
            const std::size_t next = std::min(end + 1, text.size());
            tables.push_back({here, text.substr(next), line + 1});
        }
        at = end + 1;
    }
    std::string settings(tables.front().text);
    const SceneData data = takeSceneData(settings, name);
    takeWritten(settings, name, options);
    const RunRequest found = strictSettings(settings, name);
    if (!data.file.empty()) {
        openSceneData(data, found, name, options);
    } else {
        if (!found.scene.empty()) options.simulation.scene = found.scene;
        for (const SettingRow& row : settingRows())
            if (!ofMachine(row.key) && row.key != "scene" && !options.has(ofSetting(row.key).kept.option))
                row.copy(options.simulation, found);
    }
    for (const Table& table : tables) {
        if (table.heading == "[view]")
            takeTable(table.text, table.line, name,
                      [&](const std::string& key, std::string_view value) { takeView(options, key, value); });
        if (table.heading == "[twin]") takeTwinTable(table.text, table.line, name, options);
        if (table.heading == "[camera.path]") takePath(table.text, table.line, name, options);
    }
    try {
        takeQuantities(options);
    } catch (const UsageError& error) {
        throw InputError(name + ": " + error.what());
    }
}

std::string sceneTextOf(const std::string& path) {
    if (path.ends_with(".png")) {
        const PictureTexts texts = readPngTexts(path);
        const auto found = texts.find(kSceneFileKey);
        if (found == texts.end()) throw InputError(path + " carries no scene; pictures that gravlab has written do");
        return found->second;
    }
    constexpr std::size_t kMostBytes = 1u << 20;  // what people write has some hundred
    Source source = Source::open(path);
    source.hold();
    std::string text(kMostBytes + 1, '\0');
    text.resize(source.read(text.data(), text.size()));
    if (text.size() > kMostBytes) throw InputError(path + " is larger than 1 MiB, so it is no scene file");
    if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
        throw InputError(path + ", byte " + std::to_string(zero) + ": a zero byte; a scene file is text in UTF-8");
    if (constexpr std::string_view kMark = "\xEF\xBB\xBF"; text.starts_with(kMark)) text.erase(0, kMark.size());
    return text;
}

Options withSceneFile(const Options& options) {
    Options merged = options;
    takeSceneText(sceneTextOf(options.file), options.file, merged);
    merged.file.clear();
    return merged;
}

FileJob sceneFile(const Document& document, const std::string& path) {
    if (const Reason reason = noSceneFile(document); !reason.empty()) throw UsageError(reason);
    return {.work = [path, text = sceneFileText(document, path)] {
        writeFileAtomically(path, text);
        return "The scene was written to " + path + "; 'gravlab " + path + "' opens it.";
    }};
}

}  // namespace gravlab
