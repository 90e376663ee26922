// Messages of a window: news fades, warnings stay, and at its end a watched story is offered again.
#include "app/model/document.h"
#include "sim/scenes/scene.h"

#include <gtest/gtest.h>

namespace gravlab {
namespace {

TEST(Message, newsFadeAfterSixSecondsAndWarningsStay) {
    Document document;
    EXPECT_FALSE(document.fadeMessage(100)) << "there is none";
    document.say("Saved.");
    EXPECT_FALSE(document.warning);
    EXPECT_FALSE(document.fadeMessage(5));
    EXPECT_EQ(document.messageLight(), 1);
    EXPECT_TRUE(document.fadeMessage(0.8));
    EXPECT_GT(document.messageLight(), 0);
    EXPECT_LT(document.messageLight(), 1);
    EXPECT_EQ(document.message, "Saved.");
    EXPECT_TRUE(document.fadeMessage(0.3)) << "the frame in which it goes is drawn, too";
    EXPECT_EQ(document.message, "");
    EXPECT_FALSE(document.fadeMessage(1));

    document.warn("It failed.");
    EXPECT_FALSE(document.fadeMessage(1000));
    EXPECT_EQ(document.message, "It failed.");
    EXPECT_EQ(document.messageLight(), 1);
    document.say("Now it works.");
    EXPECT_FALSE(document.warning);
    EXPECT_FALSE(document.fadeMessage(5)) << "its time begins anew";
    EXPECT_FALSE(document.message.empty());
}

TEST(Message, longOnesStayAsLongAsTheyTakeToRead) {
    Document document;
    document.say(std::string(400, 'a'));
    EXPECT_FALSE(document.fadeMessage(15));
    EXPECT_EQ(document.messageLight(), 1);
    document.fadeMessage(10);
    EXPECT_EQ(document.message, "");
}

TEST(Story, isToldOnlyToThoseWhoWatchedIt) {
    Document document;
    EXPECT_FALSE(document.storyEnded()) << "there is no scene yet";
    const Scene scene{.name = "tale", .story = {.time = 4}};
    document.facts.scene = &scene;
    document.facts.bodiesId = 7;
    document.facts.time = 5;
    EXPECT_FALSE(document.storyEnded()) << "a run that was opened behind its end";
    document.storyRun = 7;
    EXPECT_TRUE(document.storyEnded());
    document.facts.time = 3.9;
    EXPECT_FALSE(document.storyEnded());
    document.facts.time = 4;
    EXPECT_TRUE(document.storyEnded());
    document.storyLeft = 7;
    EXPECT_FALSE(document.storyEnded()) << "it was put away";
    document.facts.bodiesId = document.storyRun = 8;
    EXPECT_TRUE(document.storyEnded()) << "and is offered after the next start";
    const Scene endless{.name = "endless"};
    document.facts.scene = &endless;
    EXPECT_FALSE(document.storyEnded());
}

}  // namespace
}  // namespace gravlab
