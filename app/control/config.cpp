// The rows of config.toml, its small grammar, and when it is written.
#include "app/control/config.h"

#include "app/control/file_values.h"
#include "app/control/option_values.h"
#include "app/model/document.h"
#include "app/model/look.h"
#include "app/user_folder.h"
#include "render/colour_map.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/forces/law_numbers.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

constexpr double kInterval = 1, kRest = 2;  // [s] between looks; before a change is written
constexpr std::size_t kLargestFile = 1 << 16;

struct Source {
    const Document& document;
    const UiState& ui;
    const WindowPlace& place;
};

int whole(const std::string& key, std::string_view value, int least, int most) {
    return static_cast<int>(parseInteger(key, std::string(value), least, most));
}

/// Whether the command line says which scene, or what only makes sense with the one it means.
bool sceneGiven(const Options& options) {
    constexpr std::string_view kOf[] = {"SCENE", "--bodies", "--set", "--law", "--integrator"};
    return std::any_of(std::begin(kOf), std::end(kOf), [&](std::string_view option) { return options.has(option); }) ||
           std::any_of(lawNumbers().begin(), lawNumbers().end(), [&](auto& number) { return options.has(number.option); });
}

/// A scene of the table, and none that a file brought.
bool known(std::string_view scene) {
    const auto rows = sceneTable();
    return std::any_of(rows.begin(), rows.end(), [&](const Scene& row) { return row.name == scene; });
}

/// A row. An empty text is left out of the file.
struct Row {
    std::string_view table, key;
    std::string_view option;  ///< of the command line, which goes before the file; empty: none
    std::string (*text)(const Source&);
    void (*take)(Remembered&, const std::string& key, std::string_view value);
};

