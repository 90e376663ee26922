// The panel, by mouse: every change appears in the numbers of the running program.
#include "gui_fixture.h"
#include "tests/paths.h"

namespace gravlab::test {
namespace {

const Arguments kPanels{"plummer", "-n", "500", "--size", "1024x640", "--backend", "cpu"};

class Panel : public GuiTest {
protected:
    Panel() { half = true; }
};

TEST_F(Panel, changesTheNumberOfBodies) {
    open(kPanels);
    enter("run.bodies/exact", "1,234");
    Json now = waitForValue("bodies", 1234);
    EXPECT_EQ(now.at("scene"), "plummer");
    enter("run.bodies/exact", "3k");
    waitForValue("bodies", 3072);
    // The slider applies its value on release, at a power of two.
    moveTo("run.bodies");
    xdotool({"mousedown", "1"});
    EXPECT_EQ(status().at("bodies"), 3072);
    xdotool({"mouseup", "1"});
    now = waitFor("other bodies", [](const Json& s) { return s.at("bodies") != 3072; });
    const auto bodies = now.at("bodies").get<std::uint64_t>();
    EXPECT_EQ(bodies & (bodies - 1), 0u) << bodies;
    waitForValue("check", "passed");
}

TEST_F(Panel, refusesWithASentenceAndGoesOn) {
    open(kPanels);
    for (const char* wrong : {"0", "-3", "many"}) {
        enter("run.bodies/exact", wrong);
        const Json now = waitFor("a message", [](const Json& s) { return s.at("message") != ""; });
        EXPECT_NE(now.at("message").get<std::string>().find(wrong), std::string::npos) << now.at("message");
        EXPECT_EQ(now.at("bodies"), 500);
        click("dismiss");
        waitForValue("message", "");
    }
    const auto step = status().at("step").get<std::int64_t>();
    waitFor("more steps", [&](const Json& s) { return s.at("step") > step; });
}

TEST_F(Panel, keepsTheDirectionWhileTheTimeStepIsDragged) {
    open(kPanels);
    const double before = status().at("time_step");
    key("Left");
    waitForValue("time_step", -before);
    const Json rect = status().at("items").at("run.time_step").at("rect");
    const int x = (rect[0].get<int>() + rect[2].get<int>()) / 2, y = (rect[1].get<int>() + rect[3].get<int>()) / 2;
    drag(x, y, x + 12, y, 1);  // to the right: towards 0
    const double nearer =
        waitFor("another time step", [&](const Json& s) { return s.at("time_step") != -before; }).at("time_step");
    EXPECT_LT(nearer, 0) << "it runs forwards";
    EXPECT_GT(nearer, -before);
    EXPECT_LT(nearer, -1e-3 * before) << "a few pixels made it nothing";
    overwrite("run.time_step", "-0.02");
    waitForValue("time_step", -0.02);
    overwrite("run.time_step", "0.03");
    waitForValue("time_step", 0.03);
    overwrite("run.time_step", "-0.01");
    waitForValue("time_step", -0.01);
}

TEST_F(Panel, aWordTypedIntoANumberOfAFieldLeavesTheOtherFields) {
    Arguments fields = kPanels;
    fields.insert(fields.end(), {"--field", "hernquist,mass=5,scale=2;uniform,az=-0.001"});
    open(fields);
    overwrite("run.fields/0/scale", "x=3");
    waitForValue("fields", "hernquist,mass=5,scale=2,x=3;uniform,az=-0.001");
}

TEST_F(Panel, greysWhatAKernelDoesNotHave) {
    Arguments naive = kPanels;
    naive.insert(naive.end(), {"--kernel", "naive"});
    open(naive);
    const Json items = status().at("items");
    for (const char* name : {"run.block", "run.block/list", "run.unroll"})
        EXPECT_FALSE(items.at(name).at("enabled").get<bool>()) << name;
    for (const char* name :
         {"run.scene", "run.bodies", "run.seed", "run.backend", "run.kernel", "run.time_step", "run.softening",
          "run.integrator", "run.steps_per_frame", "run.time_budget", "run", "step", "reset"})
        EXPECT_TRUE(items.at(name).at("enabled").get<bool>()) << name;
    // A click on a grey control changes nothing.
    click("run.unroll");
    settle();
    EXPECT_EQ(status().at("unroll"), 1);
}

TEST_F(Panel, hasSomethingOfALaunchToTurnOnTheCpuToo) {
    // As on a machine without a GPU: cells for far bodies.
    open({"collision", "-n", "16384", "--size", "1024x640", "--backend", "cpu"});
    const Json first = waitForValue("kernel", "tree").at("items");
    EXPECT_TRUE(first.at("run.block").at("enabled").get<bool>());
    EXPECT_FALSE(first.at("run.unroll").at("enabled").get<bool>());
    EXPECT_FALSE(first.contains("run.block/nearest"));
    enter("run.block", "512");
    waitForValue("block", 512);
    enter("run.block", "100");
    const Json refused = waitFor("a refusal", [](const Json& s) { return s.at("message") != ""; });
    EXPECT_NE(refused.at("message").get<std::string>().find("nearest: 128"), std::string::npos) << refused.at("message");
    EXPECT_EQ(refused.at("block"), 512);
    settle();
    click("run.unroll/nearest");
    waitForValue("kernel", "simd-threads");
    choose("run.unroll", "4");
    const Json direct = waitForValue("unroll", 4).at("items");
    EXPECT_FALSE(direct.at("run.block").at("enabled").get<bool>());
    click("run.block/nearest");
    waitForValue("kernel", "symmetric-threads");
    waitForValue("block", 512);
    choose("run.block/list", "256");
    waitForValue("block", 256);
}

TEST_F(Panel, hasABlockForAtomsOnTheCpu) {
    open({"lennard-jones", "-n", "2000", "--size", "1024x640", "--backend", "cpu"});
    const Json first = waitForValue("kernel", "cells").at("items");
    EXPECT_TRUE(first.at("run.block").at("enabled").get<bool>());
    EXPECT_FALSE(first.contains("run.block/nearest"));
    EXPECT_FALSE(first.at("run.unroll").at("enabled").get<bool>());
    EXPECT_EQ(status().at("block"), 64);
    choose("run.block/list", "256");
    waitForValue("block", 256);
    enter("run.block", "100");
    const Json refused = waitFor("a refusal", [](const Json& s) { return s.at("message") != ""; });
    EXPECT_NE(refused.at("message").get<std::string>().find("nearest: 128"), std::string::npos) << refused.at("message");
    EXPECT_EQ(refused.at("kernel"), "cells");
    settle();
    click("run.unroll/nearest");
    waitForValue("kernel", "simd-threads");
}

TEST_F(Panel, changesBlockAndUnrollOnAGpu) {
    open({"plummer", "-n", "5000", "--backend", "auto"});
    if (status().at("backend") != "cuda") GTEST_SKIP() << "no CUDA device here; `block` is tested as greyed out";
    choose("run.kernel", "tiled");
    enter("run.block", "200");
    waitForValue("block", 200);
    choose("run.unroll", "4");
    waitForValue("unroll", 4);
    enter("run.block", "1025");
    const Json now = waitFor("a refusal", [](const Json& s) { return s.at("message") != ""; });
    EXPECT_NE(now.at("message").get<std::string>().find("1024"), std::string::npos) << now.at("message");
    EXPECT_EQ(now.at("block"), 200);
    waitForValue("check", "passed");
    choose("run.unroll", "auto");
    waitForValue("unroll", "auto");
    // A row without a factor offers the nearest row that has one.
    choose("run.kernel", "pairs");
    waitForValue("kernel", "pairs");
    EXPECT_FALSE(waitFor("the panel", [](const Json& s) { return s.at("items").contains("run.unroll/nearest"); })
                     .at("items")
                     .contains("run.block/nearest"));
    click("run.unroll/nearest");
    waitForValue("kernel", "aos");
    EXPECT_FALSE(status().at("items").contains("run.block/nearest"));
    choose("run.kernel", "tiled-registers");  // the list shows twenty rows about the present one
    waitForValue("kernel", "tiled-registers");
    choose("run.kernel", "symmetric");
    waitForValue("block", 32);
    choose("run.unroll", "8");
    waitForValue("unroll", 8);
}

TEST_F(Panel, aLongListOpensAtThePresentRow) {
    open({"tidal-chain", "--backend", "cpu"});
    click("run.scene");
    waitFor("the present row in sight", [](const Json& s) {
        const Json& items = s.at("items");
        return items.contains("run.scene/tidal-chain") && items.at("run.scene/tidal-chain").at("rect")[3] < s.at("height");
    });
    key("Escape");
    choose("run.scene", "figure-eight");  // the wheel reaches the rows out of sight
    waitForValue("scene", "figure-eight");
}

TEST_F(Panel, choosesTheKernelOfATermBesideThePairLaw) {
    binary = GRAVLAB_EXTENDED;
    open({"test-chain", "-n", "200", "--size", "1280x720", "--backend", "cpu", "--lab", "sweep"});
    waitForValue("term_kernels", "springs=list");
    choose("run.term_kernels/springs", "blocks");
    waitForValue("term_kernels", "springs=blocks");
    choose("run.term_kernels/springs/block", "16");
    waitForValue("term_kernels", "springs=blocks:block=16");
    // The lab measures it, and the best launch is taken for the term.
    choose("lab.term", "springs");
    choose("lab.sweep", "block");
    settle();
    click("lab-measure");
    waitFor("a point", [](const Json& s) { return s.at("lab").at("points") >= 1; });
    click("lab-cancel");
    waitFor("the end", [](const Json& s) { return s.at("lab").at("busy") == false; });
    settle();
    click("lab-use-best");
    waitFor("a launch of blocks",
            [](const Json& s) { return s.at("term_kernels").get<std::string>().starts_with("springs=blocks"); });
    EXPECT_EQ(status().at("message"), "");
    waitForValue("check", "passed");
    waitFor("steps", [](const Json& s) { return s.at("step") > 2; });
}

TEST_F(Panel, pausesStepsResetsAndTakesASeed) {
    open(kPanels);
    waitFor("some steps", [](const Json& s) { return s.at("step") > 2; });
    click("run");
    const auto step = waitForValue("paused", true).at("step").get<std::int64_t>();
    settle();
    EXPECT_EQ(status().at("step"), step);
    click("step");
    waitForValue("step", step + 1);
    click("reset");
    EXPECT_EQ(waitForValue("step", 0).at("time"), 0.0);
    enter("run.seed", "42");
    waitForValue("seed", 42);
    click("next-seed");
    waitForValue("seed", 43);
    click("run");
    waitFor("steps again", [](const Json& s) { return s.at("step") > 0; });
}

TEST_F(Panel, dragsNumbersAndTypesThem) {
    open(kPanels);
    const double before = status().at("time_step");
    const Json rect = status().at("items").at("run.time_step").at("rect");
    const int x = (rect[0].get<int>() + rect[2].get<int>()) / 2, y = (rect[1].get<int>() + rect[3].get<int>()) / 2;
    drag(x, y, x + 40, y, 1);
    waitFor("a longer time step", [&](const Json& s) { return s.at("time_step") > before; });
    overwrite("run.softening", "0.125");
    waitForValue("softening", 0.125);
    EXPECT_EQ(status().at("message"), "");
}

TEST_F(Panel, aTypedNumberWaitsForEnterAndEscapePutsItBack) {
    open({"two-body", "--size", "1024x640", "--backend", "cpu"});
    const double before = status().at("time_step");
    click("run");  // a paused run shows each time step that was set
    const auto openField = [&] {
        moveTo("run.time_step");
        xdotool({"keydown", "ctrl"});
        xdotool({"click", "1"});
        xdotool({"keyup", "ctrl"});
        settle();
        key("ctrl+a");
    };
    openField();
    for (const char* digit : {"0", ".", "0", "0"}) {
        type(digit);
        settle();
        EXPECT_EQ(status().at("time_step"), before) << "taken before it was complete";
    }
    key("Escape");
    settle();
    EXPECT_EQ(status().at("time_step"), before);
    EXPECT_EQ(status().at("message"), "");

    openField();
    type("0.002");
    settle();
    EXPECT_EQ(status().at("time_step"), before);
    key("Return");
    waitForValue("time_step", 0.002);
    openField();
    type("0.003");
    click("run.integrator");  // leaving the field sets the value, too
    waitForValue("time_step", 0.003);
    key("Escape");
    // Also for a control above it, which is drawn before it.
    openField();
    type("0.004");
    click("run.seed");
    waitForValue("time_step", 0.004);
    key("Escape");
    const Json rect = status().at("items").at("run.softening").at("rect");
    const int x = (rect[0].get<int>() + rect[2].get<int>()) / 2, y = (rect[1].get<int>() + rect[3].get<int>()) / 2;
    drag(x, y, x + 40, y, 1);
    waitFor("a softening that is dragged as always", [](const Json& s) { return s.at("softening") > 0; });
    openField();
    type("0");
    key("Return");
    waitFor("a refusal",
            [](const Json& s) { return s.at("message").get<std::string>().find("other than 0") != std::string::npos; });
    EXPECT_EQ(status().at("time_step"), 0.004);
}

TEST_F(Panel, takesTheNumbersOfTheLawInForce) {
    open({"lennard-jones", "-n", "60", "--size", "1024x640", "--backend", "cpu"});
    EXPECT_FALSE(status().at("items").contains("run.exponent")) << "of another law";
    overwrite("run.cut_off", "3");
    waitForValue("cut_off", 3);
    overwrite("run.strength", "0.5");
    waitForValue("strength", 0.5);
    overwrite("run.diameter", "5000");
    waitForValue("diameter", 1000);
    EXPECT_EQ(status().at("message"), "");
    choose("run.law", "power-law");
    waitFor("the exponent", [](const Json& s) { return s.at("items").contains("run.exponent"); });
    EXPECT_FALSE(status().at("items").contains("run.cut_off"));
    waitForValue("strength", 0.5);
}

}  // namespace
}  // namespace gravlab::test
