// The rows of [view], and the settings of a run above them.
#include "app/files/scene_file.h"

#include "app/files/open_file.h"
#include "app/files/scene_data.h"
#include "app/files/toml_document.h"
#include "app/model/camera_path.h"
#include "app/model/document.h"
#include "app/model/look.h"
#include "app/parameters/parameter.h"
#include "app/parameters/quantity.h"
#include "app/parameters/twin_settings.h"
#include "app/system/built_in.h"
#include "app/system/picture.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"
#include "sim/io/run_settings.h"
#include "sim/io/toml_value.h"
#include "sim/run/fingerprint.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

namespace gravlab {

namespace {

/// A setting of the machine, not of the scene.
bool ofMachine(std::string_view key) { return ofSetting(key).storedAs.scene.empty(); }

constexpr std::string_view kViewTable = "view.";

/// The key of a row in [view]; empty: it has none.
std::string_view viewKey(const Parameter& row) {
    return row.storedAs.scene.starts_with(kViewTable) ? row.storedAs.scene.substr(kViewTable.size()) : std::string_view();
}

/// Whether the text is a number with a unit, which is then kept; the command line overrides it.
bool keptWithUnit(StartOptions& options, const Parameter& row, const std::string& key, std::string_view value) {
    const std::optional<Value> found = tomlValue(value);
    const auto* text = found ? std::get_if<std::string>(&*found) : nullptr;
    if (!text || !hasDimension(row.unit) || !isQuantity(*text)) return false;
    requireDimension(key, *text, row.unit);
    return options.has(row.storedAs.option) || keepQuantity(options, row, key, *text);
}

/// Removes settings with a unit from those above the tables, and keeps them.
void takeWritten(std::vector<TomlEntry>& settings, const std::string& name, StartOptions& options) {
    std::erase_if(settings, [&](const TomlEntry& entry) {
        const auto row = std::ranges::find_if(parameters(), [&](const Parameter& candidate) {
            return candidate.path.starts_with("run.") && candidate.storedAs.scene == entry.key;
        });
        return row != parameters().end() &&
               atLine(name, entry.line, [&] { return keptWithUnit(options, *row, entry.key, entry.value); });
    });
}

void takeView(StartOptions& options, const std::string& key, std::string_view text) {
    std::vector<std::string_view> valid;
    for (const Parameter& row : parameters()) {
        if (viewKey(row).empty()) continue;
        valid.push_back(viewKey(row));
        if (viewKey(row) != key) continue;
        if (keptWithUnit(options, row, key, text)) return;
        Value value = fileValue(row, key, text);
        if (!options.has(row.storedAs.option)) options.settings[row.path] = std::move(value);
        return;
    }
    throw UsageError(unknownName("key of [view]", key, valid));
}

/// A table [twin] makes a twin, even when it is empty. Twin options of the command line override the whole table.
void takeTwinTable(const std::vector<TomlEntry>& entries, const std::string& name, StartOptions& options) {
    TwinChoice twin{.on = true};
    for (const auto& [table, key, value, line] : entries)
        atLine(name, line, [&, &key = key, &value = value] {
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

/// Reads [camera.path], which holds one key.
void takePath(const std::vector<TomlEntry>& entries, StartOptions& options) {
    if (entries.size() != 1 || entries.front().key != "points")
        throw UsageError("expected points = [[seconds, distance, azimuth, elevation, x, y, z], ...] and nothing else");
    options.path = parsePath(entries.front().value);
}

/// The remembered views, or the earlier path.
CameraPath pathOf(const Document& document) {
    const CameraPath remembered = CameraPath::through(document.views);
    return remembered.empty() ? document.tour.path : remembered;
}

bool isBareKey(std::string_view key) {
    return std::ranges::all_of(key, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

constexpr std::string_view kViewName = "view", kTwinName = "twin", kPathName = "camera.path";

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
    const RunFacts& facts = document.facts;
    const StartState* start = facts.configuration.start.get();
    RunRequest settings = requestOf(facts.configuration);
    settings.bodies = document.facts.startBodies;
    // The file keeps the kernel that ran; the choice of a window for this number of bodies may change later.
    if (facts.kernel && !facts.kernel->approximates) settings.pairs().accuracy = 0;
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
    if (const TwinChoice& twin = document.intent.twin; twin.on) {
        text += "\n[twin]\nview = " + fileText(parameter("twin.view"), parameter("twin.view").get(document)) + "\n";
        for (const std::string_view key : twinKeys())
            if (const auto found = twin.values.find(key); found != twin.values.end() && !ofMachine(key))
                text += std::string(key) + " = " + fileText(ofSetting(key), found->second) + "\n";
    }
    if (const CameraPath flight = pathOf(document); !flight.empty())
        text += "\n[camera.path]\npoints = " + pathText(flight.points()) + "\n";
    return text;
}

void takeSceneText(std::string_view text, const std::string& name, StartOptions& options) {
    const TomlDocument document = tomlDocument(text);
    std::map<std::string, std::size_t> tables;  // with the line of each
    const auto requireTable = [&](const std::string& table, std::size_t line) {
        atLine(name, line, [&] {
            if (table != kViewName && table != kTwinName && table != kPathName)
                throw UsageError("the only tables of a scene file are [view], [twin] and [camera.path]");
        });
        tables.emplace(table, line);
    };
    for (const TomlTable& table : document.tables) requireTable(table.name, table.line);
    const auto inPath = [&](auto doing) {
        atLine(name, tables.at(std::string(kPathName)), [&] {
            try {
                doing();
            } catch (const UsageError& error) {
                throw UsageError("[camera.path]: " + std::string(error.what()));
            }
        });
    };
    for (const TomlFaultLine& fault : document.faults) {
        const auto refuse = [&] { throw UsageError(fault.why); };
        fault.table == kPathName ? inPath(refuse) : atLine(name, fault.line, refuse);
    }
    for (const TomlEntry& entry : document.entries)  // a key may name its table: view.glow = 1
        if (!entry.table.empty()) requireTable(entry.table, entry.line);
    const auto entriesOf = [&](std::string_view table) {
        std::vector<TomlEntry> found;
        for (const TomlEntry& entry : document.entries)
            if (entry.table == table) found.push_back(entry);
        return found;
    };
    std::vector<TomlEntry> settings = entriesOf({});
    const SceneData data = takeSceneData(settings, name);
    takeWritten(settings, name, options);
    std::vector<SettingLine> lines;
    for (const TomlEntry& entry : settings)
        lines.push_back({isBareKey(entry.key) ? entry.key : tomlString(entry.key), entry.value, entry.line});
    const RunRequest found = strictSettings(lines, name);
    if (!data.file.empty()) {
        openSceneData(data, found, name, options);
    } else {
        if (!found.scene.empty()) options.simulation.scene = found.scene;
        for (const SettingRow& row : settingRows())
            if (!ofMachine(row.key) && row.key != "scene" && !options.has(ofSetting(row.key).storedAs.option))
                row.copy(options.simulation, found);
    }
    for (const auto& [table, key, value, line] : entriesOf(kViewName))
        atLine(name, line, [&, &key = key, &value = value] { takeView(options, key, value); });
    if (tables.contains(std::string(kTwinName))) takeTwinTable(entriesOf(kTwinName), name, options);
    if (tables.contains(std::string(kPathName))) inPath([&] { takePath(entriesOf(kPathName), options); });
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
    constexpr std::size_t kMostBytes = 1u << 20;  // files that people write have some hundred bytes
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

StartOptions withSceneFile(const StartOptions& options) {
    StartOptions merged = options;
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

// What a file that is opened in a running window, by a drop or in a panel, becomes of the document.

StartOptions sceneBase(const Document& document) {
    StartOptions base{.simulation = document.intent.request};
    base.simulation.start = nullptr;
    if (document.intent.speed == 0) base.settings["run.steps_per_frame"] = std::int64_t{document.intent.stepsPerFrame};
    return base;
}

ReadOptions againIn(const Document& document, const std::string& units) {
    const StartFile& last = document.facts.configuration.start->file;
    return {.columns = last.columns,
            .sanitize = last.sanitize,
            .units = units,
            .part = last.part,
            .ignoreHubble = last.ignoreHubble,
            .bonds = last.bonds};
}

bool takeStart(Document& document, LoadedStart start, const ApplyIntent& applyIntent) {
    start.request.tuning = document.intent.request.tuning;  // the tuning belongs to this machine, not to the file
    start.request.farField = document.intent.request.farField;
    document.intent.request = std::move(start.request);
    return applyIntent(false);
}

bool takeScene(Document& document, const StartOptions& scene, const ApplyIntent& applyIntent) {
    document.dismissMessage();
    document.intent.twin = scene.twin;
    document.intent.request = scene.simulation;
    if (!applyIntent(true)) return false;
    const RunFacts& facts = document.facts;
    document.look = sceneLook(facts.scene->view, facts.configuration.bodies);
    document.camera = sceneCamera(facts.scene->view);
    document.colourMode = -1;
    document.rotation = 0;
    document.tour.playing = false;
    document.tour.path = scene.path.empty() ? CameraPath() : CameraPath(scene.path);
    document.showFourViews(false);
    if (document.intent.speed > 0) document.intent.speed = ownSpeed(facts);
    document.frameAll = document.frameAll && !placesCamera(scene.settings);
    document.bringTrails();
    // A file's setting of trails belongs to its scene; the next scene has its own.
    const bool ownTrails = document.ownTrails;
    applySettings(document, scene.settings);
    document.ownTrails = ownTrails;
    return true;
}

PictureTexts settingsTexts(const Document& document, const std::string& path) {
    const RunConfiguration& run = document.facts.configuration;
    PictureTexts texts{{"Software", "gravlab " + std::string(version())},
                       {"gravlab:scene", run.scene},
                       {"gravlab:bodies", std::to_string(run.bodies)},
                       {"gravlab:seed", std::to_string(run.seed)},
                       {"gravlab:backend", run.backend},
                       {"gravlab:kernel", run.pairs().kernel.kernel},
                       {"gravlab:integrator", run.integrator},
                       {"gravlab:dt", formatted("%.17g", run.timeStep)},
                       {"gravlab:softening", formatted("%.17g", run.force.softening)}};
    addSceneFile(texts, document, path);
    return texts;
}

PictureTexts momentTexts(const Document& document) {
    return {{"gravlab:step", std::to_string(document.facts.step)}, {"gravlab:time", std::to_string(document.facts.time)}};
}

PictureTexts pictureTexts(const Document& document, const std::string& path) {
    PictureTexts texts = momentTexts(document);
    texts.merge(settingsTexts(document, path));
    return texts;
}

}  // namespace gravlab
