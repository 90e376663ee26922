// Pictures beside the window: of another size without rebuilding the window's, in tiles when they are large, and a message
// when memory is too short.
#include "app/frontends/headless/picture_copy.h"
#include "app/session/recorder.h"
#include "app/system/picture.h"
#include "app/ui/ui.h"
#include "gl_fixture.h"
#include "picture_difference.h"
#include "small_gl.h"
#include "tests/scarce_memory.h"
#include "tests/surroundings.h"
#include "tests/written.h"

#include <gmock/gmock.h>

#include <unistd.h>
#include <filesystem>

namespace gravlab::test {
namespace {

using testing::HasSubstr;

int texturesMade = 0;
decltype(glad_glTextureStorage2D) realTextureStorage = nullptr;
decltype(glad_glNamedBufferStorage) realBufferStorage = nullptr;
GLsizeiptr refusedBytes = 0;

void GLAPIENTRY countTexture(GLuint texture, GLsizei levels, GLenum format, GLsizei width, GLsizei height) {
    ++texturesMade;
    realTextureStorage(texture, levels, format, width, height);
}
void GLAPIENTRY refuseBuffer(GLuint buffer, GLsizeiptr bytes, const void* data, GLbitfield flags) {
    if (bytes != refusedBytes) realBufferStorage(buffer, bytes, data, flags);
}

TEST_F(GlTest, AFilmOfAnotherSizeMakesNoPictureAnew) {
    store({{0, 0, 0, 0}, {0.3f, 0.4f, 0, 0}, {-0.5f, 0.2f, 0.1f, 0}});
    look.bloom = 0.4f;
    look.photograph = {.on = true, .scale = 0.2f};
    renderer_->reusePictures(false);
    OffscreenTarget window(320, 200), film(400, 240);
    const auto frame = [&] {
        renderer_->draw(*buffer_, camera, look, window.framebuffer(), 320, 200);
        renderer_->drawAgain(*buffer_, camera, look, film.framebuffer(), 400, 240);
    };
    frame();
    const std::vector<std::uint8_t> shownFirst = window.read(), filmedFirst = film.read();
    realTextureStorage = std::exchange(glad_glTextureStorage2D, countTexture);
    texturesMade = 0;
    for (int i = 0; i < 5; ++i) frame();
    EXPECT_EQ(texturesMade, 0) << "in five frames";
    EXPECT_EQ(window.read(), shownFirst);
    EXPECT_EQ(film.read(), filmedFirst);
    // The film's picture equals that of a window of its size.
    renderer_->draw(*buffer_, camera, look, film.framebuffer(), 400, 240);
    EXPECT_GT(texturesMade, 0) << "what counts them works";
    EXPECT_TRUE(compare(film.read(), filmedFirst).small());
    glad_glTextureStorage2D = realTextureStorage;
}

class BesideTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("gravlab_beside_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
        app_ = std::make_unique<App>(StartOptions{.simulation = {.scene = "plummer", .bodies = 300, .backend = "cpu"}});
        ui_ = std::make_unique<Ui>(1.0f, context_.description(), *app_);
        app_->apply();
        app_->draw(window_.framebuffer(), kWide, kHigh);
        ui_->setSurface(kWide, kHigh, 1.0 / 60);
        ui_->frame(*app_);
        ui_->draw();
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void take(int width, int height) {
        written(*app_).ui.pictureWidth = width;
        written(*app_).ui.pictureHeight = height;
        written(*app_).dismissMessage();
        takePicture(*app_, *ui_, kWide, kHigh, context_.description(), file()).now();
    }
    std::string file() const { return (folder_ / "picture.png").string(); }

    static constexpr int kWide = 320, kHigh = 200;
    HeadlessContext context_;
    OffscreenTarget window_{kWide, kHigh};
    std::unique_ptr<App> app_;
    std::unique_ptr<Ui> ui_;
    std::filesystem::path folder_;
};

TEST_F(BesideTest, ALargePictureIsDrawnInParts) {
    constexpr int kLargeWide = 1600, kLargeHigh = 1000;
    take(kLargeWide, kLargeHigh);
    ASSERT_THAT(app_->document.message, HasSubstr("was written to"));
    const Picture whole = readPng(file());
    // An OpenGL that draws at most 2,600 pixels at once has tiles of 532.
    GlLimits limits = glLimits();
    limits.pictureSide = limits.viewportSide = 2600;
    const SmallGl small(limits);
    take(kLargeWide, kLargeHigh);
    EXPECT_THAT(app_->document.message, HasSubstr("was written to"));
    EXPECT_THAT(SmallGl::violations(), testing::IsEmpty());
    const Picture parts = readPng(file());
    EXPECT_EQ(parts.width, kLargeWide);
    EXPECT_EQ(parts.height, kLargeHigh);
    EXPECT_TRUE(compare(parts.rgb, whole.rgb).small());
    take(2601, 400);
    EXPECT_THAT(app_->document.message, HasSubstr("was written to")) << "no texture is that wide";
}

TEST_F(BesideTest, APictureWithoutMemoryIsAMessage) {
    {
        const ScarceMemory scarce(std::size_t{3} * 641 * 367);
        ASSERT_NO_THROW(take(641, 367));
        ASSERT_TRUE(scarce.refused());
    }
    EXPECT_THAT(app_->document.message, HasSubstr("not enough memory for a picture of 641x367"));
    EXPECT_FALSE(std::filesystem::exists(file()));
    realBufferStorage = std::exchange(glad_glNamedBufferStorage, refuseBuffer);
    refusedBytes = GLsizeiptr{4} * 641 * 367;
    EXPECT_NO_THROW(take(641, 367));
    glad_glNamedBufferStorage = realBufferStorage;
    EXPECT_THAT(app_->document.message, HasSubstr("OpenGL has no"));
    EXPECT_THAT(app_->document.message, HasSubstr("choose fewer bodies or a smaller picture"));
    take(641, 367);
    EXPECT_THAT(app_->document.message, HasSubstr("was written to"));
}

TEST_F(BesideTest, AFilmWithoutMemoryIsAMessage) {
    const CurrentFolder here(folder_);
    FilmState& film = written(*app_).ui.film;
    film.width = 640;
    film.height = 366;
    film.encoder = "png";
    Recorder recorder;
    const auto start = [&] {
        return recorder.carryOut(Record{Record::What::start}, Ticket{}, *app_, {0, kWide, kHigh, context_.description()});
    };
    realBufferStorage = std::exchange(glad_glNamedBufferStorage, refuseBuffer);
    refusedBytes = GLsizeiptr{4} * 640 * 366;
    EXPECT_EQ(start().status, CommandStatus::failed);
    glad_glNamedBufferStorage = realBufferStorage;
    EXPECT_THAT(app_->document.message, HasSubstr("No film: OpenGL has no"));
    EXPECT_FALSE(film.active);
    // In the middle of a film: it ends with its present frames.
    EXPECT_EQ(start().status, CommandStatus::running);
    recorder.prepare(*app_);
    ASSERT_TRUE(film.active) << app_->document.message;
    recorder.update(*app_);
    const auto step = [&] {
        app_->runs.mostSteps = 1000;
        app_->advance(false);
        app_->draw(window_.framebuffer(), kWide, kHigh);
        recorder.prepare(*app_);
    };
    bool refused = false;
    for (int i = 0; i < 5 && !refused; ++i) {
        step();
        const ScarceMemory scarce(std::size_t{3} * 640 * 366);
        EXPECT_NO_THROW(recorder.update(*app_));
        refused = scarce.refused();
    }
    EXPECT_TRUE(refused);
    EXPECT_THAT(app_->document.message, HasSubstr("The film ends with the frames it has"));
}

}  // namespace
}  // namespace gravlab::test
