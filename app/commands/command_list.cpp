// `gravlab list`: the capabilities of this build and machine. Every list reads the table that the program itself uses.
#include "app/commands/command_rows.h"
#include "app/control/action.h"
#include "app/film/encoders.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/lesson_runner.h"
#include "app/parameters/parameter.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/run/far_field.h"
#include "sim/scenes/scene.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using Json = nlohmann::ordered_json;

std::string rangeText(const Range& range, std::span<const int> only = {}) {
    if (!only.empty())
        return joined(
            only, [](int value) { return std::to_string(value); }, ",");
    if (range.first == 1 && range.last == 1) return "-";
    return std::to_string(range.first) + ".." + (range.last == 0 ? "limit" : std::to_string(range.last));
}

/// Unroll factors as text; 0 is no value of the other lists.
std::string valuesText(std::span<const int> values) { return values.empty() ? "-" : joined(values, unrollText, ","); }

std::vector<int> toVector(std::span<const int> values) { return {values.begin(), values.end()}; }

/// Why a backend's rows cannot run here; empty when they can.
Reason backendReason(std::string_view name, const BackendOptions& options) { return backend(name).unavailable(options); }

template <class Rows, class Line>
Json tableOf(const Rows& rows, Line line) {
    Json all = Json::array();
    for (const auto& row : rows) all.push_back(line(row));
    return all;
}

Json devices(const BackendOptions&) {
    return tableOf(backends(), [](const BackendRow& row) -> Json {
        return {{"backend", std::string(row.name)}, {"devices", row.devices()}};
    });
}

Json backendList(const BackendOptions& options) {
    return tableOf(backends(), [&](const BackendRow& row) -> Json {
        const Reason reason = row.unavailable(options);
        return {{"name", std::string(row.name)},
                {"available", reason.empty()},
                {"idea", std::string(row.idea)},
                {"reason", reason}};
    });
}

Json kernelList(const BackendOptions& options) {
    Json rows = Json::array();
    std::vector<const KernelRow*> all = listedKernels();
    for (const KernelRow& trap : trapKernels()) all.push_back(&trap);
    for (const KernelRow* listed : all) {
        const KernelRow& row = *listed;
        Reason reason = backendReason(row.backend, options);
        if (reason.empty() && row.term != kPairLawTerm) reason = refusal(row, {});  // a library may be missing
        rows.push_back({{"backend", std::string(row.backend)},
                        {"term", std::string(row.term)},
                        {"name", std::string(row.name)},
                        {"available", reason.empty()},
                        {"blocks", rangeText(row.blocks, row.blockSizes)},
                        {"unrolls", toVector(row.unrolls)},
                        {"bodies_per_thread", toVector(row.bodiesPerThread)},
                        {"splits", rangeText(row.splits)},
                        {"work", std::string(nameOf(row.cut))},
                        {"deterministic", row.deterministic},
                        {"idea", std::string(row.idea)},
                        {"reason", reason},
                        {"trap", row.trap.empty() ? "" : "not a rate: " + std::string(row.trap)}});
    }
    return rows;
}

/// The parameters that --set accepts.
Json parametersOf(std::span<const SceneParameter> parameters) {
    return tableOf(parameters, [](const SceneParameter& row) -> Json {
        return {{"name", std::string(row.name)},
                {"label", std::string(row.label)},
                {"unit", std::string(row.unit)},
                {"value", row.value},
                {"least", row.least},
                {"most", row.most},
                {"idea", std::string(row.idea)}};
    });
}

/// Number of bodies that a window on this machine starts with, where a far field may be approximated.
std::size_t windowBodies(const Scene& row) { return usualBodies(row, *chooseBackend(std::nullopt, {}).row, {}, true); }

Json sceneList(const BackendOptions&) {
    return tableOf(sceneTable(), [](const Scene& row) -> Json {
        return {{"name", std::string(row.name)},
                {"bodies_gpu", row.bodiesGpu},
                {"bodies_cpu", row.bodiesCpu},
                {"bodies_window", windowBodies(row)},
                {"fixed_bodies", row.fixedBodies},
                {"integrator", std::string(row.integrator.empty() ? usualIntegrator().name : row.integrator)},
                {"time_step", row.timeStep},
                {"softening", row.softening},
                {"watch",
                 {{"story", row.story.time},
                  {"speed", row.story.pace()},
                  {"time_unit", std::string(row.units.time.empty() ? "T" : row.units.time)},
                  {"time_scale", row.units.timeScale},
                  {"caption", std::string(row.caption)}}},
                {"idea", std::string(row.idea)},
                {"parameters", parametersOf(row.parameters)},
                {"source", std::string(row.source)}};
    });
}

