// The table of parameters: every row describes itself, each path exists once, usual values are allowed, wrong ones are
// refused with a sentence.
#include "app/parameters/parameter.h"
#include "app/parameters/setting_choices.h"
#include "app/parameters/twin_settings.h"
#include "app/runs/twin_run.h"
#include "app/ui/parameter_widgets.h"
#include "sim/api/errors.h"
#include "sim/forces/law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <set>
#include <string>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The sentence of a refusal; empty when the value is accepted.
std::string refusalOf(const Parameter& row, const Value& value, bool shown = false) {
    try {
        checked(row, value, {}, shown);
        return {};
    } catch (const UsageError& error) {
        return error.what();
    }
}

TEST(Parameters, sayWhatTheyAreAndHaveTheirPathOnce) {
    std::set<std::string> paths;
    const std::regex form("[a-z]+\\.[a-z0-9_-]+");
    for (const Parameter& row : parameters()) {
        EXPECT_TRUE(paths.insert(row.path).second) << row.path << " is there twice";
        EXPECT_TRUE(std::regex_match(row.path, form)) << row.path;
        EXPECT_FALSE(row.label.empty()) << row.path;
        EXPECT_FALSE(row.idea.empty()) << row.path;
        EXPECT_NE(row.get, nullptr) << row.path;
        EXPECT_EQ(row.choices != nullptr, row.kind == Kind::choice || row.kind == Kind::names) << row.path;
        EXPECT_EQ(row.size > 0, row.kind == Kind::list) << row.path;
        EXPECT_EQ(findParameter(row.path), &row);
        EXPECT_EQ(row.fact(), row.defaultText.empty()) << row.path << ": what can be set has a usual value, a fact has none";
        if (row.fact()) {
            EXPECT_EQ(keptText(row), "nowhere") << row.path << " is measured";
        }
    }
    EXPECT_GT(paths.size(), 100u);
    for (const char* path :
         {"run.time_step",    "run.kernel",    "run.block",       "run.unroll",    "run.bodies",
          "run.integrator",   "run.softening", "run.law",         "run.precision", "look.glow",
          "look.colour_mode", "look.trails",   "camera.distance", "overlay.clock", "view.four",
          "run.step",         "run.time",      "run.rate",        "run.check",     "window.frames_per_second",
          "twin.integrator"})
        EXPECT_NE(findParameter(path), nullptr) << path;
    EXPECT_EQ(findParameter("run.nothing"), nullptr);
}

TEST(Parameters, haveUsualValuesThatAreAllowed) {
    for (const Parameter& row : parameters())
        if (!row.fact() && !row.defaultText.starts_with('(')) {
            EXPECT_EQ(refusalOf(row, valueOf(row.defaultText)), "") << row.path;
        }
}

TEST(Parameters, refuseWhatTheyAreNotWithASentence) {
    for (const Parameter& row : parameters()) {
        if (row.fact()) continue;
        const std::string allowed = allowedText(row);
        EXPECT_FALSE(allowed.empty()) << row.path;
        if (row.kind == Kind::text) continue;  // anything is a text
        for (const Value& wrong : {Value(std::string("no such thing")), Value(std::vector<double>{1, 2}), Value()}) {
            const std::string sentence = refusalOf(row, wrong);
            EXPECT_THAT(sentence, HasSubstr(row.path)) << valueText(wrong);
            if (row.kind != Kind::choice && row.kind != Kind::names) {
                EXPECT_THAT(sentence, HasSubstr("expected " + allowed));
            }
        }
        if (row.kind != Kind::number && row.kind != Kind::integer) continue;
        const Value nan = std::nan(""), infinite = INFINITY;
        EXPECT_NE(refusalOf(row, nan), "") << row.path;
        EXPECT_NE(refusalOf(row, infinite), "") << row.path;
        const auto end = [&](double number) {
            return row.kind == Kind::integer ? Value(static_cast<std::int64_t>(number)) : Value(number);
        };
        const Bounds& bounds = row.bounds;
        const double step = row.kind == Kind::integer ? 1 : 1e-3;
        if (std::isfinite(bounds.least)) {
            EXPECT_EQ(refusalOf(row, end(bounds.least)).empty(), !bounds.aboveLeast) << row.path;
            EXPECT_NE(refusalOf(row, end(bounds.least - step)), "") << row.path;
        }
        if (std::isfinite(bounds.most) && bounds.most < 9e18) {
            EXPECT_EQ(refusalOf(row, end(bounds.most)), "") << row.path;
            EXPECT_NE(refusalOf(row, end(bounds.most * (1 + 1e-9) + step)), "") << row.path;
        }
        if (row.kind == Kind::integer) {
            EXPECT_NE(refusalOf(row, Value(bounds.least + 1.5)), "") << row.path;
        }
    }
}

