// The picture of all pairs beside a run: every change of the run changes the picture, also while time stands still.
#include "app/frontends/headless/headless.h"
#include "app/view/app.h"
#include "edits.h"
#include "sim/forces/law.h"
#include "tests/written.h"

#include <gtest/gtest.h>

namespace gravlab::test {
namespace {

class MatrixOfASession : public ::testing::Test {
protected:
    MatrixOfASession() {
        app_ = std::make_unique<App>(StartOptions{
            .simulation = {.scene = "plummer", .bodies = 64, .backend = "cpu", .backendOptions = {.threads = 1}}});
        written(*app_).labPanel.open = true;
        written(*app_).labPanel.page = LabPage::matrix;
        written(*app_).intent.paused = true;
        frame();
    }
    void frame() {
        app_->apply();
        app_->advance(false);
    }
    static std::vector<std::uint8_t> pictureOf(const PairMatrix& matrix) {
        return {matrix.picture().begin(), matrix.picture().end()};
    }
    std::vector<std::uint8_t> shown() const { return pictureOf(app_->services.lab.matrix); }
    /// The expected picture of the present bodies and law.
    std::vector<std::uint8_t> wanted() {
        ParticleSet bodies = app_->runs.simulation().bodies();
        PairMatrix matrix;
        matrix.compute(bodies.position, app_->runs.simulation().force());
        return pictureOf(matrix);
    }
    HeadlessContext context_;
    std::unique_ptr<App> app_;
    test::Edits edits_;
};

TEST_F(MatrixOfASession, isPaintedAnewAfterEveryChangeAtOneStep) {
    ASSERT_EQ(shown(), wanted());
    const auto changes = [&](const char* what, auto change) {
        SCOPED_TRACE(what);
        const std::vector<std::uint8_t> before = shown();
        change(written(*app_).intent);
        frame();
        EXPECT_EQ(app_->document.message, "");
        EXPECT_EQ(app_->document.facts.step, 0);
        EXPECT_EQ(app_->document.facts.configuration.bodies, 64u);
        ASSERT_NE(wanted(), before) << "a change that changes nothing proves nothing";
        EXPECT_TRUE(shown() == wanted());
    };
    changes("seed", [](Intent& intent) { ++intent.request.seed; });
    changes("softening", [](Intent& intent) { intent.request.softening = 0.9; });
    changes("law", [](Intent& intent) {
        intent.request.law = kLaw<PowerLaw>;
        intent.request.lawNumbers.exponent = 1;
    });
    changes("scene", [](Intent& intent) { intent.request.changeScene("disc"); });
}

TEST_F(MatrixOfASession, isPaintedAnewAfterEditsThatLeaveTheNumber) {
    const std::vector<std::uint8_t> before = shown();
    written(*app_).labPanel.open = false;  // the lab is hidden meanwhile
    written(*app_).select(5);
    edits_.make(*app_, "remove");
    frame();
    edits_.make(*app_, "drop-star");
    frame();
    written(*app_).labPanel.open = true;
    frame();
    ASSERT_EQ(app_->document.facts.configuration.bodies, 64u);
    ASSERT_NE(wanted(), before);
    EXPECT_TRUE(shown() == wanted());
}

}  // namespace
}  // namespace gravlab::test
