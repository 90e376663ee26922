// The lists of both panels: each grey value is refused, and each offered value runs.
#include "app/parameters/setting_choices.h"
#include "app/runs/twin_run.h"
#include "sim/core/error.h"
#include "sim/forces/law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace gravlab {
namespace {

using testing::HasSubstr;

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
std::string refusalOf(Try attempt) {
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
                if (list.key == "integrator") wanted.integrator = one.values.integrator;
                if (list.key == "law") wanted.law = one.values.law;
                if (list.key == "backend") wanted.backend = one.values.backend;
                if (list.key == "precision") wanted.precision = one.values.precision;
                Simulation trial(start);
                expectHonest(list, row, refusalOf([&] { trial.apply(wanted); }));
            }
        }
    }
}

TEST(SettingChoices, ofATwinAreWhatItTakes) {
    for (const RunRequest& start : starts()) {
        Simulation first(start);
        TwinChoice same;
        same.on = true;
        const RunConfiguration now = TwinRun(first, same, false).simulation().configuration();
        for (const List& list : listsOf(now, true))
            for (const SettingChoice& row : list.rows) {
                const TwinChoice choice = parseTwin(std::string(list.key) + "=" + row.name);
                expectHonest(list, row, refusalOf([&] { const TwinRun twin(first, choice, false); }));
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
