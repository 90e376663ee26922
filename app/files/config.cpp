// The rows of config.toml, and the times of its writes.
#include "app/files/config.h"

#include "app/files/toml_document.h"
#include "app/parameters/parameter.h"
#include "app/system/file_names.h"
#include "app/tables/text_values.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/forces/law_numbers.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"
#include "sim/io/toml_value.h"
#include "sim/run/far_field.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <utility>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

constexpr double kInterval = 1, kRest = 2;  // [s] between checks; before a settled change is written
constexpr std::size_t kLargestFile = 1 << 16;

int whole(const std::string& key, std::string_view value, int least, int most) {
    return static_cast<int>(parseInteger(key, std::string(value), least, most));
}

/// Whether the command line gives a scene, or options that depend on the scene.
bool sceneGiven(const StartOptions& options) {
    constexpr std::string_view kOf[] = {"SCENE", "--scene-version", "--bodies", "--set", "--law", "--integrator"};
    return std::any_of(std::begin(kOf), std::end(kOf), [&](std::string_view option) { return options.has(option); }) ||
           std::any_of(lawNumbers().begin(), lawNumbers().end(), [&](auto& number) { return options.has(number.option); });
}

/// Whether the scene is in the table, so no file brought it.
bool known(std::string_view scene) {
    const auto rows = sceneTable();
    return std::any_of(rows.begin(), rows.end(), [&](const Scene& row) { return row.name == scene; });
}

/// A row. The file omits rows with an empty text.
struct ConfigRow {
    std::string_view table, key;
    std::string_view option;  ///< option of the command line, which overrides the file; empty: none
    std::function<std::string(const Document&, const WindowPlace&)> text;
    std::function<void(Remembered&, const std::string& key, std::string_view value)> take;
};

/// Rows outside the table of parameters, and the scene, whose number of bodies is written where it differs from the default.
std::vector<ConfigRow> ownRows() {
    return {
        {"window", "width", "--size", [](const Document&, const WindowPlace& place) { return std::to_string(place.width); },
         [](Remembered& r, auto& k, auto v) { r.place.width = whole(k, v, 200, 16384); }},
        {"window", "height", "--size",
         [](const Document&, const WindowPlace& place) { return std::to_string(place.height); },
         [](Remembered& r, auto& k, auto v) { r.place.height = whole(k, v, 150, 16384); }},
        {"window", "x", "",
         [](const Document&, const WindowPlace& place) { return place.placed ? std::to_string(place.x) : std::string(); },
         [](Remembered& r, auto& k, auto v) { r.place.x = whole(k, v, -32768, 32767); }},
        {"window", "y", "",
         [](const Document&, const WindowPlace& place) { return place.placed ? std::to_string(place.y) : std::string(); },
         [](Remembered& r, auto& k, auto v) {
             r.place.y = whole(k, v, -32768, 32767);
             r.place.placed = true;
         }},
        {"scene", "name", "SCENE",
         [](const Document& d, const WindowPlace&) {
             const std::string& scene = d.facts.configuration.scene;
             return known(scene) ? tomlString(scene) : std::string();
         },
         [](Remembered& r, auto& k, auto v) {
             r.options.simulation.scene = std::get<std::string>(fileValue(parameter("run.scene"), k, v));
         }},
        {"scene", "bodies", "SCENE",
         [](const Document& d, const WindowPlace&) {
             // A scene's default number is left to the machine of the next session.
             const Scene& scene = *d.facts.scene;
             const std::size_t bodies = d.facts.startBodies;
             return areUsualBodies(scene, bodies) || !known(d.facts.configuration.scene) ? std::string()
                                                                                         : std::to_string(bodies);
         },
         [](Remembered& r, auto& k, auto v) {
             if (sceneNamed(r.options.simulation.scene).fixedBodies != 0)
                 throw UsageError(k + ": the scene '" + r.options.simulation.scene + "' has a number of its own");
             const Parameter& bodies = parameter("run.bodies");
             bodies.ask(r.options.simulation, fileValue(bodies, k, v));
         }},
        // This must precede the first build of the run, which would otherwise be built twice.
        {"scene", "exact_forces", "--exact",
         [](const Document& d, const WindowPlace&) {
             return fileText(parameter("run.exact_forces"), !d.intent.request.farField);
         },
         [](Remembered& r, auto& k, auto v) {
             r.options.simulation.farField = fileValue(parameter("run.exact_forces"), k, v) != Value(true);
         }}};
}

