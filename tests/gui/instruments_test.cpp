// The instruments, the balance of the start and the four views in a real window.
#include "gui_fixture.h"
#include "layout.h"

namespace gravlab::test {
namespace {

class InstrumentsWindow : public GuiTest {};

TEST_F(InstrumentsWindow, measureTheRunningGalaxyBesideThePicture) {
    open({"galaxy", "-n", "2000", "--size", "1280x800", "--backend", "cpu"});
    EXPECT_FALSE(status().at("instruments").at("shown").get<bool>());
    waitFor("the strip of energy", [](const Json& s) { return s.at("items").contains("panel/conservation"); });
    key("ctrl+j");
    const Json first = waitFor("a profile", [](const Json& s) { return s.at("instruments").at("rings") > 0; });
    EXPECT_EQ(first.at("instruments").at("bodies"), 2000);
    const Json now = waitFor("the plots", [](const Json& s) { return s.at("items").contains("instruments_q"); });
    for (const char* item : {"panel/instruments", "instruments", "instruments.centre", "instruments_rotation",
                             "instruments_density", "instruments_dispersion", "balance"})
        EXPECT_TRUE(now.at("items").contains(item)) << item;
    EXPECT_FALSE(now.at("items").contains("panel/conservation")) << "it takes its place";
    EXPECT_EQ(layoutFaults(now), std::vector<std::string>());
    const auto step = now.at("instruments").at("step").get<std::int64_t>();
    waitFor("a newer profile", [&](const Json& s) { return s.at("instruments").at("step") > step; });
    choose("instruments.centre", "centre of mass");
    click("find-groups");
    const Json found = waitFor("groups", [](const Json& s) { return s.at("items").contains("groups"); });
    EXPECT_TRUE(found.at("items").contains("instruments_rotation")) << "beside the plots";
    EXPECT_EQ(layoutFaults(found), std::vector<std::string>());
    key("ctrl+j");
    waitFor("the strip of energy again", [](const Json& s) { return s.at("items").contains("panel/conservation"); });
}

TEST_F(InstrumentsWindow, fourViewsComeByKeyAndStandBetweenThePanels) {
    open({"pythagorean", "--size", "1280x720", "--backend", "reference", "--integrator", "radau15", "--follow", "none"});
    waitFor("an automatic step",
            [](const Json& s) { return s.at("inner_step") > 0 && s.at("items").contains("automatic_step"); });
    key("F4");
    waitForValue("four_views", true);
    settle();
    const Json before = status();
    EXPECT_EQ(layoutFaults(before), std::vector<std::string>());
    // The lower left view shows x to the right and z upwards: a drag moves the target along these axes.
    drag(400, 400, 440, 380, 3);
    const Json after = waitFor("a camera that moved", [&](const Json& s) {
        return s.at("camera").at("target")[2] != before.at("camera").at("target")[2];
    });
    EXPECT_NEAR(after.at("camera").at("target")[1].get<double>(), before.at("camera").at("target")[1].get<double>(), 1e-5);
    key("ctrl+t");
    waitFor("a twin", [](const Json& s) { return s.at("twin").at("on") == true && s.at("four_views") == false; });
    key("F4");
    waitFor("a reason", [](const Json& s) { return s.at("message").get<std::string>().find("Two runs") == 0; });
    key("ctrl+t");
    waitForValue("four_views", true);
    key("F4");
    waitForValue("four_views", false);
}

}  // namespace
}  // namespace gravlab::test