constexpr Row kRows[] = {
    {"window", "width", "--size", [](const Source& s) { return std::to_string(s.place.width); },
     [](Remembered& r, auto& k, auto v) { r.place.width = whole(k, v, 200, 16384); }},
    {"window", "height", "--size", [](const Source& s) { return std::to_string(s.place.height); },
     [](Remembered& r, auto& k, auto v) { r.place.height = whole(k, v, 150, 16384); }},
    {"window", "x", "", [](const Source& s) { return s.place.placed ? std::to_string(s.place.x) : std::string(); },
     [](Remembered& r, auto& k, auto v) { r.place.x = whole(k, v, -32768, 32767); }},
    {"window", "y", "", [](const Source& s) { return s.place.placed ? std::to_string(s.place.y) : std::string(); },
     [](Remembered& r, auto& k, auto v) {
         r.place.y = whole(k, v, -32768, 32767);
         r.place.placed = true;
     }},
    {"window", "text_scale", "--ui-scale", [](const Source& s) { return numberText(static_cast<double>(s.ui.textScale)); },
     [](Remembered& r, auto& k, auto v) { r.ui.textScale = static_cast<float>(parseNumber("window.text_scale", k, v)); }},
    {"window", "projector", "", [](const Source& s) { return flagText(s.ui.projector); },
     [](Remembered& r, auto& k, auto v) { r.ui.projector = parseFlag(k, v); }},
    {"window", "display_sync", "--no-vsync", [](const Source& s) { return flagText(s.ui.vsync); },
     [](Remembered& r, auto& k, auto v) { r.options.vsync = parseFlag(k, v); }},
    {"panels", "panels", "", [](const Source& s) { return flagText(s.ui.panel); },
     [](Remembered& r, auto& k, auto v) { r.ui.panel = parseFlag(k, v); }},
    {"panels", "conservation", "", [](const Source& s) { return flagText(s.ui.conservation); },
     [](Remembered& r, auto& k, auto v) { r.ui.conservation = parseFlag(k, v); }},
    {"panels", "instruments", "", [](const Source& s) { return flagText(s.ui.instruments); },
     [](Remembered& r, auto& k, auto v) { r.ui.instruments = parseFlag(k, v); }},
    {"panels", "lab", "--lab",
     [](const Source& s) {
         return inQuotes(s.document.labPanel.open ? labPages()[static_cast<std::size_t>(s.document.labPanel.page)]
                                                  : std::string_view());
     },
     [](Remembered& r, auto& k, auto v) {
         const std::string page = parseWord(k, v);
         if (!page.empty()) labPage(page);
         r.options.lab = page;
     }},
    {"scene", "name", "SCENE",
     [](const Source& s) {
         const std::string& scene = s.document.facts.configuration.scene;
         return known(scene) ? inQuotes(scene) : std::string();
     },
     [](Remembered& r, auto& k, auto v) { r.options.simulation.scene = sceneNamed(parseWord(k, v)).name; }},
    {"scene", "bodies", "SCENE",
     [](const Source& s) {
         // A scene's usual number is left to the machine of next time.
         const Scene& scene = *s.document.facts.scene;
         const std::size_t bodies = s.document.facts.startBodies;
         const bool usual = bodies == scene.bodiesGpu || bodies == scene.bodiesCpu || bodies == scene.fixedBodies;
         return usual || !known(s.document.facts.configuration.scene) ? std::string() : std::to_string(bodies);
     },
     [](Remembered& r, auto& k, auto v) {
         if (sceneNamed(r.options.simulation.scene).fixedBodies != 0)
             throw UsageError(k + ": the scene '" + r.options.simulation.scene + "' has a number of its own");
         r.options.simulation.bodies = parseBodies(k, std::string(v));
     }},
    {"look", "colour", "--colour",
     [](const Source& s) { return inQuotes(s.document.colourMode < 0 ? kSceneColour : s.document.shownMode().name); },
     [](Remembered& r, auto& k, auto v) {
         const std::string name = parseWord(k, v);
         requireColourMode(name);
         r.options.look.colourMode = name;
     }},
    {"look", "map", "--map",
     [](const Source& s) {
         return inQuotes(
             colourMaps()[static_cast<std::size_t>(std::max(s.document.look.colourMap, 0)) % colourMaps().size()].name);
     },
     [](Remembered& r, auto& k, auto v) {
         const std::string name = parseWord(k, v);
         requireColourMap(name);
         r.options.look.colourMap = name;
     }},
    {"look", "tone", "--tone",
     [](const Source& s) { return inQuotes(toneCurves()[static_cast<std::size_t>(s.document.look.tone)].name); },
     [](Remembered& r, auto& k, auto v) {
         const std::string name = parseWord(k, v);
         requireTone(name);
         r.options.look.tone = name;
     }},
    {"look", "auto_exposure", "--auto-exposure", [](const Source& s) { return flagText(s.document.look.autoExposure); },
     [](Remembered& r, auto& k, auto v) { r.options.look.autoExposure = parseFlag(k, v); }},
    {"look", "glow", "--glow", [](const Source& s) { return numberText(static_cast<double>(s.document.look.bloom)); },
     [](Remembered& r, auto& k, auto v) { r.options.look.glow = parseNumber("look.glow", k, v); }},
    {"look", "paper", "--paper", [](const Source& s) { return flagText(s.document.look.paper); },
     [](Remembered& r, auto& k, auto v) { r.options.look.paper = parseFlag(k, v); }},
    {"look", "overlay", "--overlay", [](const Source& s) { return inQuotes(overlayText(s.document.overlay)); },
     [](Remembered& r, auto& k, auto v) { r.options.look.overlay = parseOverlay(splitList({parseWord(k, v)})); }},
};

/// The command line goes before the row.
bool passedOver(const Row& row, const Options& options) {
    return row.option == "SCENE" ? sceneGiven(options) : options.has(row.option);
}

void takeLine(std::string_view line, std::string& table, Remembered& to) {
    if (line.front() == '[') {
        table = line.back() == ']' ? std::string(trimmed(line.substr(1, line.size() - 2))) : std::string();
        std::vector<std::string_view> valid;
        for (const Row& row : kRows)
            if (std::find(valid.begin(), valid.end(), row.table) == valid.end()) valid.push_back(row.table);
        if (std::find(valid.begin(), valid.end(), table) == valid.end())
            throw UsageError(unknownName("table", table, valid));
        return;
    }
    const KeyValue pair = keyValue(line);
    if (!pair.found) throw UsageError("expected KEY = VALUE or [TABLE]");
    const std::string key(pair.key);
    const auto row =
        std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.table == table && r.key == key; });
    if (row == std::end(kRows)) {
        std::vector<std::string_view> valid;
        for (const Row& r : kRows)
            if (r.table == table) valid.push_back(r.key);
        if (valid.empty()) throw UsageError("'" + key + "' is in no table that is known");
        throw UsageError(unknownName("key of [" + table + "]", key, valid));
    }
    if (passedOver(*row, to.options)) {
        to.passedOver[table + "." + key] = pair.value;
        return;
    }
    Remembered trial = to;
    row->take(trial, key, pair.value);
    to = std::move(trial);
}

}  // namespace

