#include "app/parameters/twin_settings.h"

#include "app/model/document.h"
#include "app/parameters/parameter_rows.h"
#include "app/parameters/quantity.h"
#include "app/parameters/setting_choices.h"
#include "app/tables/format.h"
#include "app/tables/lab_sweep.h"
#include "app/tables/unit_text.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/forces/law_numbers.h"
#include "sim/io/run_settings.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

using namespace rows;

constexpr std::string_view kSame = "same";

constexpr TwinViewRow kViews[] = {{"side", "the first at the left, the twin at the right"},
                                  {"overlaid", "one over the other: blue the first, orange the twin, white both"}};

/// Alternatives for the running twin.
std::vector<SettingChoice> othersOf(std::string_view key, const Document& d) {
    const RunConfiguration& now = d.facts.twin.on ? d.facts.twin.configuration : inForce(d);
    if (key == "integrator") return integratorChoices(now, !d.intent.twin.values.contains("backend"));
    if (key == "precision") return precisionChoices(now);
    if (key == "law") return lawChoices(now);
    if (key == "backend") return backendChoices(now);
    return kernelChoices(kernel(now.backend, now.pairs().kernel.kernel), now.force, true);
}

/// The row of a difference; it takes kind, range and names from the row of the run.
Parameter differing(const Parameter& run, std::string_view key) {
    Parameter row{.path = "twin." + std::string(key),
                  .label = run.label,
                  .idea = run.idea,
                  .unit = run.unit,
                  .kind = run.kind,
                  .bounds = run.bounds,
                  .defaultText = kSame,
                  .specialValue = kSame,
                  .automatic = run.specialValue == "auto" && !run.choices,
                  .dragged = run.dragged,
                  .storedAs = {.option = "--twin", .scene = "twin"},
                  .names = run.names,
                  .displayName = [](const std::string& name) { return name == kSame ? "as the first" : name; }};
    row.dragged.onRelease = true;
    if (run.choices) {
        row.choices = [names = run.choices, automatic = run.specialValue] {
            std::vector<std::string> all = names();
            if (!automatic.empty()) all.insert(all.begin(), std::string(automatic));
            return all;
        };
        row.offers = [key](const Document& d) {
            const bool same = !d.intent.twin.values.contains(key);
            std::vector<SettingChoice> offers = othersOf(key, d);
            for (SettingChoice& choice : offers) choice.chosen = choice.chosen && !same;
            offers.insert(offers.begin(), {std::string(kSame), "whatever the first run has", same, {}});
            return offers;
        };
    }
    row.get = [key](const Document& d) {
        const auto found = d.intent.twin.values.find(key);
        return found == d.intent.twin.values.end() ? Value(std::string(kSame)) : found->second;
    };
    row.set = [key](Document& d, const Value& value) { setTwin(d.intent.twin, key, value); };
    return row;
}

/// The row for a name in a text; `dt` is the time step. Throws UsageError, which lists the names.
const Parameter& rowNamed(std::string_view name) {
    std::vector<std::string_view> valid{twinKeys().begin(), twinKeys().end()};
    valid.push_back("dt");
    if (std::ranges::find(valid, name) == valid.end()) throw UsageError(unknownName("setting of a twin", name, valid));
    return parameter("twin." + std::string(name == "dt" ? "time_step" : name));
}

std::string_view keyOf(const Parameter& row) { return std::string_view(row.path).substr(std::string_view("twin.").size()); }

/// Whether a backend of that name computes in the precision that the first run has.
bool keepsPrecision(const RunRequest& s) {
    if (!s.backend || backend(*s.backend).exact) return false;
    return refusal(backend(*s.backend),
                   ForceSettings{.law = s.law.value_or(Law::gravity), .precision = s.precision.value_or(Precision::fp32)})
        .empty();
}

Value valueIn(const RunRequest& request, std::string_view key) { return valueOf(settingRow(key).text(request)); }

/// A setting in words: "euler", "dt 0.05 Myr", "block 64".
std::string shown(std::string_view key, const RunConfiguration& run) {
    const RunRequest request = requestOf(run);
    const Value value = valueIn(request, key);
    const Parameter& row = ofSetting(key);
    if (row.kind == Kind::choice) return (key == "kernel" ? "kernel " : "") + wordOf(value);
    const std::string name(row.storedAs.option.substr(2));
    const auto* number = std::get_if<double>(&value);
    if (!number) return name + " " + wordOf(value);
    const SceneUnits& units = unitsOf(request);
    const ShownUnit unit = row.unit == "T"   ? unitOfTime(*number, units)
                           : row.unit == "L" ? ShownUnit{std::string(units.length), units.lengthScale}
                                             : ShownUnit{};
    return name + formatted(" %.4g", *number * unit.scale) +
           (units.length.empty() || unit.name.empty() ? "" : " " + unit.name);
}

}  // namespace

std::span<const TwinViewRow> twinViews() { return kViews; }

TwinView twinView(std::string_view name) {
    if (name == "overlay") return TwinView::overlaid;
    const std::size_t place = placeIn(kViews, name);
    if (place == std::size(kViews)) throw UsageError(unknownName("view of twins", name, {kViews[0].name, kViews[1].name}));
    return static_cast<TwinView>(place);
}

std::span<const std::string_view> twinKeys() {
    static const std::vector<std::string_view> all = [] {
        std::vector<std::string_view> made{"integrator", "time_step", "precision", "softening", "law"};
        for (const LawNumber& number : lawNumbers()) made.push_back(number.key);
        made.insert(made.end(), {"backend", "kernel", "block", "unroll", "split", "threads"});
        return made;
    }();
    return all;
}

