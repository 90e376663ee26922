// A twin by real mouse and keys: both pictures, labels, the curve, the differences, and the common clock.
#include "gui_fixture.h"

#include <gmock/gmock.h>

namespace gravlab::test {
namespace {

class TwinWindow : public GuiTest {
protected:
    Json waitForTwin(const std::string& what, const std::function<bool(const Json&)>& met) {
        return waitFor(what, [&](const Json& s) { return s.at("twin").at("on") == true && met(s.at("twin")); });
    }
};

TEST_F(TwinWindow, comesByKeyWithLabelsAndCurve) {
    open({"two-body", "--size", "1280x720", "--backend", "cpu", "--steps-per-frame", "4"});
    EXPECT_FALSE(status().at("twin").at("on").get<bool>());
    waitFor("some steps", [](const Json& s) { return s.at("step") > 2; });
    key("ctrl+t");
    const Json begun = waitForTwin("a twin", [](const Json&) { return true; });
    EXPECT_EQ(begun.at("twin").at("integrator"), "euler");
    EXPECT_EQ(begun.at("twin").at("label"), "euler");
    EXPECT_EQ(begun.at("twin").at("first_label"), "leapfrog");
    EXPECT_EQ(begun.at("twin").at("view"), "side");
    const Json later = waitForTwin("a curve", [](const Json& t) { return t.at("points") > 5 && t.at("apart") > 1e-6; });
    EXPECT_NEAR(later.at("twin").at("time").get<double>(), later.at("time").get<double>(), 1e-9) << "one clock";
    for (const char* item : {"twin_label_first", "twin_label", "twin_apart", "twin_energies", "twin_numbers"})
        EXPECT_TRUE(later.at("items").contains(item)) << item;
    // Each label is at the top of its own picture.
    const auto left = later.at("items").at("twin_label_first").at("rect"),
               right = later.at("items").at("twin_label").at("rect");
    EXPECT_LT(left[2].get<int>(), 640);
    EXPECT_GT(right[0].get<int>(), 640);
    key("alt+t");
    waitForTwin("one over the other", [](const Json& t) { return t.at("view") == "overlaid"; });
    key("ctrl+t");
    waitFor("no twin", [](const Json& s) { return s.at("twin").at("on") == false; });
    const auto step = status().at("step").get<std::int64_t>();
    waitFor("more steps", [&](const Json& s) { return s.at("step") > step; });
}

TEST_F(TwinWindow, goesBackWithTheFirst) {
    open({"two-body", "--size", "1280x720", "--backend", "cpu", "--steps-per-frame", "4", "--twin", "integrator=euler"});
    const Json later = waitForTwin("runs that are apart", [](const Json& t) { return t.at("apart") > 1e-3; });
    waitFor("kept states", [&](const Json& s) {
        const auto& steps = s.at("rewind").at("steps");
        return steps.size() > 3 && steps.back() > later.at("step");
    });
    const double end = status().at("time");
    key("ctrl+Left");
    key("ctrl+Left");
    const Json past = waitFor("an earlier time", [&](const Json& s) {
        return s.at("paused") == true && s.at("time") < end && s.at("twin").at("time") == s.at("time");
    });
    EXPECT_GT(past.at("twin").at("apart").get<double>(), 0) << "the second run was thrown away";
    EXPECT_GT(past.at("twin").at("points").get<int>(), 5) << "so was what had been measured";
    EXPECT_EQ(past.at("message"), "");
    key("ctrl+End");
    const Json back = waitFor("the newest time", [&](const Json& s) {
        return s.at("time") > past.at("time") && s.at("twin").at("time") == s.at("time");
    });
    EXPECT_GT(back.at("twin").at("apart").get<double>(), past.at("twin").at("apart").get<double>());
}

TEST_F(TwinWindow, saysWhereTheSecondRunStartsAnew) {
    open({"two-body", "--size", "1280x720", "--backend", "cpu", "--steps-per-frame", "4"});
    waitFor("kept states", [](const Json& s) { return s.at("rewind").at("steps").size() > 2; });
    key("ctrl+t");
    waitForTwin("runs that are apart", [](const Json& t) { return t.at("apart") > 1e-4; });
    key("ctrl+Home");
    waitForValue("step", 0);
    EXPECT_THAT(status().at("message").get<std::string>(), ::testing::HasSubstr("starts anew here"));
}

TEST_F(TwinWindow, isLabelledWithTheTimeStepThatItHas) {
    half = true;
    open({"two-body", "--size", "1280x1000", "--backend", "cpu", "--dt", "0.02", "--twin", "dt=0.01"});
    waitForTwin("its label", [](const Json& t) { return t.at("label") == "dt 0.01"; });
    overwrite("twin.time_step", "0.004");
    waitForTwin("the label of the new step", [](const Json& t) { return t.at("label") == "dt 0.004"; });
    overwrite("twin.time_step", "0.002");
    waitForTwin("and of the next", [](const Json& t) { return t.at("label") == "dt 0.002"; });
}

TEST_F(TwinWindow, greysWhatItWouldRefuse) {
    half = true;
    open({"figure-eight", "--size", "1280x1000", "--backend", "reference", "--integrator", "hermite4", "--twin", ""});
    waitForTwin("the same twin", [](const Json& t) { return t.at("label") == "the same"; });
    const auto rowOf = [&](const std::string& list, const std::string& row) {
        click(list);
        const std::string item = list + "/" + row;
        const Json now = waitFor(item, [&](const Json& s) { return s.at("items").contains(item); });
        key("Escape");
        waitFor("a closed list", [&](const Json& s) { return !s.at("items").contains(item); });
        return now.at("items").at(item).at("enabled").get<bool>();
    };
    for (const std::string run : {"run.", "twin."}) {
        EXPECT_FALSE(rowOf(run + "backend", "cpu")) << run << ": only the reference has hermite4";
        EXPECT_TRUE(rowOf(run + "backend", "reference")) << run;
        EXPECT_FALSE(rowOf(run + "law", "coulomb")) << run << ": hermite4 knows gravity only";
        EXPECT_TRUE(rowOf(run + "integrator", "radau15")) << run;
    }
    EXPECT_EQ(status().at("message"), "");
}

}  // namespace
}  // namespace gravlab::test