ConfigRow rowOf(const Parameter& p) {
    const std::size_t point = p.storedAs.configuration.find('.');
    const Parameter* flag = sharing(p, &StoredNames::configuration);
    return {p.storedAs.configuration.substr(0, point), p.storedAs.configuration.substr(point + 1),
            p.storedAs.option.empty() ? p.storedAs.before : p.storedAs.option,
            [&p, flag](const Document& d, const WindowPlace&) {
                const bool shown = !flag || flag->get(d) == Value(true);
                return shown ? fileText(p, p.requested ? p.requested(d) : p.get(d)) : tomlString("");
            },
            [&p, flag](Remembered& r, const std::string& key, std::string_view value) {
                Settings& settings = r.options.settings;
                const bool shown = !flag || value != tomlString("");
                if (flag) settings[flag->path] = shown;
                if (shown) settings[p.path] = fileValue(p, key, value);
            }};
}

/// All rows, by their tables.
const std::vector<ConfigRow>& rows() {
    static const std::vector<ConfigRow> all = [] {
        std::vector<ConfigRow> found = ownRows();
        for (const Parameter& p : parameters()) {
            const bool others = p.kind == Kind::flag && sharing(p, &StoredNames::configuration);
            const bool known = std::ranges::any_of(found, [&](const ConfigRow& own) {
                return p.storedAs.configuration == std::string(own.table) + "." + std::string(own.key);
            });
            if (!p.storedAs.configuration.empty() && !known && !others) found.push_back(rowOf(p));
        }
        constexpr std::array<std::string_view, 5> kTables{"window", "panels", "scene", "look", "lessons"};
        std::stable_sort(found.begin(), found.end(), [&](const ConfigRow& a, const ConfigRow& b) {
            return std::find(kTables.begin(), kTables.end(), a.table) < std::find(kTables.begin(), kTables.end(), b.table);
        });
        return found;
    }();
    return all;
}

/// Whether the command line overrides the row.
bool passedOver(const ConfigRow& row, const StartOptions& options) {
    return row.option == "SCENE" ? sceneGiven(options) : options.has(row.option);
}

void requireTable(const std::string& name) {
    std::vector<std::string_view> valid;
    for (const ConfigRow& row : rows())
        if (std::find(valid.begin(), valid.end(), row.table) == valid.end()) valid.push_back(row.table);
    if (std::find(valid.begin(), valid.end(), name) == valid.end()) throw UsageError(unknownName("table", name, valid));
}

void takeEntry(const TomlEntry& entry, Remembered& to) {
    const auto& [table, key, value, line] = entry;
    const auto row =
        std::ranges::find_if(rows(), [&](const ConfigRow& r) { return r.table == entry.table && r.key == entry.key; });
    if (row == rows().end()) {
        std::vector<std::string_view> valid;
        for (const ConfigRow& r : rows())
            if (r.table == table) valid.push_back(r.key);
        if (valid.empty()) throw UsageError("'" + key + "' is in no table that is known");
        throw UsageError(unknownName("key of [" + table + "]", key, valid));
    }
    if (passedOver(*row, to.options)) {
        to.passedOver[table + "." + key] = value;
        return;
    }
    Remembered trial = to;
    row->take(trial, key, value);
    to = std::move(trial);
}

}  // namespace

fs::path configFile() {
    const fs::path folder = userFolder("XDG_CONFIG_HOME", ".config");
    return folder.empty() ? fs::path() : folder / "config.toml";
}

