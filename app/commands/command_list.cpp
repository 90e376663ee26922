// `gravlab list`: the capabilities of this build and machine. Every list reads the table that the program itself uses.
#include "app/commands/option_rows.h"
#include "app/commands/subcommand.h"
#include "app/control/action.h"
#include "app/film/encoders.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/lesson_runner.h"
#include "app/parameters/parameter.h"
#include "app/tables/format.h"
#include "app/tables/text_values.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
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
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <sstream>
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

/// "exponent, strength": the law's numbers beside the softening length.
std::string numbersOf(Law law) {
    return joined(lawNumbers(), [&](const LawNumber& number) { return number.acts(law) ? number.option.substr(2) : ""; });
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

/// A table: its columns, those that a terminal has no room for, and a function that adds the cells of each row.
struct ListRow {
    std::string_view name;
    std::string_view columns, hidden;
    using Add = std::function<void(std::vector<Json> cells)>;
    void (*rows)(const Add& add, const BackendOptions& options);
};

/// The row as an object with these members.
Json objectOf(std::string_view columns, const std::vector<Json>& cells) {
    Json object = Json::object();
    const std::vector<std::string> names = splitList({std::string(columns)});
    for (std::size_t i = 0; i < names.size(); ++i) object[names[i]] = cells.at(i);
    return object;
}

/// The parameters that --set accepts.
Json parametersOf(std::span<const SceneParameter> parameters) {
    Json all = Json::array();
    for (const SceneParameter& row : parameters)
        all.push_back(objectOf("name, label, unit, value, least, most, idea",
                               {row.name, row.label, row.unit, row.value, row.least, row.most, row.idea}));
    return all;
}

/// What a window says of the scene, and the speed at which it shows it.
Json watchOf(const Scene& row) {
    return objectOf(
        "story, speed, time_unit, time_scale, caption",
        {row.story.time, row.story.pace(), row.units.time.empty() ? "T" : row.units.time, row.units.timeScale, row.caption});
}

constexpr ListRow kLists[] = {
    {"devices", "backend, devices", "",
     [](auto& add, auto&) {
         for (const BackendRow& row : backends()) {
             std::istringstream lines(row.devices());
             for (std::string line; std::getline(lines, line);) add({row.name, line});
         }
     }},
    {"backends", "name, available, idea, reason", "",
     [](auto& add, auto& options) {
         for (const BackendRow& row : backends()) {
             const Reason reason = row.unavailable(options);
             add({row.name, reason.empty(), row.idea, reason});
         }
     }},
    {"kernels",
     "backend, term, name, available, blocks, unrolls, bodies_per_thread, splits, work, deterministic, idea, reason, trap",
     "blocks, unrolls, bodies_per_thread, splits, work, deterministic, reason, trap",
     [](auto& add, auto& options) {
         std::vector<const KernelRow*> all = listedKernels();
         for (const KernelRow& trap : trapKernels()) all.push_back(&trap);
         for (const KernelRow* row : all) {
             Reason reason = backend(row->backend).unavailable(options);
             if (reason.empty() && row->term != kPairLawTerm) reason = refusal(*row, {});  // a library may be missing
             add({row->backend, row->term, row->name, reason.empty(), rangeText(row->blocks, row->blockSizes), row->unrolls,
                  row->bodiesPerThread, rangeText(row->splits), nameOf(row->cut), row->deterministic,
                  (row->trap.empty() ? "" : "wrong on purpose: ") + std::string(row->idea), reason,
                  row->trap.empty() ? "" : "not a rate: " + std::string(row->trap)});
         }
     }},
    {"scenes",
     "name, bodies_gpu, bodies_cpu, bodies_window, fixed_bodies, integrator, time_step, softening, watch, idea, parameters, "
     "source",
     "fixed_bodies, integrator, time_step, softening, watch, parameters, source",
     [](auto& add, auto&) {
         // A window's bodies on this machine, where a far field may be approximated.
         const BackendRow& here = *chooseBackend(std::nullopt, {}).row;
         for (const Scene& row : sceneTable())
             add({row.name, row.bodiesGpu, row.bodiesCpu, usualBodies(row, here, {}, true), row.fixedBodies,
                  row.integrator.empty() ? usualIntegrator().name : row.integrator, row.timeStep, row.softening,
                  watchOf(row), row.idea, parametersOf(row.parameters), row.source});
     }},
    {"laws", "name, source, softened, numbers, idea", "source",
     [](auto& add, auto&) {
         for (const LawRow& row : laws()) add({row.name, row.source, row.softened, numbersOf(row.law), row.idea});
     }},
    {"fields", "name, numbers, velocities, keeps, idea, source", "source",
     [](auto& add, auto&) {
         for (const FieldLaw& row : fieldLaws())
             add({row.name, numbersOf(row), row.kind != FieldKind::field, keptUnder(row), row.idea, row.source});
     }},
    {"integrators", "name, order, symplectic, reversible, forces_per_step, velocity_forces, idea, source", "source",
     [](auto& add, auto&) {
         for (const Integrator& row : integrators())
             add({row.name, row.order, row.symplectic, row.reversible, forcesPerStep(row.program),
                  takesVelocities(row.program), row.idea, row.source});
     }},
    {"keys", "key, menu, item, idea", "",
     [](auto& add, auto&) {
         for (const Menu& menu : menus())
             for (const Action& action : menu.rows)
                 if (!action.client)
                     add({keyText(action), menu.name,
                          (action.list.empty() ? "" : std::string(action.list) + ": ") + std::string(action.label),
                          action.idea});
         for (const MouseRow& row : mouseRows()) add({row.name, "", "", row.idea});
     }},
    {"encoders", "name, available, codec, files, lossless, idea, reason", "",
     [](auto& add, auto&) {
         for (const EncoderRow& row : encoders()) {
             const Reason reason = unavailable(row);
             add({row.name, reason.empty(), row.codec, row.extensions, row.lossless, row.idea, reason});
         }
     }},
    // ./run reads it: without a display, it replaces commands with a window by a film.
    {"commands", "name, window, idea", "",
     [](auto& add, auto&) {
         for (const CommandRow* row : commandRows()) add({row->name, row->opensWindow, row->idea});
     }},
    {"actions", "name, argument, key, undo, idea", "undo",
     [](auto& add, auto&) {
         for (const Menu& menu : menus())
             for (const Action& action : menu.rows)
                 add({action.name, argumentText(action), keyText(action),
                      std::string(action.whyNotUndoable) + std::string(action.undoSkips), action.idea});
     }},
    {"parameters", "path, label, unit, range, default, kept, idea, term, refusal", "label, kept, term, refusal",
     [](auto& add, auto&) {
         for (const Parameter& row : parameters())
             add({row.path, row.label, row.unit, row.fact() ? "measured" : allowedText(row), row.defaultText,
                  row.fact() ? "nowhere" : keptText(row), row.idea, row.explanation, refusalText(row)});
     }},
    {"lessons", "name, title, steps, minutes, idea, reads_without", "",
     [](auto& add, auto& options) {
         for (const std::string& name : lessonNames()) {
             const auto lesson = lessonNamed(name);
             std::string needs;
             for (const LessonStep& step : lesson->steps)
                 if (!missingFor(step, options).empty()) needs = step.needs;
             add({lesson->name, lesson->title, lesson->steps.size(), lesson->minutes, lesson->idea, needs});
         }
     }},
};

std::string cellText(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (value.is_array() && (value.empty() || value.front().is_number())) return valuesText(value.get<std::vector<int>>());
    return value.is_number_float() ? formatted("%.6g", value.get<double>()) : value.dump();
}

/// The text in lines of `width` letters, broken at spaces where there is one.
std::vector<std::string> brokenText(std::string text, std::size_t width) {
    std::vector<std::string> lines;
    while (text.size() > width) {
        const std::size_t space = text.rfind(' ', width), end = space == std::string::npos || space == 0 ? width : space;
        lines.push_back(text.substr(0, end));
        text.erase(0, end + (text[end] == ' ' ? 1 : 0));
    }
    lines.push_back(text);
    return lines;
}

/// Prints the columns that have a text and are not hidden, in the width of a terminal: cells of the widest ones are broken.
void printTable(const Json& rows, const ListRow& list) {
    constexpr std::size_t kTerminal = 100, kGap = 2;
    const std::vector<std::string> hidden = splitList({std::string(list.hidden)});
    std::vector<std::vector<std::string>> table(rows.size() + 1), lines;
    std::vector<std::size_t> widths;
    for (const std::string& name : splitList({std::string(list.columns)})) {
        std::size_t text = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            table[i + 1].push_back(cellText(rows[i].at(name)));
            text = std::max(text, table[i + 1].back().size());
        }
        table[0].push_back(name);
        std::ranges::replace(table[0].back(), '_', ' ');
        widths.push_back(std::max(text, name.find('_') == std::string::npos ? name.size() : 8));
        if (text > 0 && std::ranges::count(hidden, name) == 0) continue;
        widths.pop_back();
        for (auto& row : table) row.pop_back();
    }
    while (std::accumulate(widths.begin(), widths.end(), kGap * widths.size()) > kTerminal + kGap)
        --*std::ranges::max_element(widths);
    for (const auto& row : table) {
        const std::size_t first = lines.size();
        for (std::size_t k = 0; k < row.size(); ++k)
            for (std::size_t line = first; const std::string& part : brokenText(row[k], widths[k])) {
                if (lines.size() == line) lines.emplace_back(row.size());
                lines[line++][k] = part;
            }
    }
    std::printf("%s", alignedText(lines, false).c_str());
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

/// "devices, backends, ...".
std::string listNames() {
    return joined(kLists, [](const ListRow& row) { return row.name; });
}

struct ListCommand : Subcommand {
    std::string what;
    bool json = false, markdown = false;

    void add(OptionRows& rows) override {
        rows.word("WHAT", what, listNames()).required("list what? valid: " + listNames());
        rows.flag("--json", json, "as JSON").excludes("--markdown");
        rows.flag("--markdown", markdown, "as a Markdown table");
    }
    void check() override { named(); }
    int run() override {
        const ListRow& list = named();
        Json rows = Json::array();
        list.rows([&](const std::vector<Json>& cells) { rows.push_back(objectOf(list.columns, cells)); },
                  start.simulation.backendOptions);
        if (json)
            std::printf("%s\n", rows.dump(2).c_str());
        else
            markdown ? printMarkdown(rows) : printTable(rows, list);
        return static_cast<int>(ExitCode::ok);
    }
    /// Throws UsageError with the names of all tables.
    const ListRow& named() const { return findRow(std::span<const ListRow>(kLists), "list", what); }
};

}  // namespace

constinit const CommandRow kListCommand{"list", "what this build and machine have",
                                        "  gravlab list scenes\n  gravlab list kernels --json\n", made<ListCommand>};

}  // namespace gravlab
