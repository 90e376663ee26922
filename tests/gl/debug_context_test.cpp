// Every context of these tests reports OpenGL's complaints about the program, and any such report fails the test.
#include "gl_fixture.h"

namespace gravlab::test {
namespace {

class CleanOpenGl : public ::testing::EmptyTestEventListener {
    void OnTestStart(const ::testing::TestInfo&) override { before_ = glErrorCount(); }
    void OnTestEnd(const ::testing::TestInfo&) override {
        EXPECT_EQ(glErrorCount() - before_, std::exchange(expectedGlErrors, 0)) << "errors of OpenGL; stderr has their text";
    }
    std::size_t before_ = 0;
};

const bool glErrorsFailTests = [] {
    debugContexts() = true;
    ::testing::UnitTest::GetInstance()->listeners().Append(new CleanOpenGl);
    return true;
}();

TEST(DebugContext, CountsAMistake) {
    const HeadlessContext context;
    const std::size_t before = glErrorCount();
    glEnable(0xffff);
    EXPECT_EQ(glErrorCount(), before + 1);
    expectedGlErrors = 1;
    while (glGetError() != GL_NO_ERROR) {
    }
}

}  // namespace
}  // namespace gravlab::test
