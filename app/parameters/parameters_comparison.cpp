// The differences of the second run from the first. Each row takes kind, range and names from the row of the run.
#include "app/model/document.h"
#include "app/model/twin_choice.h"
#include "app/parameters/parameter_rows.h"
#include "app/parameters/setting_choices.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/io/run_settings.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace gravlab {
namespace {

using namespace rows;

template <auto member>
constexpr auto inTwin = at<&Document::intent, &Intent::twin, member>;

/// The row of the run with that key.
const Parameter& rowOfRun(std::span<const Parameter> run, std::string_view key) {
    return *std::find_if(run.begin(), run.end(), [&](const Parameter& row) {
        return row.storedAs.checkpoint == key && row.path.starts_with("run.");
    });
}

/// Alternatives for the running twin, where its lists contain more than names.
std::vector<SettingChoice> othersOf(std::string_view key, const Document& d,
                                    const std::function<std::vector<std::string>()>& names) {
    const RunConfiguration& now = d.facts.twin.on ? d.facts.twin.configuration : inForce(d);
    if (key == "integrator") return integratorChoices(now, !d.intent.twin.names("backend"));
    if (key == "precision") return precisionChoices(now);
    if (key == "law") return lawChoices(now);
    if (key == "backend") return backendChoices(now);
    if (key == "kernel") {
        std::vector<SettingChoice> rows{{"auto", "the backend's own choice", false, {}}};
        for (const KernelRow& row : kernels())
            if (row.backend == now.backend)
                rows.push_back(
                    {std::string(row.name), row.idea, row.name == now.pairs().kernel.kernel, refusal(row, now.force)});
        return rows;
    }
    std::vector<SettingChoice> rows;
    if (names)
        for (const std::string& name : names()) rows.push_back({name, {}, false, {}});
    return rows;
}

/// Sets a difference of the twin; `key` is one of twinKeys().
void differ(TwinChoice& choice, std::string_view key, const Value& value) {
    if (value == Value(std::string("same"))) return choice.release(key);
    const std::optional<double> number = numberOf(value);
    RunRequest values;
    // Both runs have the same direction of time.
    ofSetting(key).ask(values, number && key == "time_step" ? Value(std::abs(*number)) : value);
    choice.take(key, values);
}

Parameter differing(const Parameter& run, std::string_view key) {
    Parameter row{.path = "twin." + std::string(key),
                  .label = run.label,
                  .idea = run.idea,
                  .unit = run.unit,
                  .kind = run.kind,
                  .bounds = run.bounds,
                  .defaultText = "same",
                  .specialValue = "same",
                  .dragged = run.dragged,
                  .storedAs = {.option = "--twin", .scene = "twin"}};
    if (run.choices)
        row.choices = [names = run.choices, automatic = run.specialValue] {
            std::vector<std::string> all = names();
            if (!automatic.empty()) all.insert(all.begin(), std::string(automatic));
            return all;
        };
    if (!run.names.empty()) row.names = run.names;
    row.offers = [key, names = row.choices](const Document& d) {
        const bool same = !d.intent.twin.names(key);
        std::vector<SettingChoice> offers{{"same", "whatever the first run has", same, {}}};
        for (SettingChoice& choice : othersOf(key, d, names)) {
            choice.chosen = choice.chosen && !same;
            offers.push_back(std::move(choice));
        }
        return offers;
    };
    row.displayName = [](const std::string& name) { return name == "same" ? std::string("as the first") : name; };
    row.get = [key](const Document& d) -> Value {
        const TwinChoice& choice = d.intent.twin;
        if (!choice.names(key)) return std::string("same");
        return valueOf(settingRow(key).text(choice.values));
    };
    row.automatic = run.specialValue == "auto" && !row.choices;
    row.set = [key](Document& d, const Value& value) { differ(d.intent.twin, key, value); };
    return row;
}

/// The key for a name in a text; `dt` is the time step. Throws UsageError, which lists the names.
std::string_view keyNamed(std::string_view name) {
    const std::span<const std::string_view> keys = twinKeys();
    const auto found = std::find(keys.begin(), keys.end(), name == "dt" ? "time_step" : name);
    if (found != keys.end()) return *found;
    std::vector<std::string_view> valid{keys.begin(), keys.end()};
    valid.push_back("dt");
    throw UsageError(unknownName("setting of a twin", name, valid));
}

const Parameter& twinRowOf(std::string_view key) { return parameter("twin." + std::string(key)); }

}  // namespace