TEST(Parameters, nameTheNearest) {
    try {
        parameter("run.timestep");
        FAIL() << "there is none of that name";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("'run.timestep'"), HasSubstr("did you mean 'run.time_step'")));
    }
    EXPECT_THAT(refusalOf(parameter("run.integrator"), Value(std::string("leapfrg"))), HasSubstr("did you mean 'leapfrog'"));
}

TEST(Parameters, haveOneRangeInEveryUnit) {
    const Parameter& field = parameter("camera.field_of_view");
    EXPECT_THAT(refusalOf(field, 151.0, true), HasSubstr("a finite number of at least 1 and at most 150"));
    EXPECT_EQ(refusalOf(field, 150.0, true), "");
    EXPECT_NEAR(std::get<double>(checked(field, 150.0, {}, true)), 2.618, 1e-3);
    EXPECT_NE(refusalOf(field, 150.0), "") << "radians";
    EXPECT_EQ(checked(parameter("run.bodies"), Value(std::string("64k"))), Value(std::int64_t{65536}));
    EXPECT_EQ(checked(parameter("run.bodies"), Value(std::string("auto"))), Value(std::string("auto")));
    EXPECT_NE(refusalOf(parameter("run.seed"), Value(std::string("64k"))), "") << "only numbers of bodies are written so";
    EXPECT_EQ(checked(parameter("run.seed"), Value(std::uint64_t{18446744073709551615u})),
              Value(std::uint64_t{18446744073709551615u}));
    EXPECT_THAT(allowedText(parameter("run.seed")), HasSubstr("at least 0 and at most 18446744073709551615"));
    EXPECT_THAT(allowedText(parameter("run.time_step")), HasSubstr("auto, or a finite number other than 0"));
}

/// A tooltip explains the words of its panel, after the idea and before the keys.
TEST(Parameters, explainTheWordsOfThePanels) {
    std::size_t explained = 0;
    for (const Parameter& row : parameters()) {
        if (row.explanation.empty()) continue;
        ++explained;
        EXPECT_TRUE(row.explanation.ends_with('.')) << row.path;
        EXPECT_FALSE(row.idea.ends_with('.')) << row.path << ": the tooltip brings the full stop";
        EXPECT_LT(row.explanation.size(), 330u) << row.path << " is more than a tooltip holds";
        EXPECT_EQ(row.explanation.find(row.idea), std::string_view::npos) << row.path << " says the same twice";
    }
    EXPECT_GE(explained, 20u);
    for (const char* path :
         {"run.bodies",    "run.seed",      "run.backend",           "run.kernel",       "run.block",
          "run.unroll",    "run.split",     "run.bodies_per_thread", "run.integrator",   "run.time_step",
          "run.softening", "run.precision", "run.accuracy",          "run.law",          "run.speed",
          "run.rate",      "run.check",     "run.energy_change",     "run.virial_ratio", "run.half_mass_radius"})
        EXPECT_FALSE(parameter(path).explanation.empty()) << path;
    const std::string tip = controlOf(parameter("run.softening")).tip.text();
    EXPECT_TRUE(tip.starts_with("Length that blunts close encounters.\nGravity as if")) << tip;
    EXPECT_TRUE(
        std::string(controlOf(parameter("run.speed")).tip.text()).ends_with("shows the speed reached. Keys: . and ,"))
        << tip;
    EXPECT_STREQ(controlOf(parameter("look.exposure")).tip.text(), "How bright the picture is. Keys: + and -");
}

TEST(Parameters, areKeptWhereTheyAlwaysWere) {
    EXPECT_EQ(keptText(parameter("look.glow")), "command line (--glow), scene file (view.glow), config.toml (look.glow)");
    EXPECT_EQ(keptText(parameter("run.paused")), "nowhere");
}

// The lists of both panels: each grey value is refused, and each offered value runs.