void setTwin(TwinChoice& choice, std::string_view key, const Value& value) {
    choice.values.erase(std::string(key));
    if (value == Value(std::string(kSame))) return;
    // Both runs have the same direction of time.
    const std::optional<double> step = key == "time_step" ? numberOf(value) : std::nullopt;
    RunRequest request;
    ofSetting(key).ask(request, step ? Value(std::abs(*step)) : value);
    choice.values.emplace(key, valueIn(request, key));
}

void takeTwin(TwinChoice& choice, const std::string& key, std::string_view value) {
    const Parameter& row = rowNamed(key);
    setTwin(choice, keyOf(row), fileValue(row, key, value));
}

TwinChoice parseTwin(std::string_view text, StartOptions* start) {
    TwinChoice choice{.on = true};
    if (start) std::erase_if(start->quantities, [](const WrittenQuantity& kept) { return kept.path.starts_with("twin."); });
    for (std::size_t comma = 0; !trimmed(text).empty(); text.remove_prefix(std::min(comma + 1, text.size()))) {
        comma = std::min(text.find(','), text.size());
        const std::string_view piece = trimmed(text.substr(0, comma));
        if (piece.empty()) continue;
        const std::size_t equals = piece.find('=');
        if (equals == std::string_view::npos || equals == 0)
            throw UsageError("a twin's setting '" + std::string(piece) + "' must be NAME=VALUE, such as integrator=euler");
        const std::string name(trimmed(piece.substr(0, equals))), given(trimmed(piece.substr(equals + 1)));
        const Parameter& row = rowNamed(name);
        if (start && isQuantity(given) && keepQuantity(*start, row, "--twin " + name, given)) continue;
        // A text may have quotes.
        const Value value = valueOf(given);
        const auto* word = std::get_if<std::string>(&value);
        setTwin(choice, keyOf(row), optionValue(row, name, word ? *word : given));
    }
    return choice;
}

RunRequest twinRequest(const RunConfiguration& first, const TwinChoice& choice) {
    const auto names = [&](std::string_view key) { return choice.values.contains(key); };
    RunRequest twin = requestOf(first);
    // Another kernel does not inherit the launch of the first run.
    if (names("kernel") || names("backend") || names("precision") || names("law") || names("exponent"))
        twin.pairs().kernel = {};
    if (names("backend")) twin.backendOpen = false;
    for (const auto& [key, value] : choice.values) settingRow(key).take(twin, fileText(ofSetting(key), value));
    if (twin.pairs().kernel.kernel && twin.backend && hasKernel(*twin.backend, *twin.pairs().kernel.kernel))
        for (const LaunchNumber& number : launchNumbers()) {
            if (!names(number.key)) continue;
            const Reason reason = axisRefusal(number.key, kernel(*twin.backend, *twin.pairs().kernel.kernel));
            if (!reason.empty()) throw UsageError("the twin: " + reason);
        }
    // Both run in the same direction of time; an open step is the scene's own.
    const Scene& scene = first.start ? first.start->row : sceneNamed(first.scene, first.sceneVersion);
    twin.timeStep = std::copysign(twin.timeStep.value_or(scene.timeStep), first.timeStep);
    const Integrator& steps = twin.integrator ? integrator(*twin.integrator) : usualIntegrator();
    if (!names("backend") && !refusal(backend(first.backend), steps, first.bodies).empty()) {
        twin.backend.reset();
        if (!names("kernel")) twin.pairs().kernel = {};
    }
    const bool another = twin.backend != first.backend;
    if (another) twin.openOthers();
    if (another && !names("precision") && !keepsPrecision(twin)) twin.precision.reset();
    return twin;
}

TwinChoice toggledTwin(TwinChoice choice, const RunConfiguration& first) {
    choice.on = !choice.on;
    if (choice.on && choice.values.empty())
        setTwin(choice, "integrator", std::string(first.integrator == "euler" ? "leapfrog" : "euler"));
    return choice;
}

std::pair<std::string, std::string> twinLabels(const RunConfiguration& first, const RunConfiguration& twin) {
    std::pair<std::string, std::string> labels;
    for (const std::string_view key : twinKeys()) {
        // A kernel that only follows from another backend needs no label.
        const bool ofLaunch = std::ranges::count(launchNumbers(), key, &LaunchNumber::key) > 0;
        if ((key == "kernel" || ofLaunch) && first.backend != twin.backend) continue;
        // A kernel without this launch setting needs no label for it.
        if (ofLaunch && (!axisRefusal(key, kernel(first.backend, first.pairs().kernel.kernel)).empty() ||
                         !axisRefusal(key, kernel(twin.backend, twin.pairs().kernel.kernel)).empty()))
            continue;
        const std::string here = shown(key, first), there = shown(key, twin);
        if (here == there) continue;
        addTo(labels.first, here);
        addTo(labels.second, there);
    }
    if (labels.first.empty()) labels = {"the same", "the same"};
    return labels;
}

std::vector<Parameter> comparisonParameters() {
    Rows rows;
    rows.member("twin.on", "A twin", "the same start a second time in other settings", "",
                at<&Document::intent, &Intent::twin, &TwinChoice::on>, {.storedAs = {.option = "--twin", .scene = "twin"}});
    rows.choice("twin.view", "Twin view", "how both runs share the picture", kViews[0].name, twinViews,
                at<&Document::intent, &Intent::twin, &TwinChoice::view>,
                {.storedAs = {.option = "--twin-view", .scene = "twin.view"}});
    const std::vector<Parameter> run = runParameters();
    for (const std::string_view key : twinKeys())
        rows.all().push_back(
            differing(*std::ranges::find(run, key, [](const Parameter& row) { return row.storedAs.checkpoint; }), key));
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
