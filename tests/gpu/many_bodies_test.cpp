// Pictures of six, ten and a hundred million bodies in every colour mode: no error of OpenGL, and the light of all bodies.
#include "app/frontends/headless/headless.h"
#include "app/system/picture.h"
#include "app/tables/colour_mode.h"
#include "gpu_fixture.h"
#include "render/centre_finder.h"
#include "render/finish_drawing.h"
#include "render/gl_limits.h"
#include "render/nearest_bodies.h"
#include "render/particle_renderer.h"
#include "render/picker.h"
#include "render/stage_timer.h"
#include "sim/core/random.h"
#include "tests/command_output.h"
#include "tests/gl/filled_buffer.h"
#include "tests/paths.h"

#include <gmock/gmock.h>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <thread>

namespace gravlab::test {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kPool = 65'536;  // bodies whose facts are computed; all others repeat them
constexpr int kManyWidth = 1920, kManyHeight = 1080;

/// Calls `each(first, last)` for ranges of all, on all threads.
void byAllThreads(std::size_t count, const std::function<void(std::size_t, std::size_t)>& each) {
    const std::size_t parts = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 32);
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < parts; ++k)
        threads.emplace_back([&, k] { each(count * k / parts, count * (k + 1) / parts); });
}

class ManyBodiesGpu : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        debugContexts() = true;
        context_ = std::make_unique<HeadlessContext>(0);
        if (!(context_->description().find("NVIDIA") != std::string::npos)) {
            if (gpuRequired()) FAIL() << "OpenGL is not on the GPU: " << context_->description();
            GTEST_SKIP() << "no picture of many bodies was drawn: OpenGL is not on the GPU: " << context_->description();
        }
        errors_ = glErrorCount();
        renderer_ = std::make_unique<ParticleRenderer>();
        renderer_->reusePictures(false);
        renderer_->requestDrawMethod(DrawMethodRequest::automatic);
    }
    void TearDown() override {
        if (renderer_) {
            EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
            EXPECT_EQ(glErrorCount(), errors_);
        }
        buffer_.reset();
        renderer_.reset();
        context_.reset();
        debugContexts() = false;
        GpuTest::TearDown();
    }
    /// A disc with a bulge, in memory of the device. False, with a reason, when memory is too short.
    bool fill(std::size_t count) {
        std::vector<ParticleVertex> bodies;
        try {
            bodies.resize(count);
        } catch (const std::bad_alloc&) {
            why_ = "no host memory for " + std::to_string(count) + " bodies";
            return false;
        }
        byAllThreads(count, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const auto part = [i](std::uint64_t axis) { return static_cast<float>(hash01(4 * i + axis)); };
                const float radius = (i % 8 == 0 ? 0.15f : 1.2f) * std::sqrt(part(0)),
                            angle = 2 * std::numbers::pi_v<float> * part(1);
                bodies[i] = {radius * std::cos(angle), radius * std::sin(angle), 0.05f * (part(2) - 0.5f), 0.1f + part(3)};
            }
        });
        try {
            buffer_ = std::make_unique<FilledBuffer>(bodies);
        } catch (const GlError& error) {
            why_ = error.what();
            return false;
        }
        facts_ = {};
        for (std::size_t i = 0; i < kPool; ++i) {
            facts_.id.push_back(static_cast<std::uint32_t>(i));
            facts_.group.push_back(static_cast<std::uint8_t>(i % 8 == 0 ? 1u << 6 : 0u));
            facts_.mass.push_back(1.0f + static_cast<float>(i % 7));
            facts_.motion.push_back(BodyMotion::free);
            facts_.aged.push_back(i % 3 == 0);
        }
        masses_.assign(count, 1.0f / static_cast<float>(count));
        return true;
    }
    /// Repeats the facts of the pool for all bodies, and sets the look of that mode.
    void dress(const ColourMode& mode) {
        const std::size_t count = buffer_->frontCount();
        const std::vector<BodyTrait> pool = mode.ofGroups  ? groupTraits(facts_, {}, {}, 0)
                                            : mode.ofDepth ? depthTraits(facts_, {}, {})
                                                           : bodyTraits(mode, facts_);
        std::vector<BodyTrait> traits(pool.empty() ? 0 : count);
        byAllThreads(traits.size(), [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) traits[i] = pool[i % kPool];
        });
        renderer_->setTraits(traits);
        if (mode.ofDensity) {
            renderer_->setMasses(masses_);
            EXPECT_TRUE(renderer_->measureDensity(*buffer_, 3));
        }
        look_ = {};
        look_.pointSize = 0.004f;
        look_.brightness = 2e5f / static_cast<float>(count);
        look_.logarithmic = mode.logarithmic;
        look_.useTraits = mode.ofTraits;
        look_.colourMap = mapOf(mode, 0);
        look_.photograph.on = mode.photograph;
        look_.photograph.scale = 0.2f;
        const ValueRange range = mode.ofTraits && !mode.ofDensity ? traitRange(mode, traits) : ValueRange{0.1, 1.1};
        look_.valueFloor = static_cast<float>(range.low);
        look_.valueScale = static_cast<float>(range.high);
        camera_.distance = 3.4f;
        camera_.elevation = 0.9f;
    }
    /// Red, green and blue of all pixels.
    std::vector<double> lightOf(const ParticleBuffer& buffer) {
        OffscreenTarget target(kManyWidth, kManyHeight);
        renderer_->draw(buffer, camera_, look_, target.framebuffer(), kManyWidth, kManyHeight);
        std::vector<float> rgba(std::size_t{4} * kManyWidth * kManyHeight);
        glGetTextureImage(renderer_->lightTexture(), 0, GL_RGBA, GL_FLOAT, static_cast<GLsizei>(4 * rgba.size()),
                          rgba.data());
        std::vector<double> sums(3, 0.0);
        for (std::size_t i = 0; i < rgba.size(); ++i)
            if (i % 4 < 3) sums[i % 4] += static_cast<double>(rgba[i]);
        return sums;
    }
    /// Median of the pictures' times [ms], once the way of drawing is chosen.
    double milliseconds() {
        OffscreenTarget target(kManyWidth, kManyHeight);
        std::vector<double> times;
        for (int frame = 0; frame < 120 && times.size() < 7; ++frame) {
            const bool measuring = renderer_->path().measuring();
            renderer_->draw(*buffer_, camera_, look_, target.framebuffer(), kManyWidth, kManyHeight);
            finishDrawing();
            for (const DrawTimes& time : renderer_->takeTimes())
                if (!measuring) times.push_back(time.milliseconds);
        }
        if (times.empty()) return -1;
        std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
        return times[times.size() / 2];
    }
    void drawsInEveryMode(std::size_t count) {
        if (!fill(count)) GTEST_SKIP() << "no picture of " << count << " bodies was drawn: " << why_;
        std::printf("%zu bodies at %dx%d, GPU time of a picture:", count, kManyWidth, kManyHeight);
        for (const ColourMode& mode : colourModes()) {
            dress(mode);
            const std::vector<double> sums = lightOf(*buffer_);
            // A mode of one colour may have no blue.
            EXPECT_TRUE(std::min({sums[0], sums[1], sums[2]}) >= 0 && std::isfinite(sums[0] + sums[1] + sums[2]) &&
                        std::max({sums[0], sums[1], sums[2]}) > 0)
                << mode.name << ": red, green, blue " << sums[0] << " " << sums[1] << " " << sums[2];
            const double time = milliseconds();
            RecordProperty(std::string(mode.name) + "_ms", std::to_string(time));
            std::printf(" %s %.2f ms,", std::string(mode.name).c_str(), time);
            EXPECT_EQ(glErrorCount(), errors_) << mode.name;
            EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)) << mode.name;
        }
        std::printf(" %s\n", renderer_->path().why().c_str());
    }

    std::unique_ptr<HeadlessContext> context_;
    std::unique_ptr<ParticleRenderer> renderer_;
    std::unique_ptr<ParticleBuffer> buffer_;
    gravlab::BodyFacts facts_;
    std::vector<float> masses_;
    Camera camera_;
    Look look_;
    std::string why_;
    std::size_t errors_ = 0;
};

