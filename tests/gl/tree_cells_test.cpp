// Cells of a tree beside a run: made from a copy of the named step, and described in words.
#include "app/ui/overlay_space.h"
#include "commands_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace gravlab {
namespace {

using test::written;

using testing::ElementsAre;
using testing::HasSubstr;

class CellsOfARun : public test::CommandsTest {
protected:
    void begin(const char* scene = "plummer", std::size_t bodies = 3000) {
        CommandsTest::begin({.simulation = {.scene = scene, .bodies = bodies, .backend = "cpu"}});
    }
    void set(const char* path, Value value) {
        const Event event = ask(SetParameter{path, std::move(value)});
        ASSERT_EQ(event.status, CommandStatus::applied) << event.why;
    }
    std::string said() const {
        std::string all;
        for (const std::string& line : treeLegend(app->document)) all += line + "\n";
        return all;
    }
    const TreeCells& cells() const { return app->document.facts.tree->cells; }
};

TEST_F(CellsOfARun, areOfTheStepThatIsShown) {
    begin();
    frame();
    EXPECT_EQ(app->document.facts.tree, nullptr);
    EXPECT_TRUE(treeLegend(app->document).empty());
    EXPECT_FALSE(app->document.overlayDraws());
    set("view.tree_cells", std::string("level"));
    set("view.tree_level", std::int64_t{2});
    EXPECT_TRUE(app->document.overlayDraws());
    for (int k = 0; k < 3; ++k) {
        frame();
        ASSERT_TRUE(app->document.facts.tree) << app->document.message;
        EXPECT_EQ(app->document.facts.tree->step, app->document.facts.step);
    }
    EXPECT_GT(cells().boxes.size(), 8u);
    EXPECT_EQ(parameter("view.tree_boxes").get(app->document), Value(static_cast<std::int64_t>(cells().boxes.size())));
    EXPECT_THAT(said(), HasSubstr("Level 2 of 0 to "));
    set("view.tree_level", std::int64_t{21});
    frame();
    EXPECT_THAT(said(), HasSubstr("Level 21: no cells."));
    set("view.tree_cells", std::string("none"));
    frame();
    EXPECT_EQ(app->document.facts.tree, nullptr);
    EXPECT_FALSE(app->services.treeViewer.busy());
}

TEST_F(CellsOfARun, actOnTheSelectedBody) {
    begin();
    set("view.tree_cells", std::string("acting"));
    frame();
    EXPECT_THAT(treeLegend(app->document), ElementsAre("Click a body to see the cells that act on it."));
    written(*app).selectId(42);
    frame();
    ASSERT_TRUE(app->document.facts.tree);
    EXPECT_EQ(app->document.facts.tree->body, 42u);
    EXPECT_THAT(said(), HasSubstr("Forces on body 42"));
    EXPECT_THAT(said(), HasSubstr(" bodies one by one, of "));
    EXPECT_THAT(said(), HasSubstr("instead of 3,000 bodies"));
    const std::size_t usual = cells().single;
    // A row that uses the accuracy: coarser forces cost less.
    set("run.kernel", std::string("tree"));
    set("run.accuracy", 1e-2);
    frame();
    ASSERT_TRUE(app->document.facts.tree);
    EXPECT_LT(cells().single, usual);
    written(*app).clearSelection();
    frame();
    EXPECT_EQ(app->document.facts.tree, nullptr);
}

TEST_F(CellsOfARun, aWindowMakesThemBesideItsFramesAndRestsWhenTheyAreThere) {
    begin();
    set("run.paused", true);
    set("view.tree_cells", std::string("level"));
    for (int k = 0; k < 4000 && (!app->document.facts.tree || app->services.treeViewer.busy()); ++k) frame(true);
    ASSERT_TRUE(app->document.facts.tree);
    EXPECT_FALSE(app->services.treeViewer.busy());
    const auto first = app->document.facts.tree;
    for (int k = 0; k < 5; ++k) frame(true);
    EXPECT_EQ(app->document.facts.tree, first) << "nothing moved, so nothing was made anew";
    ASSERT_EQ(ask(Invoke{"step"}).status, CommandStatus::applied);
    for (int k = 0; k < 4000 && app->document.facts.tree->step == first->step; ++k) frame(true);
    EXPECT_EQ(app->document.facts.tree->step, app->document.facts.step);
}

TEST_F(CellsOfARun, anotherRunHasItsOwnAndFewBodiesHaveARoot) {
    begin();
    set("view.tree_cells", std::string("level"));
    set("view.tree_level", std::int64_t{0});
    frame();
    ASSERT_EQ(ask(SetParameter{"run.scene", std::string("figure-eight")}).status, CommandStatus::applied);
    frame();
    ASSERT_TRUE(app->document.facts.tree);
    EXPECT_EQ(app->document.facts.tree->bodiesId, app->document.facts.bodiesId);
    EXPECT_EQ(cells().levels, 1);
    EXPECT_EQ(cells().boxes.size(), 1u);
    EXPECT_EQ(cells().boxes.front().bodies, 3u);
}

}  // namespace
}  // namespace gravlab