TwinChoice parseTwin(std::string_view text) {
    TwinChoice choice{.on = true};
    while (!trimmed(text).empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view piece = trimmed(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        const std::size_t equals = piece.find('=');
        if (piece.empty()) continue;
        if (equals == std::string_view::npos || equals == 0)
            throw UsageError("a twin's setting '" + std::string(piece) + "' must be NAME=VALUE, such as integrator=euler");
        const std::string name(trimmed(piece.substr(0, equals))), given(trimmed(piece.substr(equals + 1)));
        const std::string_view key = keyNamed(name);
        const Value value = valueOf(given);
        const auto* word = std::get_if<std::string>(&value);  // without the quotes that it may have
        differ(choice, key, optionValue(twinRowOf(key), name, word ? *word : given));
    }
    return choice;
}

void takeTwin(TwinChoice& choice, const std::string& key, std::string_view value) {
    const std::string_view setting = keyNamed(key);
    differ(choice, setting, fileValue(twinRowOf(setting), key, value));
}

std::vector<Parameter> comparisonParameters() {
    constexpr std::string_view kIdeas[] = {"the first at the left, the twin at the right",
                                           "one over the other: blue the first, orange the twin, white both"};
    Rows rows;
    rows.member("twin.on", "A twin", "the same start a second time in other settings", "", inTwin<&TwinChoice::on>,
                {.storedAs = {.option = "--twin", .scene = "twin"}});
    rows.choice("twin.view", "Twin view", "how both runs share the picture", "side", twinViews, inTwin<&TwinChoice::view>,
                {.storedAs = {.option = "--twin-view", .scene = "twin.view"}, .offers = [kIdeas](const Document& d) {
                     std::vector<SettingChoice> offers;
                     for (std::size_t i = 0; i < std::size(kIdeas); ++i)
                         offers.push_back(
                             {std::string(twinViews()[i]), kIdeas[i], d.intent.twin.view == static_cast<TwinView>(i), {}});
                     return offers;
                 }});
    const std::vector<Parameter> run = runParameters();
    for (const std::string_view key : twinKeys()) rows.all().push_back(differing(rowOfRun(run, key), key));
    const auto add = [&](const char* path, std::string_view label, std::string_view idea, Kind kind, auto member,
                         std::string_view unit = {}) -> Parameter& {
        return rows.fact(path, label, idea,
                         [member](const Document& d) { return d.facts.twin.on ? asValue(d.facts.twin.*member) : Value(); },
                         {.unit = unit, .kind = kind});
    };
    add("twin.step", "Twin's step", "complete steps of the twin", Kind::integer, &TwinFacts::step);
    add("twin.time", "Twin's time", "simulated time of the twin", Kind::number, &TwinFacts::time, "T");
    add("twin.label", "Twin's label", "settings in which the twin differs", Kind::text, &TwinFacts::label);
    add("twin.apart", "Apart", "root mean square of the distances between the same bodies of both runs", Kind::number,
        &TwinFacts::apart, "L")
        .lags = [](const Document& d, double time) {
        const TwinFacts& twin = d.facts.twin;
        // Two paused runs at different times have no distance.
        return twin.on && !(d.intent.paused && twin.between) && (!twin.apart || d.facts.precedes(twin.apartTime, time));
    };
    return rows.take();
}

}  // namespace gravlab