fs::path configFile() {
    const fs::path folder = userFolder("XDG_CONFIG_HOME", ".config");
    return folder.empty() ? fs::path() : folder / "config.toml";
}

std::vector<std::string> takeConfig(std::string_view text, const std::string& name, Remembered& to) {
    std::vector<std::string> notes;
    std::string table;
    eachLine(text, 1, [&](std::size_t number, std::string_view line) {
        try {
            takeLine(line, table, to);
        } catch (const UsageError& error) {
            notes.push_back(name + ", line " + std::to_string(number) + ": " + error.what() + "; the line is left out");
        }
    });
    return notes;
}

ConfigKeeper::ConfigKeeper(bool on, Remembered& to) {
    asked_ = to;
    if (!on) return;
    file_ = configFile();
    std::error_code error;
    if (file_.empty() || !fs::exists(file_, error)) return;
    std::string text(kLargestFile, '\0');
    try {
        gravlab::Source source = gravlab::Source::open(file_);
        text.resize(source.read(text.data(), text.size()));
    } catch (const Error&) {
        notes_.push_back("cannot read " + file_.string() +
                         "; the window begins as it does the first time and leaves it alone");
        file_.clear();
        return;
    }
    notes_ = takeConfig(text, file_.string(), to);
    asked_ = to;
    written_ = text;
}

bool ConfigKeeper::due(double seconds) const {
    return !file_.empty() && (lookedAt_ < 0 || seconds - lookedAt_ >= kInterval);
}

std::string ConfigKeeper::text(const Document& document, const WindowPlace& place) {
    std::vector<std::string> now;
    for (const Row& row : kRows) now.push_back(row.text({document, document.ui, place}));
    if (begun_.empty()) begun_ = now;
    // Width and height, or scene and bodies, belong together.
    const auto changed = [&](std::string_view option) {
        for (std::size_t i = 0; i < now.size(); ++i)
            if (kRows[i].option == option && now[i] != begun_[i]) return true;
        return false;
    };
    std::string text = "# What gravlab's window remembers. Written by gravlab; 'gravlab --no-config' does without it.\n";
    std::string_view table;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const Row& row = kRows[i];
        std::string value = now[i];
        if (passedOver(row, asked_.options) && !changed(row.option)) {
            const auto found = asked_.passedOver.find(std::string(row.table) + "." + std::string(row.key));
            value = found == asked_.passedOver.end() ? std::string() : found->second;
        }
        if (value.empty()) continue;
        if (row.table != table) text += "\n[" + std::string(table = row.table) + "]\n";
        text += std::string(row.key) + " = " + value + "\n";
    }
    return text;
}

std::string ConfigKeeper::update(const Document& document, const WindowPlace& place, double seconds) {
    if (!due(seconds)) return {};
    lookedAt_ = seconds;
    std::string now = text(document, place);
    if (now != seen_) {
        seen_ = std::move(now);
        changedAt_ = seconds;
        return {};
    }
    return seen_ == written_ || seconds - changedAt_ < kRest ? std::string() : write(seen_);
}

void ConfigKeeper::close(const Document& document, const WindowPlace& place) noexcept {
    try {
        const std::string now = text(document, place);
        if (!file_.empty() && now != written_) write(now);
    } catch (const std::exception&) {
        // The window is closing; there is nobody to tell and nothing else to lose.
    }
}

std::string ConfigKeeper::write(const std::string& text) {
    try {
        std::error_code error;
        fs::create_directories(file_.parent_path(), error);
        // Lines that could not be used are still somebody's.
        if (!std::exchange(notes_, {}).empty()) writeFileAtomically(file_.string() + ".old", written_);
        writeFileAtomically(file_, text);
        written_ = text;
        return {};
    } catch (const IoError& error) {
        file_.clear();
        return std::string("What the window remembers is not kept this time: ") + error.what();
    }
}

}  // namespace gravlab
