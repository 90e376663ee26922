// Bodies and pictures that exceed a limit of OpenGL: the picture and the body found are the same, and no call exceeds the
// limit.
#include "filled_buffer.h"
#include "gl_fixture.h"
#include "photograph_fixture.h"
#include "picture_difference.h"
#include "render/centre_finder.h"
#include "render/nearest_bodies.h"
#include "render/picker.h"
#include "render/sprites.h"
#include "sim/api/errors.h"
#include "sim/core/random.h"
#include "small_gl.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace gravlab::test {
namespace {

using testing::IsEmpty;

/// A limit is reached by 16,384 bodies, a picture of 400 pixels or 1,048,576 bytes of another kind.
GlLimits lowLimits() {
    return {.storageBytes = std::size_t{1} << 20,
            .drawnBytes = std::size_t{1} << 18,
            .readBytes = std::size_t{1} << 20,
            .workGroups = 256,
            .pictureSide = 400,
            .viewportSide = 420,
            .spriteRadius = 32};
}

class GlLimitsTest : public GlTest {
protected:
    static constexpr std::size_t kBodies = 200'003;  // no multiple of anything
    void SetUp() override {
        GlTest::SetUp();
        renderer_->reusePictures(false);
        bodies_.resize(kBodies);
        for (std::size_t i = 0; i < kBodies; ++i) {
            const auto part = [i](std::uint64_t axis) { return static_cast<float>(2 * hash01(4 * i + axis) - 1); };
            bodies_[i] = {part(0), part(1), part(2), 0.5f + 0.5f * part(3)};
        }
        look.colourMap = 0;
        look.pointSize = 0.004f;
    }
    void TearDown() override {
        ComputeSprites::setMany({});
        GlTest::TearDown();
    }
    std::vector<BodyTrait> traits() const {
        std::vector<BodyTrait> all(kBodies);
        for (std::size_t i = 0; i < kBodies; ++i) all[i] = {static_cast<float>(i % 101) / 101, i % 5 ? 0.5f : -2.0f};
        return all;
    }
    /// The result of `find` with this machine's limits and with low ones, which no call may exceed.
    template <class Find>
    auto bothWays(const Find& find) {
        auto here = find();
        const SmallGl small(lowLimits());
        auto there = find();
        EXPECT_THAT(SmallGl::violations(), IsEmpty());
        return std::pair(std::move(here), std::move(there));
    }
    std::vector<ParticleVertex> bodies_;
};

TEST_F(GlLimitsTest, ThoseOfThisMachineAreTheDriversOwn) {
    GLint texture = 0, viewport[2] = {0, 0};
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    GLint64 storage = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &storage);
    EXPECT_EQ(glLimits().pictureSide, std::min({texture, viewport[0], viewport[1]}));
    EXPECT_EQ(glLimits().viewportSide, std::min(viewport[0], viewport[1]));
    EXPECT_LE(static_cast<GLint64>(glLimits().storageBytes), storage);
    EXPECT_GE(glLimits().storageBytes, std::size_t{1} << 27) << "the least that the standard allows";
}

TEST_F(GlLimitsTest, ASmallOneSeesWhatExceedsIt) {
    // The comparisons below must be able to fail.
    const SmallGl small(lowLimits(), 64);
    const Buffer large;
    allocate(large, std::size_t{2} << 20, nullptr, 0, "a test");
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, large.id());
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, large.id(), 0, 2 << 20);
    const VertexArray array;
    glVertexArrayVertexBuffer(array.id(), 0, large.id(), 0, 80);
    glViewport(0, 0, 500, 20);
    EXPECT_EQ(SmallGl::violations().size(), 4u);
    unbindStorage({0});
}

TEST_F(GlLimitsTest, LightIsTheSame) {
    const FilledBuffer buffer(bodies_);
    const auto lightOf = [&] {
        OffscreenTarget target(200, 120);
        renderer_->draw(buffer, camera, look, target.framebuffer(), 200, 120);
        std::vector<float> rgba(std::size_t{4} * 200 * 120);
        glGetTextureImage(renderer_->lightTexture(), 0, GL_RGBA, GL_FLOAT, static_cast<GLsizei>(4 * rgba.size()),
                          rgba.data());
        return rgba;
    };
    renderer_->setTraits(traits());
    for (const bool useTraits : {false, true})
        for (const DrawMethodRequest way : {DrawMethodRequest::raster, DrawMethodRequest::compute})
            for (const std::size_t pointsFrom : {std::size_t{1}, std::size_t{1} << 30}) {
                look.useTraits = useTraits;
                renderer_->requestDrawMethod(way);
                ComputeSprites::setMany({.pointsFrom = pointsFrom});
                const auto [here, there] = bothWays(lightOf);
                ASSERT_GT(*std::max_element(here.begin(), here.end()), 0);
                double worst = 0;
                for (std::size_t i = 0; i < here.size(); ++i)
                    worst = std::max(worst, static_cast<double>(std::abs(here[i] - there[i])) /
                                                std::max(static_cast<double>(here[i]), 1e-3));
                EXPECT_LT(worst, 1e-3) << "traits " << useTraits << ", way " << static_cast<int>(way);
                if (way == DrawMethodRequest::compute) {
                    EXPECT_EQ(renderer_->path().path(), DrawMethod::compute);
                }
            }
}