Json integratorList(const BackendOptions&) {
    return tableOf(integrators(), [](const Integrator& row) -> Json {
        return {{"name", std::string(row.name)},
                {"order", row.order},
                {"symplectic", row.symplectic},
                {"reversible", row.reversible},
                {"forces_per_step", forcesPerStep(row.program)},
                {"velocity_forces", takesVelocities(row.program)},
                {"idea", std::string(row.idea)},
                {"source", std::string(row.source)}};
    });
}

/// "exponent, strength": the law's numbers beside the softening length.
std::string numbersOf(Law law) {
    return joined(lawNumbers(), [&](const LawNumber& number) { return number.acts(law) ? number.option.substr(2) : ""; });
}

Json lawList(const BackendOptions&) {
    return tableOf(laws(), [](const LawRow& row) -> Json {
        return {{"name", std::string(row.name)},
                {"source", std::string(row.source)},
                {"softened", row.softened},
                {"numbers", numbersOf(row.law)},
                {"idea", std::string(row.idea)}};
    });
}

/// "mass [M], scale [L], concentration [1] = 10": the numbers of an outer force.
std::string numbersOf(const FieldLaw& law) {
    std::string text;
    for (const FieldNumber& number : law.numbers) {
        addTo(text, number.name);
        if (const std::string unit = unitInWords(number); !unit.empty()) text += " " + unit;
        if (!std::isnan(number.usual)) text += " = " + formatted("%g", number.usual);
    }
    return text;
}

Json fieldList(const BackendOptions&) {
    return tableOf(fieldLaws(), [](const FieldLaw& row) -> Json {
        return {{"name", std::string(row.name)},
                {"numbers", numbersOf(row)},
                {"velocities", row.kind != FieldKind::field},
                {"keeps", std::string(keptUnder(row))},
                {"idea", std::string(row.idea)},
                {"source", std::string(row.source)}};
    });
}

/// All actions of keys and menus, and the mouse gestures.
Json keyList(const BackendOptions&) {
    Json rows = Json::array();
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            if (!action.client)
                rows.push_back(
                    {{"key", keyText(action)},
                     {"menu", std::string(menu.name)},
                     {"item", (action.list.empty() ? "" : std::string(action.list) + ": ") + std::string(action.label)},
                     {"idea", std::string(action.idea)}});
    for (const MouseRow& row : mouseRows())
        rows.push_back({{"key", std::string(row.name)}, {"menu", ""}, {"item", ""}, {"idea", std::string(row.idea)}});
    return rows;
}

/// Every action by its name in commands, with its arguments.
Json actionList(const BackendOptions&) {
    Json rows = Json::array();
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            rows.push_back({{"name", std::string(action.name)},
                            {"argument", argumentText(action)},
                            {"key", keyText(action)},
                            {"undo", std::string(action.whyNotUndoable) + std::string(action.undoSkips)},
                            {"idea", std::string(action.idea)}});
    return rows;
}

/// Everything that can be read or set by name.
Json parameterList(const BackendOptions&) {
    return tableOf(parameters(), [](const Parameter& row) -> Json {
        return {{"path", row.path},
                {"label", std::string(row.label)},
                {"unit", std::string(row.unit)},
                {"range", row.fact() ? "measured" : allowedText(row)},
                {"default", std::string(row.defaultText)},
                {"kept", row.fact() ? "nowhere" : keptText(row)},
                {"idea", std::string(row.idea)},
                {"term", std::string(row.explanation)},
                {"refusal", refusalText(row)}};
    });
}

/// The encoders for films that the ffmpeg of this machine reports.
Json encoderList(const BackendOptions&) {
    return tableOf(encoders(), [](const EncoderRow& row) -> Json {
        const Reason reason = unavailable(row);
        return {{"name", std::string(row.name)},
                {"available", reason.empty()},
                {"codec", std::string(row.codec)},
                {"files", std::string(row.extensions)},
                {"lossless", row.lossless},
                {"idea", std::string(row.idea)},
                {"reason", reason}};
    });
}

/// The words that can follow `gravlab`. ./run reads the list: without a display, it replaces commands with a window by a
/// film.
Json commandList(const BackendOptions&) {
    return tableOf(kCommands, [](const CommandRow& row) -> Json {
        return {{"name", std::string(row.name)}, {"window", row.opensWindow}, {"idea", std::string(row.idea)}};
    });
}