TEST_F(ManyBodiesGpu, SixMillionInEveryColour) { drawsInEveryMode(6'000'000); }
TEST_F(ManyBodiesGpu, TenMillionInEveryColour) { drawsInEveryMode(10'000'000); }
TEST_F(ManyBodiesGpu, AHundredMillionInEveryColour) { drawsInEveryMode(100'000'000); }

TEST_F(ManyBodiesGpu, AdditionsOfTwoChannelsGiveTheBitsOfSingleOnes) {
    EXPECT_TRUE(glLimits().pairedSums) << "this driver adds to 64 bits of a buffer";
    const GlLimits limits = glLimits();
    for (const std::size_t count : {std::size_t{200'000}, std::size_t{10'000'000}}) {  // sprites and points
        std::array<std::vector<float>, 2> pictures;
        for (const bool paired : {false, true}) {
            GlLimits pretended = limits;
            pretended.pairedSums = paired;
            pretendGlLimits(pretended);
            renderer_ = std::make_unique<ParticleRenderer>();
            renderer_->requestDrawMethod(DrawMethodRequest::compute);
            if (!fill(count)) GTEST_SKIP() << why_;
            dress(colourModes().front());
            lightOf(*buffer_);
            pictures[paired ? 1 : 0].resize(std::size_t{4} * kManyWidth * kManyHeight);
            glGetTextureImage(renderer_->lightTexture(), 0, GL_RGBA, GL_FLOAT,
                              static_cast<GLsizei>(4 * pictures[paired ? 1 : 0].size()), pictures[paired ? 1 : 0].data());
        }
        pretendGlLimits(limits);
        EXPECT_TRUE(pictures[0] == pictures[1]) << count << " bodies";
    }
}

TEST_F(ManyBodiesGpu, AllOfThemGiveLight) {
    // The light of a hundred million bodies is a hundred times that of the first million.
    constexpr std::size_t kMost = 100'000'000, kFew = 1'000'000;
    for (const DrawMethodRequest way : {DrawMethodRequest::compute, DrawMethodRequest::raster}) {
        renderer_->requestDrawMethod(way);
        if (!fill(kFew)) GTEST_SKIP() << why_;
        dress(colourModes().front());
        const std::vector<double> few = lightOf(*buffer_);
        if (!fill(kMost)) GTEST_SKIP() << "no picture of " << kMost << " bodies was drawn: " << why_;
        dress(colourModes().front());
        const std::vector<double> many = lightOf(*buffer_);
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(many[c] / few[c], 1, 0.02) << "channel " << c;
    }
}

TEST_F(ManyBodiesGpu, TheLastOfAHundredMillionIsFound) {
    constexpr std::size_t kMost = 100'000'000;
    if (!fill(kMost)) GTEST_SKIP() << "nothing was found among " << kMost << " bodies: " << why_;
    // Far from all others, so that only this body is under the cursor.
    ParticleVertex alone{0, 0, 3, 0};
    const Buffer one;
    allocate(one, sizeof alone, &alone, 0, "a body");
    glCopyNamedBufferSubData(one.id(), buffer_->frontBuffer(), 0, static_cast<GLintptr>((kMost - 1) * sizeof alone),
                             sizeof alone);
    const glm::mat4 clipFromWorld = camera_.projection(1) * camera_.view();
    const glm::vec4 clip = clipFromWorld * glm::vec4(0, 0, 3, 1);
    Picker picker;
    picker.ask(*buffer_, clipFromWorld, {(0.5f + 0.5f * clip.x / clip.w) * 500, (0.5f - 0.5f * clip.y / clip.w) * 500},
               {500, 500}, 12);
    std::optional<std::size_t> body;
    ASSERT_TRUE(picker.take(body, true));
    EXPECT_EQ(body, kMost - 1);
    NearestBodies finder;
    finder.ask(*buffer_, kMost - 1);
    std::vector<NearBody> nearest;
    ASSERT_TRUE(finder.take(nearest, true));
    ASSERT_EQ(nearest.size(), NearestBodies::kMost);
    EXPECT_NEAR(nearest.front().distance, 3, 0.1);
    CentreFinder centres;
    centres.setTags(std::vector<BodyTag>(kMost));
    centres.ask(*buffer_, -1, {0, 0, 0}, 0);
    glm::vec3 centre(9);
    ASSERT_TRUE(centres.take(centre, true));
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(centre[axis], 0, 1e-3);
}

/// The program itself, just above the number of bodies at which a stride of the sample would exceed OpenGL's limit.
class ManyBodiesProgram : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        folder_ = std::filesystem::temp_directory_path() / ("gravlab_many_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override {
        std::filesystem::remove_all(folder_);
        GpuTest::TearDown();
    }
    void rendersAPhotograph(const std::string& arguments) {
        const std::string file = (folder_ / "picture.png").string();
        const std::string said = output(std::string(GRAVLAB_BINARY) + " render " + arguments +
                                        " --colour photograph --accuracy 1e-3 --backend cuda --size 640x360 --frames 1 -o " +
                                        file + " 2>&1; echo exit $?");
        EXPECT_THAT(said, HasSubstr("exit 0"));
        ASSERT_TRUE(std::filesystem::exists(file)) << said;
        EXPECT_GT(std::filesystem::file_size(file), 20'000u) << "a picture of one colour is smaller";
    }
    static constexpr std::size_t kJustTooMany = 4'300'000;
    std::filesystem::path folder_;
};

TEST_F(ManyBodiesProgram, AGalaxy) {
    if (IsSkipped()) return;
    rendersAPhotograph("galaxy -n " + std::to_string(kJustTooMany));
}

TEST_F(ManyBodiesProgram, ACluster) {
    if (IsSkipped()) return;
    rendersAPhotograph("plummer -n " + std::to_string(kJustTooMany));
}

TEST_F(ManyBodiesProgram, ATableOfOnesOwn) {
    if (IsSkipped()) return;
    const std::string table = (folder_ / "own.csv").string();
    {
        std::ofstream out(table);
        out << "m,x,y,z,vx,vy,vz\n";
        char line[96];
        for (std::size_t i = 0; i < kJustTooMany; ++i) {
            const auto part = [i](std::uint64_t axis) { return hash01(4 * i + axis) - 0.5; };
            std::snprintf(line, sizeof line, "1e-6,%.4f,%.4f,%.4f,0,0,0\n", part(0), part(1), part(2));
            out << line;
        }
    }
    rendersAPhotograph(table);
}

}  // namespace
}  // namespace gravlab::test