TEST_F(GlLimitsTest, DensitiesAreTheSame) {
    const FilledBuffer buffer(bodies_);
    renderer_->setTraits(traits());
    renderer_->setMasses(std::vector<float>(kBodies, 1));
    const auto [here, there] = bothWays([&] {
        EXPECT_TRUE(renderer_->measureDensity(buffer, 4));
        renderer_->sampleValues(buffer, true);
        std::vector<float> values;
        EXPECT_TRUE(renderer_->takeValues(values, true));
        return values;
    });
    // A smaller table has coarser cubes, so a single body's value differs; the mean is that of the box.
    ASSERT_EQ(here.size(), there.size());
    const auto middle = [](std::vector<float> values) {
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        return static_cast<double>(values[values.size() / 2]);
    };
    EXPECT_NEAR(middle(there) / (kBodies / 8.0), 1, 0.15);
    EXPECT_NEAR(middle(there) / middle(here), 1, 0.15);
}

TEST_F(GlLimitsTest, TheSameBodiesAreFound) {
    const FilledBuffer buffer(bodies_);
    const glm::vec2 size(400, 300);
    const glm::mat4 clipFromWorld = camera.projection(size.x / size.y) * camera.view();
    const auto [picked, pickedBySmall] = bothWays([&] {
        Picker picker;
        std::vector<std::optional<std::size_t>> found;
        for (int k = 0; k < 20; ++k) {
            const float part = static_cast<float>(k) / 20;
            picker.ask(buffer, clipFromWorld, {40 + 320 * part, 250 - 200 * part}, size, 6);
            EXPECT_TRUE(picker.take(found.emplace_back(), true));
        }
        return found;
    });
    EXPECT_EQ(picked, pickedBySmall);
    EXPECT_GT(std::count_if(picked.begin(), picked.end(), [](const auto& body) { return body.has_value(); }), 10);
    const auto [near, nearBySmall] = bothWays([&] {
        NearestBodies finder;
        std::vector<std::pair<std::size_t, float>> found;
        for (const std::size_t body : {std::size_t{0}, std::size_t{70'000}, kBodies - 1}) {
            finder.ask(buffer, body);
            std::vector<NearBody> nearest;
            EXPECT_TRUE(finder.take(nearest, true));
            for (const NearBody& n : nearest) found.emplace_back(n.index, n.distance);
        }
        return found;
    });
    EXPECT_EQ(near, nearBySmall);
    EXPECT_EQ(near.size(), 3 * NearestBodies::kMost);
}

TEST_F(GlLimitsTest, TheCentreIsTheSame) {
    const FilledBuffer buffer(bodies_);
    std::vector<BodyTag> tags(kBodies);
    for (std::size_t i = 0; i < kBodies; ++i) tags[i] = {bodies_[i].x > 0.5f ? 3.0f : 1.0f, static_cast<float>(i % 2)};
    CentreFinder finder;
    finder.setTags(tags);
    for (const int galaxy : {-1, 0, 1})
        for (const float radius : {0.0f, 0.4f}) {
            const auto [here, there] = bothWays([&] {
                finder.ask(buffer, galaxy, {0.1f, 0.2f, 0}, radius);
                glm::vec3 centre(1e9f);
                EXPECT_TRUE(finder.take(centre, true));
                return centre;
            });
            for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(here[axis], there[axis], 1e-4f) << galaxy << ", " << radius;
        }
}

TEST_F(GlLimitsTest, TrailsStayWithinWhatAShaderReads) {
    const FilledBuffer buffer({bodies_.data(), 10'000});
    look.trails = 40;
    const SmallGl small(lowLimits());
    for (int k = 0; k < 10; ++k) renderer_->recordTrail(buffer, look);
    OffscreenTarget target(200, 120);
    renderer_->draw(buffer, camera, look, target.framebuffer(), 200, 120);
    EXPECT_THAT(SmallGl::violations(), IsEmpty());
}

TEST_F(GlLimitsTest, LargeBodiesStayWithinTheViewport) {
    look.pointSize = 0.5f;
    const FilledBuffer buffer({bodies_.data(), 50});
    const SmallGl small(lowLimits());
    for (const DrawMethodRequest way : {DrawMethodRequest::raster, DrawMethodRequest::compute}) {
        renderer_->requestDrawMethod(way);
        OffscreenTarget target(400, 400);
        renderer_->draw(buffer, camera, look, target.framebuffer(), 400, 400);
    }
    EXPECT_THAT(SmallGl::violations(), IsEmpty());
    EXPECT_THROW(OffscreenTarget(401, 100), UsageError);
}

TEST_F(GlLimitsTest, PicturesAreOneCopyOrRefused) {
    GlLimits limits = lowLimits();
    limits.readBytes = 4 * 300 * 300;
    const SmallGl small(limits);
    OffscreenTarget target(300, 300);
    renderer_->draw(FilledBuffer({bodies_.data(), 50}), camera, look, target.framebuffer(), 300, 300);
    EXPECT_EQ(target.read().size(), std::size_t{3} * 300 * 300);
    EXPECT_THAT(SmallGl::violations(), IsEmpty());
    EXPECT_THROW(OffscreenTarget(301, 300), UsageError);
}

decltype(glad_glNamedBufferStorage) givenStorage = nullptr;
constexpr GLsizeiptr kRefused = 16 * 203 * 121;  // sums of light of a picture of that size

void GLAPIENTRY refuseSums(GLuint buffer, GLsizeiptr bytes, const void* data, GLbitfield flags) {
    if (bytes != kRefused) givenStorage(buffer, bytes, data, flags);
}

TEST_F(GlLimitsTest, WithoutMemoryForSumsTheRasteriserDraws) {
    store({bodies_.begin(), bodies_.begin() + 3000});
    renderer_->requestDrawMethod(DrawMethodRequest::raster);
    const std::vector<std::uint8_t> raster = shown(203, 121);
    renderer_->requestDrawMethod(DrawMethodRequest::compute);
    givenStorage = std::exchange(glad_glNamedBufferStorage, refuseSums);
    const std::vector<std::uint8_t> first = shown(203, 121), second = shown(203, 121);
    glad_glNamedBufferStorage = givenStorage;
    EXPECT_EQ(second, raster);
    EXPECT_TRUE(compare(first, raster).small());
    EXPECT_EQ(renderer_->path().path(), DrawMethod::raster);
    EXPECT_THAT(renderer_->path().why(), testing::HasSubstr("because OpenGL has no"));
}

class PhotographLimitsTest : public PhotographTest {};

TEST_F(PhotographLimitsTest, AttitudesComeFromASampleWhateverTheStride) {
    // 18,000 bodies ten times over: every sixth is drawn. A stride of 64 bytes would allow every fourth.
    std::vector<ParticleVertex> bodies;
    std::vector<BodyTrait> traits;
    for (int k = 0; k < 10; ++k) {
        bodies.insert(bodies.end(), bodies_.begin(), bodies_.end());
        traits.insert(traits.end(), traits_.begin(), traits_.end());
    }
    look.brightness /= 10;
    look.photograph.dust = 1;
    camera.elevation = 0.5f;
    store(bodies);
    renderer_->setTraits(traits);
    const std::vector<std::uint8_t> here = picture();
    const SmallGl small(lowLimits(), 64);
    const std::vector<std::uint8_t> there = picture();
    EXPECT_THAT(SmallGl::violations(), IsEmpty());
    EXPECT_TRUE(compare(here, there).small());
}

TEST_F(PhotographLimitsTest, FourMillionBodiesAndMoreAreAPhotograph) {
    // The stride from one body of the sample to the next would be 2,064 bytes, and OpenGL guarantees only 2,048.
    constexpr std::size_t kMany = 128 * 32768 + 1;
    std::vector<ParticleVertex> bodies(kMany);
    std::vector<BodyTrait> traits(kMany);
    for (std::size_t i = 0; i < kMany; ++i) {
        bodies[i] = bodies_[i % bodies_.size()];
        traits[i] = traits_[i % traits_.size()];
    }
    look.brightness *= static_cast<float>(bodies_.size()) / static_cast<float>(kMany);
    camera.elevation = 0.5f;
    look.photograph.dust = 1;
    store(bodies);
    renderer_->setTraits(traits);
    const std::vector<std::uint8_t> rgb = picture();
    EXPECT_GT(*std::max_element(rgb.begin(), rgb.end()), 100);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

}  // namespace
}  // namespace gravlab::test
