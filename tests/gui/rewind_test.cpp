// The timeline of the window: keys and mouse go back, and the run continues from that state.
#include "gui_fixture.h"

#include <algorithm>

namespace gravlab::test {
namespace {

using WindowRewind = GuiTest;

std::size_t kept(const Json& s) { return s.at("rewind").at("steps").size(); }

TEST_F(WindowRewind, goesBackByKeyAndByMouseAndBranches) {
    open({"plummer", "-n", "300", "--size", "1000x700", "--backend", "cpu"});
    waitFor("kept states", [](const Json& s) { return kept(s) >= 4; });
    key("ctrl+Left");
    Json past = waitForValue("paused", true);
    past = waitFor("a kept state", [](const Json& s) {
        const auto& steps = s.at("rewind").at("steps");
        return std::find(steps.begin(), steps.end(), s.at("step")) != steps.end();
    });
    const auto end = past.at("rewind").at("steps").back().get<std::int64_t>();
    key("ctrl+Home");
    waitForValue("step", 0);
    key("ctrl+End");
    waitForValue("step", end);
    key("ctrl+Home");
    waitForValue("step", 0);

    // The right end of the strip is the newest state.
    const Json rect = status().at("items").at("timeline").at("rect");
    const int left = rect[0].get<int>(), right = rect[2].get<int>(), y = (rect[1].get<int>() + rect[3].get<int>()) / 2;
    drag(left + 5, y, right - 3, y, 1);
    waitForValue("step", end);
    drag(right - 5, y, left + 2, y, 1);
    waitForValue("step", 0);
    EXPECT_TRUE(status().at("rewind").at("other").empty()) << "looking makes no branch";

    key("space");
    const Json branched = waitFor("a branch", [&](const Json& s) { return !s.at("rewind").at("other").empty(); });
    EXPECT_EQ(branched.at("rewind").at("other").back(), end);
    EXPECT_EQ(branched.at("message"), "");
}

TEST_F(WindowRewind, undoReturnsFromANewStartAndPassesPauses) {
    open({"two-body", "--size", "1000x700", "--backend", "cpu"});
    const Json old = waitFor("kept states", [](const Json& s) { return kept(s) >= 4 && s.at("step") > 100; });
    key("r");
    waitFor("a new start", [&](const Json& s) { return s.at("step") < old.at("step") && kept(s) >= 2; });
    key("ctrl+z");
    waitFor("the old run", [&](const Json& s) { return s.at("step") >= old.at("step"); });
    key("space");
    waitForValue("paused", true);
    key("ctrl+z");
    settle();
    EXPECT_EQ(status().at("paused"), true) << "a pause is no change";
}

}  // namespace
}  // namespace gravlab::test
