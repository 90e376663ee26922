// Groups beside a run: found on a copy, shown as colours, and described with their step.
#include "commands_fixture.h"
#include "sim/backends/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace gravlab {
namespace {

class GroupsOfARun : public test::CommandsTest {
protected:
    void begin(const char* colour = "speed") {
        StartOptions options{.simulation = {.scene = "plummer", .bodies = 2000, .backend = "cpu"}};
        options.settings["look.colour_mode"] = std::string(colour);
        CommandsTest::begin(options);
    }
};

TEST_F(GroupsOfARun, areThoseOfTheStepThatTheyName) {
    begin();
    frame();
    EXPECT_EQ(read("groups.count"), Value());
    ASSERT_EQ(ask(SetParameter{"groups.linking", 0.3}).status, CommandStatus::applied);
    ASSERT_EQ(ask(SetParameter{"groups.least", std::int64_t{5}}).status, CommandStatus::applied);
    ASSERT_EQ(ask(Invoke{"find-groups"}).status, CommandStatus::running);
    frame();
    ASSERT_TRUE(app->document.facts.groups) << app->document.message;
    const KnownGroups known = *app->document.facts.groups;
    EXPECT_EQ(known.step, app->document.facts.step);
    ParticleSet bodies = app->runs.simulation().bodies();
    EXPECT_EQ(known.length, linkingLength(bodies, {.mean = 0.3}));
    EXPECT_EQ(known.labels, groupsByPairs(bodies, known.length));
    ASSERT_FALSE(known.table.groups.empty());
    EXPECT_GE(known.table.groups.back().members, 5u);
    EXPECT_EQ(read("groups.count"), Value(static_cast<std::int64_t>(known.table.groups.size())));
    frame();
    EXPECT_GT(app->document.facts.step, known.step);
    EXPECT_EQ(app->document.facts.groups->step, known.step) << "as they were then";
    // A new run has no groups yet.
    ASSERT_EQ(ask(Invoke{"reset"}).status, CommandStatus::applied);
    frame();
    frame();
    EXPECT_FALSE(app->document.facts.groups && app->document.facts.groups->bodiesId != app->document.facts.bodiesId);
}

TEST_F(GroupsOfARun, aWindowFindsThemBesideItsFrames) {
    begin();
    frame(true);
    ASSERT_EQ(ask(Invoke{"find-groups"}).status, CommandStatus::running);
    for (int k = 0; k < 2000 && !app->document.facts.groups; ++k) frame(true);
    ASSERT_TRUE(app->document.facts.groups);
    EXPECT_FALSE(app->services.groupFinder.busy());
    EXPECT_TRUE(controller->busy()) << "its end is still to be told";
    const std::vector<Event> ends = controller->apply(*host);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends.front().status, CommandStatus::applied) << ends.front().why;
    EXPECT_FALSE(controller->busy());
    EXPECT_FALSE(app->document.facts.findingGroups);
    // Again before a frame has seen the end: the pace of the first search must not delay the second one for ever.
    for (int again = 0; again < 2; ++again) {
        const std::int64_t step = app->document.facts.groups->step;
        controller->apply(*host);
        ASSERT_EQ(ask(Invoke{"find-groups"}).status, CommandStatus::running);
        for (int k = 0; k < 20000 && app->services.groupFinder.busy(); ++k) frame(true);
        ASSERT_FALSE(app->services.groupFinder.busy());
        EXPECT_GT(app->document.facts.groups->step, step);
    }
}

TEST_F(GroupsOfARun, theirColoursFindThemOnce) {
    begin("group");
    frame();
    ASSERT_TRUE(app->document.facts.groups) << app->document.message;
    const auto first = app->document.facts.groups;
    frame();
    EXPECT_EQ(app->document.facts.groups, first) << "and not in every frame";
}

TEST_F(GroupsOfARun, coloursByDepthFollowTheSelectedBody) {
    begin("depth");
    frame();
    ASSERT_TRUE(app->document.facts.groups) << app->document.message;
    const auto depthsAre = [&](std::uint32_t id) {
        const KnownGroups& known = *app->document.facts.groups;
        ASSERT_EQ(known.from, id);
        const auto index = static_cast<std::size_t>(std::ranges::find(known.ids, id) - known.ids.begin());
        ASSERT_LT(index, known.depths.size());
        EXPECT_EQ(known.depths[index], 0u);
        EXPECT_EQ(std::ranges::count(known.depths, 0u), 1);
        EXPECT_EQ(std::get<std::int64_t>(read("groups.reached")),
                  std::ranges::count_if(known.depths, [](std::uint32_t depth) { return depth != kNoDepth; }));
    };
    depthsAre(app->document.facts.bodies->id.front());
    const auto first = app->document.facts.groups;
    frame();
    EXPECT_EQ(app->document.facts.groups, first) << "and not in every frame";
    ASSERT_EQ(ask(SetParameter{"view.selected", std::int64_t{77}}).status, CommandStatus::applied);
    frame();
    frame();
    depthsAre(77);
    EXPECT_GT(std::get<std::int64_t>(read("groups.deepest")), 0);
    EXPECT_GT(app->document.shownRange().high, 0);
}

TEST(GroupColours, ofDepthAreDimWhereNoChainLeads) {
    BodyFacts facts;
    facts.id = {7, 8, 9};
    facts.group.assign(3, 0);
    facts.mass.assign(3, 1);
    const std::vector<BodyTrait> traits = depthTraits(facts, facts.id, std::vector<std::uint32_t>{3, kNoDepth, 0});
    EXPECT_EQ(traits[0].value, 3);
    EXPECT_EQ(traits[2].value, 0);
    EXPECT_EQ(traits[0].light, traits[2].light);
    EXPECT_LT(traits[1].light, 0.5f * traits[0].light);
    const ColourMode& mode = *std::ranges::find(colourModes(), "depth", &ColourMode::name);
    EXPECT_EQ(traitRange(mode, traits), (ValueRange{0, 3}));
    EXPECT_EQ(depthTraits(facts, {}, {})[0].light, traits[1].light) << "not found yet";
}

TEST(GroupColours, belongToTheFirstBodyAndGreyIsForTheRest) {
    BodyFacts facts;
    facts.id = {7, 8, 9, 10, 11};
    facts.group.assign(5, 0);
    facts.group[4] = 2 << 6;  // dark
    facts.mass.assign(5, 1);
    const std::vector<std::uint32_t> labels{0, 1, 0, 1, 0};
    const std::vector<BodyTrait> traits = groupTraits(facts, facts.id, labels, 3);
    EXPECT_EQ(traits[0].value, traits[2].value);
    EXPECT_NE(traits[0].value, traits[1].value);
    EXPECT_EQ(traits[0].light, 1);
    EXPECT_LT(traits[1].light, 0.5f);
    EXPECT_EQ(traits[4].light, -1) << "dark matter is dimmed as ever";
    // The same colour when other groups come before it.
    BodyFacts later = facts;
    later.id = {3, 7, 8, 9, 11};
    const std::vector<std::uint32_t> moved{0, 1, 2, 1, 1};
    EXPECT_EQ(groupTraits(later, later.id, moved, 3)[1].value, traits[0].value);
    // Labels of other bodies affect no body.
    for (const BodyTrait& trait : groupTraits(later, facts.id, labels, 1)) EXPECT_LT(std::abs(trait.light), 0.5f);
    EXPECT_LT(groupBand(7), kGroupBands);
}

}  // namespace
}  // namespace gravlab