std::vector<std::string> takeConfig(std::string_view text, const std::string& name, Remembered& to) {
    std::map<std::size_t, std::string> wrong;  // by line
    const auto at = [&](std::size_t line, auto take) {
        try {
            take();
        } catch (const UsageError& error) {
            wrong[line] = name + ", line " + std::to_string(line) + ": " + error.what() + "; the line is left out";
        }
    };
    const TomlDocument document = tomlDocument(text);
    for (const TomlFaultLine& fault : document.faults) at(fault.line, [&] { throw UsageError(fault.why); });
    for (const TomlTable& table : document.tables) at(table.line, [&] { requireTable(table.name); });
    for (const TomlEntry& entry : document.entries) at(entry.line, [&] { takeEntry(entry, to); });
    std::vector<std::string> notes;
    for (auto& [line, sentence] : wrong) notes.push_back(std::move(sentence));
    return notes;
}

ConfigKeeper::ConfigKeeper(bool on, Remembered& to) {
    given_ = to;
    if (!on) return;
    file_ = configFile();
    std::error_code error;
    first_ = !file_.empty() && !fs::exists(file_, error) && !error;
    if (file_.empty() || first_ || error) return;
    std::string text(kLargestFile, '\0');
    try {
        Source source = Source::open(file_);
        text.resize(source.read(text.data(), text.size()));
    } catch (const Error&) {
        notes_.push_back("cannot read " + file_.string() +
                         "; the window begins as it does the first time and leaves it alone");
        file_.clear();
        return;
    }
    notes_ = takeConfig(text, file_.string(), to);
    given_ = to;
    written_ = text;
}

bool ConfigKeeper::due(double seconds) const {
    return !file_.empty() && (lookedAt_ < 0 || seconds - lookedAt_ >= kInterval);
}

std::string ConfigKeeper::text(const Document& document, const WindowPlace& place) {
    std::vector<std::string> now;
    for (const ConfigRow& row : rows()) now.push_back(row.text(document, place));
    if (begun_.empty()) begun_ = now;
    // Width and height belong together, and so do scene and bodies.
    const auto changed = [&](std::string_view option) {
        for (std::size_t i = 0; i < now.size(); ++i)
            if (rows()[i].option == option && now[i] != begun_[i]) return true;
        return false;
    };
    std::string text = "# What gravlab's window remembers. Written by gravlab; 'gravlab --no-config' does without it.\n";
    std::string_view table;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const ConfigRow& row = rows()[i];
        std::string value = now[i];
        if (passedOver(row, given_.options) && !changed(row.option)) {
            const auto found = given_.passedOver.find(std::string(row.table) + "." + std::string(row.key));
            value = found == given_.passedOver.end() ? std::string() : found->second;
        }
        if (value.empty()) continue;
        if (row.table != table) text += "\n[" + std::string(table = row.table) + "]\n";
        text += std::string(row.key) + " = " + value + "\n";
    }
    return text;
}

std::string ConfigKeeper::update(const Document& document, const WindowPlace& place, double seconds) {
    jobs_.poll();
    if (!failure_.empty()) return std::exchange(failure_, {});
    if (!due(seconds)) return {};
    lookedAt_ = seconds;
    std::string now = text(document, place);
    if (now != seen_) {
        seen_ = std::move(now);
        changedAt_ = seconds;
        return {};
    }
    if (seen_ != written_ && seconds - changedAt_ >= kRest) write(seen_);
    return {};
}

void ConfigKeeper::close(const Document& document, const WindowPlace& place) noexcept {
    try {
        const std::string now = text(document, place);
        if (!file_.empty() && now != written_) write(now);
        jobs_.wait();
        jobs_.poll();
    } catch (const std::exception&) {
        // The window is closing: no message can appear, and nothing else can be lost.
    }
}

void ConfigKeeper::write(const std::string& text) {
    // The user may still want the lines that could not be used.
    const std::string old = std::exchange(notes_, {}).empty() ? std::string() : written_;
    written_ = text;
    jobs_.post({.work = [file = file_, text, old]() -> std::string {
                    std::error_code error;
                    fs::create_directories(file.parent_path(), error);
                    if (!old.empty()) writeFileAtomically(file.string() + ".old", old);
                    writeFileAtomically(file, text);
                    return {};
                },
                .done =
                    [this](const FileOutcome& outcome) {
                        if (outcome.status == FileOutcome::Status::written || file_.empty()) return;
                        file_.clear();
                        failure_ = "What the window remembers is not kept this time: " + outcome.sentence;
                    }});
}

}  // namespace gravlab