std::array<RunRequest, 5> starts() {
    RunRequest few{.scene = "figure-eight", .backend = "cpu"}, jerk = few, many = few, charges = few, exact = few;
    few.backendOptions.threads = 1;
    jerk.backend = "reference";
    jerk.integrator = "hermite4";
    many.scene = charges.scene = "plummer";
    many.bodies = 300;
    charges.bodies = 20;
    charges.backend = "reference";
    charges.law = kLaw<Coulomb>;
    exact.backend = "reference";
    exact.integrator = "radau15";
    return {few, jerk, many, charges, exact};
}

struct List {
    std::string_view key;
    std::vector<SettingChoice> rows;
};

std::vector<List> listsOf(const RunConfiguration& now, bool backendGivesWay = false) {
    std::vector<List> lists{
        {"integrator", integratorChoices(now, backendGivesWay)}, {"law", lawChoices(now)}, {"backend", backendChoices(now)}};
    // The reference accepts any precision but computes in its own, which the list says.
    if (fixedPrecision(now.backend).empty()) lists.push_back({"precision", precisionChoices(now)});
    return lists;
}

template <class Try>
std::string whyRefused(Try attempt) {
    try {
        attempt();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

void expectHonest(const List& list, const SettingChoice& row, const std::string& refused) {
    EXPECT_EQ(row.refused.empty(), refused.empty())
        << list.key << " " << row.name << ": the list says '" << row.refused << "', the run '" << refused << "'";
}

const SettingChoice& rowOf(const std::vector<SettingChoice>& rows, std::string_view name) {
    return *std::find_if(rows.begin(), rows.end(), [&](const SettingChoice& row) { return row.name == name; });
}

TEST(SettingChoices, ofARunAreWhatItTakes) {
    for (const RunRequest& start : starts()) {
        Simulation running(start);
        for (const List& list : listsOf(running.configuration())) {
            EXPECT_EQ(std::count_if(list.rows.begin(), list.rows.end(), [](const SettingChoice& row) { return row.chosen; }),
                      1)
                << list.key;
            for (const SettingChoice& row : list.rows) {
                EXPECT_TRUE(!row.chosen || row.refused.empty()) << row.name << ": " << row.refused;
                const TwinChoice one = parseTwin(std::string(list.key) + "=" + row.name);
                RunRequest wanted = running.request();
                ofSetting(list.key).ask(wanted, one.values.begin()->second);
                Simulation trial(start);
                expectHonest(list, row, whyRefused([&] { trial.apply(wanted); }));
            }
        }
    }
}

TEST(SettingChoices, ofATwinAreWhatItTakes) {
    for (const RunRequest& start : starts()) {
        Simulation first(start);
        TwinChoice same{.on = true};
        const RunConfiguration now = TwinRun(first, same, false).simulation().configuration();
        for (const List& list : listsOf(now, true))
            for (const SettingChoice& row : list.rows) {
                const TwinChoice choice = parseTwin(std::string(list.key) + "=" + row.name);
                expectHonest(list, row, whyRefused([&] { const TwinRun twin(first, choice, false); }));
            }
    }
}

TEST(SettingChoices, sayWhyNot) {
    RunConfiguration now =
        Simulation({.scene = "figure-eight", .backend = "reference", .integrator = "hermite4"}).configuration();
    EXPECT_THAT(rowOf(lawChoices(now), "coulomb").refused, HasSubstr("only gravity has"));
    EXPECT_THAT(rowOf(backendChoices(now), "cpu").refused, HasSubstr("'hermite4' cannot run on the cpu backend"));
    EXPECT_EQ(rowOf(precisionChoices(now), "fp32").refused, fixedPrecision("reference"));
    now.backend = "cpu";
    EXPECT_THAT(rowOf(integratorChoices(now), "radau15").refused, HasSubstr("cpu backend"));
    EXPECT_EQ(rowOf(integratorChoices(now, true), "radau15").refused, "");
    now.force.law = kLaw<Coulomb>;
    EXPECT_THAT(rowOf(integratorChoices(now, true), "hermite4").refused, HasSubstr("only gravity has"));
    now.bodies = 300;
    EXPECT_THAT(rowOf(integratorChoices(now, true), "radau15").refused, HasSubstr("at most 256 bodies"));
}

}  // namespace
}  // namespace gravlab
