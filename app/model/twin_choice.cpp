// The names of the settings, and their labels.
#include "app/model/twin_choice.h"

#include "app/tables/format.h"
#include "app/tables/lab_sweep.h"
#include "app/tables/unit_text.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/names.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"
#include "sim/io/run_settings.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gravlab {
namespace {

constexpr std::array<std::string_view, 2> kViews{"side", "overlaid"};

/// The numbers of laws follow the law.
const std::vector<std::string_view>& keys() {
    static const std::vector<std::string_view> all = [] {
        std::vector<std::string_view> made{"integrator", "time_step", "precision", "softening", "law"};
        for (const LawNumber& number : lawNumbers()) made.push_back(number.key);
        made.insert(made.end(), {"backend", "kernel", "block", "unroll", "split", "threads"});
        return made;
    }();
    return all;
}

/// The number of a law with this name, or null.
const LawNumber* lawNumber(std::string_view key) {
    for (const LawNumber& row : lawNumbers())
        if (row.key == key) return &row;
    return nullptr;
}

/// Whether a backend of that name computes in the precision that the first run has.
bool keepsPrecision(const RunRequest& s) {
    if (!s.backend || backend(*s.backend).exact) return false;
    return refusal(backend(*s.backend),
                   ForceSettings{.law = s.law.value_or(Law::gravity), .precision = s.precision.value_or(Precision::fp32)})
        .empty();
}

std::string shown(std::string_view key, const RunConfiguration& s) {
    if (key == "integrator") return s.integrator;
    const SceneUnits& units = s.start ? s.start->row.units : sceneNamed(s.scene, s.sceneVersion).units;
    const ShownUnit time = unitOfTime(s.timeStep, units);
    if (key == "time_step")
        return formatted("dt %.4g", s.timeStep * time.scale) + (units.time.empty() ? "" : " " + time.name);
    if (key == "precision") return std::string(nameOf(s.force.precision));
    if (key == "softening")
        return formatted("softening %.3g", s.force.softening * units.lengthScale) +
               (units.length.empty() ? "" : " " + std::string(units.length));
    if (key == "law") return std::string(lawRow(s.force.law).name);
    if (const LawNumber* row = lawNumber(key)) return row->option.substr(2) + formatted(" %.3g", s.force.*row->force);
    if (key == "backend") return s.backend;
    if (key == "kernel") return "kernel " + s.pairs().kernel.kernel;
    for (const LaunchNumber& number : launchNumbers())
        if (number.key == key) return std::string(key) + " " + std::to_string(s.pairs().kernel.launch.*number.now);
    if (!s.backendOptions.threads) return "all threads";
    return std::to_string(*s.backendOptions.threads) + (s.backendOptions.threads == 1 ? " thread" : " threads");
}

}  // namespace

std::span<const std::string_view> twinViews() { return kViews; }

TwinView twinView(std::string_view name) {
    if (name == "overlay") return TwinView::overlaid;
    const auto found = std::find(kViews.begin(), kViews.end(), name);
    if (found == kViews.end()) throw UsageError(unknownName("view of twins", name, {kViews.begin(), kViews.end()}));
    return static_cast<TwinView>(found - kViews.begin());
}

std::span<const std::string_view> twinKeys() { return keys(); }

bool TwinChoice::names(std::string_view key) const { return std::find(keys.begin(), keys.end(), key) != keys.end(); }

void TwinChoice::take(std::string_view key, const RunRequest& from) {
    settingRow(key).copy(values, from);
    if (names(key)) return;
    std::vector<std::string_view> all;
    for (const std::string_view row : twinKeys())
        if (row == key || names(row)) all.push_back(row);
    keys = std::move(all);
}

void TwinChoice::release(std::string_view key) {
    if (!names(key)) return;
    std::erase(keys, key);
    settingRow(key).copy(values, RunRequest());
}

std::string twinText(const TwinChoice& choice) {
    std::string text;
    for (const std::string_view key : choice.keys)
        text += std::string(key) + " = " + settingRow(key).text(choice.values) + "\n";
    return text;
}

RunRequest twinRequest(const RunConfiguration& first, const TwinChoice& choice) {
    RunRequest twin = requestOf(first);
    if (!choice.names("kernel") &&
        (choice.names("backend") || choice.names("precision") || choice.names("law") || choice.names("exponent")))
        twin.pairs().kernel = {};
    // Another kernel does not inherit the launch of the first run.
    if (choice.names("kernel")) twin.pairs().kernel = {};
    for (const std::string_view key : choice.keys) settingRow(key).copy(twin, choice.values);
    if (twin.pairs().kernel.kernel && twin.backend && hasKernel(*twin.backend, *twin.pairs().kernel.kernel))
        for (const LaunchNumber& number : launchNumbers()) {
            if (!choice.names(number.key)) continue;
            const Reason reason = axisRefusal(number.key, kernel(*twin.backend, *twin.pairs().kernel.kernel));
            if (!reason.empty()) throw UsageError("the twin: " + reason);
        }
    // Both run in the same direction of time.
    if (twin.timeStep) twin.timeStep = std::copysign(*twin.timeStep, first.timeStep);
    const Integrator& steps = twin.integrator ? integrator(*twin.integrator) : usualIntegrator();
    if (!choice.names("backend") && !refusal(backend(first.backend), steps, first.bodies).empty()) {
        twin.backend.reset();
        if (!choice.names("kernel")) twin.pairs().kernel = {};
    }
    const bool another = twin.backend != first.backend;
    if (another) twin.openOthers();
    if (another && !choice.names("precision") && !keepsPrecision(twin)) twin.precision.reset();
    return twin;
}

TwinChoice toggledTwin(TwinChoice choice, const RunConfiguration& first) {
    choice.on = !choice.on;
    if (!choice.on || !choice.keys.empty()) return choice;
    RunRequest other{.integrator = first.integrator == "euler" ? "leapfrog" : "euler"};
    choice.take("integrator", other);
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

}  // namespace gravlab
