// States beside the frames, now and then: how often, what is forgotten, and what never waits.
#include "app/runs/sampler.h"

#include "tests/advance.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace gravlab {
namespace {

/// A question with a word, answered by that word and the step that was looked at.
class SamplerTest : public ::testing::Test {
protected:
    using Answer = std::pair<std::string, std::int64_t>;

    SamplerTest() : simulation({.scene = "plummer", .bodies = 300, .backend = "cpu"}) {}
    SampledFrame at(double now, bool waits = false) { return {simulation, feed, now, waits}; }
    Sampler<std::string, Answer> sampler(SamplerPace pace) {
        return {pace, [this](const auto& state, const std::string& asked, const auto& report) {
                    ++worked;
                    if (asked == "fail") throw std::runtime_error("no answer");
                    if (asked == "slow") report(Answer{"so far", state->step()});
                    return Answer{asked, state->step()};
                }};
    }
    /// The answer of frames at that time, until nothing is under way.
    template <class Kind>
    std::optional<Answer> answered(Kind& sampler, double now, const std::string& asked) {
        std::optional<Answer> last = sampler.update(at(now), &asked);
        while (sampler.busy()) {
            feed.pump(simulation);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (auto found = sampler.update(at(now), &asked, false)) last = found;
        }
        return last;
    }

