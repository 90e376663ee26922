// The rows of [view], and the settings of a run above them.
#include "app/control/scene_file.h"

#include "app/control/file_values.h"
#include "app/control/option_values.h"
#include "app/control/parameter.h"
#include "app/model/camera_path.h"
#include "app/model/document.h"
#include "app/model/look.h"
#include "app/picture.h"
#include "render/colour_map.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"
#include "sim/io/run_settings.h"
#include "sim/io/toml_value.h"
#include "sim/run/fingerprint.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numbers>

namespace gravlab {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

// Settings of the machine, not of the scene.
constexpr std::string_view kMachine[] = {"backend", "device", "threads",           "simd", "kernel",
                                         "block",   "unroll", "bodies_per_thread", "split"};

std::array<double, 3> place(const std::string& key, std::string_view value) {
    const Value found = checked(parameter("camera.target"), tomlValue(value).value_or(std::string(value)), key, true);
    const auto& list = std::get<std::vector<double>>(found);
    return {list[0], list[1], list[2]};
}

/// A row of [view].
struct ViewRow {
    std::string_view key;
    std::string_view option;  ///< of the command line, which goes before the file; empty: none
    std::string (*text)(const Document&);
    void (*take)(Options&, const std::string& key, std::string_view value);
};

constexpr ViewRow kRows[] = {
    {"distance", "--distance", [](const Document& s) { return numberText(static_cast<double>(s.camera.distance)); },
     [](Options& o, auto& k, auto v) { o.look.distance = parseNumber("camera.distance", k, v); }},
    {"azimuth", "--azimuth", [](const Document& s) { return numberText(static_cast<double>(s.camera.azimuth) * kDegrees); },
     [](Options& o, auto& k, auto v) { o.look.azimuth = parseNumber("camera.azimuth", k, v); }},
    {"elevation", "--elevation",
     [](const Document& s) { return numberText(static_cast<double>(s.camera.elevation) * kDegrees); },
     [](Options& o, auto& k, auto v) { o.look.elevation = parseNumber("camera.elevation", k, v); }},
    {"target", "",
     [](const Document& s) {
         const glm::vec3 t = s.camera.target;
         return "[" + numberText(static_cast<double>(t.x)) + ", " + numberText(static_cast<double>(t.y)) + ", " +
                numberText(static_cast<double>(t.z)) + "]";
     },
     [](Options& o, auto& k, auto v) { o.look.target = place(k, v); }},
    {"orthographic", "--orthographic", [](const Document& s) { return flagText(s.camera.orthographic); },
     [](Options& o, auto& k, auto v) { o.look.orthographic = parseFlag(k, v); }},
    {"field", "", [](const Document& s) { return numberText(static_cast<double>(s.camera.fieldOfView) * kDegrees); },
     [](Options& o, auto& k, auto v) { o.look.field = parseNumber("camera.field_of_view", k, v); }},
    {"rotate", "--rotate", [](const Document& s) { return numberText(s.rotation * kDegrees); },
     [](Options& o, auto& k, auto v) { o.look.rotation = parseNumber("camera.rotation", k, v); }},
    {"colour", "--colour", [](const Document& s) { return inQuotes(s.shownMode().name); },
     [](Options& o, auto& k, auto v) { requireColourMode(o.look.colourMode = parseWord(k, v)); }},
    {"map", "--map",
     [](const Document& s) {
         return inQuotes(colourMaps()[static_cast<std::size_t>(std::max(s.look.colourMap, 0)) % colourMaps().size()].name);
     },
     [](Options& o, auto& k, auto v) { requireColourMap(o.look.colourMap = parseWord(k, v)); }},
    {"tone", "--tone", [](const Document& s) { return inQuotes(toneCurves()[static_cast<std::size_t>(s.look.tone)].name); },
     [](Options& o, auto& k, auto v) { requireTone(o.look.tone = parseWord(k, v)); }},
    {"exposure", "--exposure", [](const Document& s) { return numberText(static_cast<double>(s.look.exposure)); },
     [](Options& o, auto& k, auto v) { o.look.exposure = parseNumber("look.exposure", k, v); }},
    {"auto_exposure", "--auto-exposure", [](const Document& s) { return flagText(s.look.autoExposure); },
     [](Options& o, auto& k, auto v) { o.look.autoExposure = parseFlag(k, v); }},
    {"glow", "--glow", [](const Document& s) { return numberText(static_cast<double>(s.look.bloom)); },
     [](Options& o, auto& k, auto v) { o.look.glow = parseNumber("look.glow", k, v); }},
    {"body_size", "--body-size", [](const Document& s) { return numberText(static_cast<double>(s.look.pointSize)); },
     [](Options& o, auto& k, auto v) { o.look.bodySize = parseNumber("look.body_size", k, v); }},
    {"top_speed", "--top-speed", [](const Document& s) { return numberText(static_cast<double>(s.look.valueScale)); },
     [](Options& o, auto& k, auto v) { o.look.topSpeed = parseNumber("look.top_speed", k, v); }},
    {"dark_matter", "--dark-matter", [](const Document& s) { return numberText(static_cast<double>(s.look.darkLight)); },
     [](Options& o, auto& k, auto v) { o.look.darkLight = parseNumber("look.dark_matter", k, v); }},
    {"dust", "--dust", [](const Document& s) { return numberText(static_cast<double>(s.look.photograph.dust)); },
     [](Options& o, auto& k, auto v) { o.look.dust = parseNumber("look.dust", k, v); }},
    {"gas", "--gas", [](const Document& s) { return numberText(static_cast<double>(s.look.photograph.gas)); },
     [](Options& o, auto& k, auto v) { o.look.gas = parseNumber("look.gas", k, v); }},
    {"sky", "--sky", [](const Document& s) { return numberText(static_cast<double>(s.look.photograph.sky)); },
     [](Options& o, auto& k, auto v) { o.look.sky = parseNumber("look.sky", k, v); }},
    {"paper", "--paper", [](const Document& s) { return flagText(s.look.paper); },
     [](Options& o, auto& k, auto v) { o.look.paper = parseFlag(k, v); }},
    {"trails", "--trails", [](const Document& s) { return std::to_string(s.look.trails); },
     [](Options& o, auto& k, auto v) { o.look.trails = static_cast<int>(parseWhole("look.trails", k, v)); }},
    {"overlay", "--overlay", [](const Document& s) { return inQuotes(overlayText(s.overlay)); },
     [](Options& o, auto& k, auto v) { o.look.overlay = parseOverlay(splitList({parseWord(k, v)})); }},
    {"views", "--views", [](const Document& s) { return std::string(s.fourViews ? "4" : "1"); },
     [](Options& o, auto& k, auto v) {
         o.views = static_cast<int>(parseInteger(k, std::string(v), 1, 4));
         if (o.views != 1 && o.views != 4) throw UsageError(k + " must be 1 or 4");
     }},
    {"steps_per_frame", "--steps-per-frame", [](const Document& s) { return std::to_string(s.intent.stepsPerFrame); },
     [](Options& o, auto& k, auto v) { o.stepsPerFrame = static_cast<int>(parseWhole("run.steps_per_frame", k, v)); }},
};

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

void takeView(Options& options, const std::string& key, std::string_view value) {
    const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const ViewRow& r) { return r.key == key; });
    if (row == std::end(kRows)) {
        std::vector<std::string_view> valid;
        for (const ViewRow& r : kRows) valid.push_back(r.key);
        throw UsageError(unknownName("key of [view]", key, valid));
    }
    Options trial = options;
    row->take(trial, key, value);
    if (!options.has(row->option)) options = trial;
}