Json lessonList(const BackendOptions& options) {
    Json rows = Json::array();
    for (const std::string& name : lessonNames()) {
        const auto lesson = lessonNamed(name);
        std::string needs;
        for (const LessonStep& step : lesson->steps)
            if (!missingFor(step, options).empty()) needs = step.needs;
        rows.push_back({{"name", lesson->name},
                        {"title", lesson->title},
                        {"steps", lesson->steps.size()},
                        {"minutes", lesson->minutes},
                        {"idea", lesson->idea},
                        {"reads_without", needs}});
    }
    return rows;
}

struct ListRow {
    std::string_view name;
    Json (*rows)(const BackendOptions&);
};

constexpr ListRow kLists[] = {
    {"devices", devices},      {"backends", backendList}, {"kernels", kernelList},         {"scenes", sceneList},
    {"laws", lawList},         {"fields", fieldList},     {"integrators", integratorList}, {"keys", keyList},
    {"encoders", encoderList}, {"commands", commandList}, {"actions", actionList},         {"parameters", parameterList},
    {"lessons", lessonList},
};

std::string cellText(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (value.is_object()) return {};  // a table has no room for it
    if (value.is_array() && !value.empty() && value.front().is_object()) {
        std::string text;
        for (const Json& one : value) {
            const std::string number = formatted("=%g", one.at("value").get<double>());
            text += (text.empty() ? "" : " ") + one.at("name").get<std::string>() + number;
        }
        return text;
    }
    if (value.is_array()) return valuesText(value.get<std::vector<int>>());
    return value.dump();
}

/// Columns whose text would fill the lines of a terminal; --json and --markdown have them.
bool isLong(const std::string& name) { return name == "source" || name == "parameters" || name == "refusal"; }

/// A cell of the table, with the digits that people compare.
std::string shortCell(const Json& value) {
    return value.is_number_float() ? formatted("%.4g", value.get<double>()) : cellText(value);
}

/// Columns are as wide as their longest cell; a column without any text is omitted.
void printTable(const Json& rows) {
    if (rows.empty()) return;
    std::vector<std::string> names;
    std::vector<std::size_t> widths;
    for (const auto& [name, value] : rows.front().items()) {
        std::size_t width = 0;
        for (const Json& row : rows) width = std::max(width, shortCell(row.at(name)).size());
        if (width == 0 || isLong(name)) continue;
        names.push_back(name);
        widths.push_back(std::max(width, name.size() + (name == "time_step" || name == "softening" ? 4 : 0)));
    }
    const auto print = [&](auto&& cell) {
        std::string line;
        for (std::size_t i = 0; i < names.size(); ++i) {
            std::string text = cell(names[i]);
            if (i + 1 < names.size()) text.resize(widths[i] + 2, ' ');
            line += text;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        std::printf("%s\n", line.c_str());
    };
    print([](const std::string& name) {
        std::string title = name;
        std::replace(title.begin(), title.end(), '_', ' ');
        return title + (name == "time_step" ? " [T]" : name == "softening" ? " [L]" : "");
    });
    for (const Json& row : rows) print([&row](const std::string& name) { return shortCell(row.at(name)); });
}

/// Prints Markdown; a bar would end a cell.
void printMarkdown(const Json& rows) {
    if (rows.empty()) return;
    std::string head, rule;
    for (const auto& [name, value] : rows.front().items()) {
        head += "| " + name + " ";
        rule += "| --- ";
    }
    std::printf("%s|\n%s|\n", head.c_str(), rule.c_str());
    for (const Json& row : rows) {
        std::string line;
        for (const auto& [name, value] : row.items()) {
            std::string cell;
            for (const char c : cellText(value)) cell += c == '|' ? std::string("\\|") : std::string(1, c);
            line += cell.empty() ? "| " : "| " + cell + " ";
        }
        std::printf("%s|\n", line.c_str());
    }
}

/// Throws UsageError with the names of all tables.
const ListRow& listed(const Options& options) { return findRow(std::span<const ListRow>(kLists), "list", options.listWhat); }

}  // namespace

std::string listNames() {
    std::string text;
    for (const ListRow& row : kLists)
        text += (text.empty() ? "" : &row == std::end(kLists) - 1 ? " and " : ", ") + std::string(row.name);
    return text;
}

void requireList(const Options& options) { listed(options); }

int listCommand(const Options& options) {
    const ListRow& list = listed(options);
    const Json rows = list.rows(options.simulation.backendOptions);
    if (options.json)
        std::printf("%s\n", rows.dump(2).c_str());
    else if (options.has("--markdown"))
        printMarkdown(rows);
    else
        printTable(rows);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