    Simulation simulation;
    StateFeed feed;
    std::atomic<int> worked{0};
};

TEST_F(SamplerTest, aStepIsLookedAtOnceAndTheNextWhenItIsTime) {
    Sampler<std::string, Answer> one = sampler({.interval = 2, .shareOfACore = 1e9});
    EXPECT_FALSE(one.update(at(0), nullptr));
    EXPECT_FALSE(one.busy()) << "nothing is wanted";
    EXPECT_EQ(answered(one, 0, "a"), Answer("a", 0));
    EXPECT_FALSE(answered(one, 1000, "a")) << "the same step again";
    run(simulation, 1);
    EXPECT_EQ(answered(one, 1000, "a"), Answer("a", 1));
    run(simulation, 1);
    EXPECT_FALSE(answered(one, 1001, "a"));
    EXPECT_EQ(answered(one, 1002.5, "a"), Answer("a", 2));
    EXPECT_EQ(worked, 3);
}

TEST_F(SamplerTest, workTakesItsShareOfACore) {
    Sampler<std::string, Answer> one({.shareOfACore = 1e-6}, [](const auto& state, const std::string& asked, const auto&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return Answer{asked, state->step()};
    });
    EXPECT_TRUE(answered(one, 0, "a"));
    run(simulation, 1);
    EXPECT_FALSE(answered(one, 1000, "a")) << "two milliseconds are a millionth of more than half an hour";
    EXPECT_EQ(answered(one, 1e9, "a"), Answer("a", 1));
}

TEST_F(SamplerTest, anotherQuestionIsAnsweredAtOnceAndTheOldOneNoMore) {
    Sampler<std::string, Answer> one = sampler({.interval = 1000});
    EXPECT_EQ(answered(one, 0, "a"), Answer("a", 0));
    EXPECT_EQ(answered(one, 0, "b"), Answer("b", 0));
    run(simulation, 1);
    const std::string c = "c", d = "d";
    EXPECT_FALSE(one.update(at(0), &c));
    feed.serve(simulation);
    EXPECT_EQ(answered(one, 0, d), Answer("d", 1)) << "what was on its way for c is forgotten";
    EXPECT_EQ(worked, 3);
}

TEST_F(SamplerTest, otherBodiesAreLookedAtAtOnce) {
    Sampler<std::string, Answer> one = sampler({.interval = 1000});
    EXPECT_EQ(answered(one, 0, "a"), Answer("a", 0));
    const std::string a = "a";
    EXPECT_FALSE(one.follow(at(0), &a));
    ParticleSet bodies = simulation.bodies();
    simulation.load(bodies);
    EXPECT_TRUE(one.follow(at(0), &a)) << "what is known is of others";
    EXPECT_EQ(answered(one, 0, "a"), Answer("a", 0));
    EXPECT_EQ(worked, 2);
}

TEST_F(SamplerTest, aFilmWaits) {
    Sampler<std::string, Answer> one = sampler({.interval = 1000});
    const std::string a = "a";
    EXPECT_EQ(one.update(at(0, true), &a), Answer("a", 0));
    run(simulation, 1);
    EXPECT_EQ(one.update(at(0, true), &a), Answer("a", 1)) << "whatever the clock says";
    EXPECT_FALSE(one.update(at(0, true), &a));
    run(simulation, 1);
    EXPECT_FALSE(one.update(at(1e6, false), &a)) << "a window does not";
    EXPECT_TRUE(one.busy());
    EXPECT_EQ(one.update(at(1e6, true), &a), Answer("a", 2)) << "a film does not wait for what a window has asked for";
}

TEST_F(SamplerTest, afterAFailureTheNextStepIsLookedAt) {
    Sampler<std::string, Answer> one = sampler({});
    const std::string fail = "fail";
    EXPECT_THROW(one.update(at(0, true), &fail), std::runtime_error);
    EXPECT_FALSE(one.busy());
    run(simulation, 1);
    EXPECT_THROW(one.update(at(0, true), &fail), std::runtime_error);
    EXPECT_EQ(one.update(at(0, true), nullptr), std::nullopt);
    const std::string a = "a";
    EXPECT_EQ(one.update(at(0, true), &a), Answer("a", 1));
}

TEST_F(SamplerTest, aResultSoFarIsNotTheLast) {
    Sampler<std::string, Answer> one = sampler({});
    EXPECT_EQ(answered(one, 0, "slow"), Answer("slow", 0));
}

TEST_F(SamplerTest, whatIsKeptAnywayIsLookedAtInPlaceOfACopy) {
    Sampler<std::string, Answer> one = sampler({.interval = 1});
    const std::string a = "a";
    const auto kept = [&](double now, std::int64_t step) {
        return one.update(at(now, true), &a, true,
                          Sampler<std::string, Answer>::Other{step, [step](const auto&) { return Answer("kept", step); }});
    };
    EXPECT_EQ(kept(0, 7), Answer("kept", 7));
    EXPECT_FALSE(kept(10, 7));
    EXPECT_EQ(kept(10, 8), Answer("kept", 8));
    EXPECT_EQ(worked, 0);
}

TEST_F(SamplerTest, twoRunsAreLookedAtAtOneMoment) {
    Simulation other(RunRequest{.scene = "plummer", .bodies = 200, .backend = "cpu"});
    StateFeed others;
    const SampledRun second{other, others};
    StateSampler<int> reader({.interval = 1});
    const int asked = 0;
    const auto look = [&](double now, bool wanted = true, const SampledRun* with = nullptr) {
        return reader.update({simulation, feed, now, false, with}, &asked, wanted);
    };
    EXPECT_FALSE(look(0, true, &second));
    run(simulation, 1);
    run(other, 2);
    feed.settle();
    EXPECT_FALSE(look(0, false, &second)) << "one of the two has not arrived";
    others.settle();
    const SampledState both = look(0, false, &second);
    ASSERT_TRUE(both && both.second);
    EXPECT_EQ(both->step(), 0);
    EXPECT_EQ(both->bodies(), 300u);
    EXPECT_EQ(both.second->step(), 0);
    EXPECT_EQ(both.second->bodies(), 200u);
    EXPECT_FALSE(look(2, true, &second));
    EXPECT_TRUE(reader.busy());
    EXPECT_FALSE(look(4)) << "the second run has ended, the first is looked at alone";
    feed.serve(simulation);
    const SampledState alone = look(4);
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->step(), 1);
    EXPECT_FALSE(alone.second);
    // Edited bodies continue those before: the pace stays.
    ParticleSet bodies = simulation.bodies();
    simulation.load(bodies);
    reader.adopt(simulation);
    EXPECT_FALSE(look(4.5));
    EXPECT_FALSE(reader.busy());
    EXPECT_FALSE(look(5.5));
    EXPECT_TRUE(reader.busy());
}

/// A reader gets states even when its question changes in every frame, as under a slider.
TEST_F(SamplerTest, readersGetStatesWhileTheirQuestionChanges) {
    StateSampler<int> reader;
    int read = 0;
    for (int frame = 0; frame < 50; ++frame) {
        if (reader.update(at(0), &frame)) ++read;
        if (frame % 2 == 1) {
            feed.pump(simulation);
            feed.settle();
        }
    }
    EXPECT_GE(read, 10);
    // And the last question has a state that was asked for after it.
    int last = 50;
    run(simulation, 1);
    std::shared_ptr<const FedState> state = reader.update(at(0), &last);
    while (reader.busy()) {
        feed.serve(simulation);
        if (auto come = reader.update(at(0), &last)) state = come;
    }
    ASSERT_TRUE(state);
    EXPECT_EQ(state->step(), 1);
    EXPECT_EQ(reader.step(), 1);
}

}  // namespace
}  // namespace gravlab
