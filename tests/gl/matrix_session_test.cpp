// The picture of all pairs beside a run: every change of the run is one of the picture, also while time stands still.
#include "app/frontends/headless/headless.h"
#include "app/session/frame_loop.h"

#include <gtest/gtest.h>

namespace gravlab::test {
namespace {

class MatrixOfASession : public ::testing::Test {
protected:
    MatrixOfASession() {
        Options options;
        options.simulation.scene = "plummer";
        options.simulation.bodies = 64;
        options.simulation.backend = "cpu";
        options.simulation.backendOptions.threads = 1;
        session_ = std::make_unique<Session>(options);
        session_->lab.open = true;
        session_->lab.page = LabPage::matrix;
        session_->intent.paused = true;
        frame();
    }
    void frame() {
        session_->apply();
        session_->advance(false);
    }
    static std::vector<std::uint8_t> pictureOf(const PairMatrix& matrix) {
        return {matrix.picture().begin(), matrix.picture().end()};
    }
    std::vector<std::uint8_t> shown() const { return pictureOf(session_->lab.matrix); }
    /// Of the bodies and the law as they are.
    std::vector<std::uint8_t> wanted() {
        ParticleSet bodies;
        session_->simulation().snapshot(bodies);
        PairMatrix matrix;
        matrix.compute(bodies.position, session_->simulation().force());
        return pictureOf(matrix);
    }
    HeadlessContext context_;
    std::unique_ptr<Session> session_;
};

TEST_F(MatrixOfASession, isPaintedAnewAfterEveryChangeAtOneStep) {
    ASSERT_EQ(shown(), wanted());
    const auto changes = [&](const char* what, auto change) {
        SCOPED_TRACE(what);
        const std::vector<std::uint8_t> before = shown();
        change(session_->intent);
        frame();
        EXPECT_EQ(session_->message(), "");
        EXPECT_EQ(session_->facts().step, 0);
        EXPECT_EQ(session_->facts().configuration.bodies, 64u);
        ASSERT_NE(wanted(), before) << "a change that changes nothing proves nothing";
        EXPECT_TRUE(shown() == wanted());
    };
    changes("seed", [](Intent& intent) { ++intent.request.seed; });
    changes("softening", [](Intent& intent) { intent.request.softening = 0.9; });
    changes("law", [](Intent& intent) {
        intent.request.law = Law::powerLaw;
        intent.request.exponent = 1;
    });
    changes("scene", [](Intent& intent) { intent.request.changeScene("disc"); });
}

TEST_F(MatrixOfASession, isPaintedAnewAfterEditsThatLeaveTheNumber) {
    const std::vector<std::uint8_t> before = shown();
    session_->lab.open = false;  // meanwhile it is not looked at
    session_->select(5);
    session_->intent.touch = Touch::remove;
    frame();
    session_->intent.touch = Touch::dropStar;
    frame();
    session_->lab.open = true;
    frame();
    ASSERT_EQ(session_->facts().configuration.bodies, 64u);
    ASSERT_NE(wanted(), before);
    EXPECT_TRUE(shown() == wanted());
}

}  // namespace
}  // namespace gravlab::test
