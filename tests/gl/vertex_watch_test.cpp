// Very many bodies: one that is not finite any more, or too far for single precision, is found among all of them.
#include "app/frontends/headless/headless.h"
#include "app/services/non_finite_monitor.h"
#include "app/view/app.h"
#include "gl_fixture.h"
#include "render/vertex_sample.h"
#include "sim/forces/single_precision.h"
#include "tests/written.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace gravlab::test {
namespace {

class ManyBodiesWatch : public GlTest {
protected:
    /// Looks once at every part.
    bool found(VertexWatch& watch, float farthest) {
        const std::size_t parts = (buffer_->frontCount() + VertexWatch::kBodies - 1) / VertexWatch::kBodies;
        bool out = watch.look(*buffer_, farthest);
        for (std::size_t i = 0; i < parts; ++i) {
            glFinish();
            out |= watch.look(*buffer_, farthest);
        }
        return out;
    }
};

TEST_F(ManyBodiesWatch, findsAnyVertexThatIsOutOfRange) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity(), kLargest = std::numeric_limits<float>::max();
    std::vector<ParticleVertex> bodies(2 * VertexWatch::kBodies + 100, ParticleVertex{1, -2, 3e18f, kInfinity});
    store(bodies);
    VertexWatch watch;
    for (int turn = 0; turn < 3; ++turn) EXPECT_FALSE(found(watch, 5e18f)) << "the value that colours show is none of it";
    for (const std::size_t at : {std::size_t{0}, VertexWatch::kBodies, bodies.size() - 1})
        for (const float bad : {std::nanf(""), kInfinity, -kInfinity, 6e18f, -6e18f})
            for (float ParticleVertex::*axis : {&ParticleVertex::x, &ParticleVertex::y, &ParticleVertex::z}) {
                std::vector<ParticleVertex> some = bodies;
                some[at].*axis = bad;
                store(some);
                found(watch, 5e18f);  // what was under way is of the bodies before
                EXPECT_TRUE(found(watch, 5e18f)) << at << " " << bad;
                EXPECT_EQ(found(watch, kLargest), !std::isfinite(bad)) << at << " " << bad;
            }
}

TEST_F(ManyBodiesWatch, namesABodyThatFliesTooFarForSinglePrecision) {
    StartOptions options{.simulation = {.scene = "plummer", .bodies = StateFeed::kMostUnfelt + 1, .backend = "cpu"}};
    options.simulation.pairs().accuracy = 0.01;
    options.simulation.timeStep = 1e-3;
    App app(options);
    ASSERT_EQ(app.document.facts.configuration.force.precision, Precision::fp32);
    Simulation& simulation = app.runs.simulation();
    StateFeed& feed = app.runs.first().feed();
    NonFiniteMonitor guard;
    OffscreenTarget target(64, 64);
    const auto frames = [&](int count) {
        std::optional<NonFiniteState> bad;
        for (int i = 0; i < count && !bad; ++i) {
            app.view.draw(written(app), app.runs, target.framebuffer(), 64, 64, true);
            glFinish();
            feed.serve(simulation);
            bad = guard.update(simulation, feed, app.view.outOfRange());
        }
        return bad;
    };
    EXPECT_FALSE(frames(8));
    ParticleSet bodies = simulation.bodies();
    constexpr std::size_t kFlies = 65535;
    bodies.velocity[kFlies].x = 1e22;
    simulation.load(bodies);
    for (const std::int64_t begun = simulation.step(); simulation.step() == begun;) {
        app.runs.mostSteps = 1;
        app.advance(false);
    }
    const std::optional<NonFiniteState> bad = frames(200);
    ASSERT_TRUE(bad);
    EXPECT_EQ(bad->body, kFlies);
    EXPECT_NEAR(bad->distance / 1e19, 1, 0.1);
    EXPECT_THAT(bad->text(),
                testing::HasSubstr("Body 65535 has a coordinate of 1e+19, too far for forces in single precision"));
    EXPECT_FALSE(guard.lastGood()) << "no copy of very many bodies is kept";
}

}  // namespace
}  // namespace gravlab::test