/// A table [twin] is a twin, even an empty one. What the command line says of twins goes before all of it.
void takeTwin(std::string_view text, std::size_t line, const std::string& name, Options& options) {
    TwinChoice twin;
    twin.on = true;
    takeTable(text, line, name, [&](const std::string& key, std::string_view value) {
        if (key == "view")
            twin.view = twinView(parseWord(key, value));
        else
            setTwin(twin, key, value);
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
        options.look.path = parsePath(pair.value);
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

std::string sceneFileText(const Document& document) {
    const Facts& facts = document.facts;
    RunRequest settings = requestOf(facts.configuration);
    settings.bodies = document.facts.startBodies;
    std::string text = "# gravlab scene file: gravlab view FILE, or FILE.png that carries it\n# taken at step " +
                       std::to_string(facts.step) + ", t = " + numberText(facts.time) + "\n";
    if (document.facts.edited)
        text += "# bodies were changed by hand by then, which is not in here: the scene begins as it is built\n";
    if (const std::string print = shortFingerprint(settings); !print.empty()) text += "# fingerprint: " + print + "\n";
    for (const SettingRow& row : settingRows())
        if (std::find(std::begin(kMachine), std::end(kMachine), row.key) == std::end(kMachine))
            text += std::string(row.key) + " = " + row.text(settings) + "\n";
    text += "\n[view]\n";
    for (const ViewRow& row : kRows) text += std::string(row.key) + " = " + row.text(document) + "\n";
    TwinChoice twin = document.intent.twin;
    for (const std::string_view key : kMachine) twin.release(key);
    if (twin.on)
        text += "\n[twin]\nview = " + inQuotes(twinViews()[static_cast<std::size_t>(twin.view)]) + "\n" + twinText(twin);
    if (const CameraPath path = pathOf(document); !path.empty())
        text += "\n[camera.path]\npoints = " + pathText(path.points()) + "\n";
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
    const RunRequest found = strictSettings(tables.front().text, name);
    if (!found.scene.empty()) options.simulation.scene = found.scene;
    for (const SettingRow& row : settingRows()) {
        const bool machine = std::find(std::begin(kMachine), std::end(kMachine), row.key) != std::end(kMachine);
        if (!machine && row.key != "scene" && !options.has(row.option)) row.copy(options.simulation, found);
    }
    for (const Table& table : tables) {
        if (table.heading == "[view]")
            takeTable(table.text, table.line, name,
                      [&](const std::string& key, std::string_view value) { takeView(options, key, value); });
        if (table.heading == "[twin]") takeTwin(table.text, table.line, name, options);
        if (table.heading == "[camera.path]") takePath(table.text, table.line, name, options);
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

void writeSceneFile(const std::string& path, const Document& document) {
    writeFileAtomically(path, sceneFileText(document));
}

}  // namespace gravlab
