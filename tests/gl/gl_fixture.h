// A headless context and a handful of bodies to draw. Skips with a message where there is no OpenGL.
#pragma once
#include "app/frontends/headless/headless.h"
#include "render/particle_buffer.h"
#include "render/particle_renderer.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace gravlab::test {

/// Linear light of a whole picture, bottom row first.
struct Light {
    int width = 0, height = 0;
    std::vector<float> rgba;
    const float* at(int x, int y) const {
        return &rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))];
    }
    double sum(int channel = 0) const {
        double total = 0;
        for (std::size_t i = static_cast<std::size_t>(channel); i < rgba.size(); i += 4) total += rgba[i];
        return total;
    }
};

/// Reports of OpenGL that the running test causes on purpose.
inline std::size_t expectedGlErrors = 0;

class GlTest : public ::testing::Test {
protected:
    void SetUp() override {
        context_ = std::make_unique<HeadlessContext>();
        renderer_ = std::make_unique<ParticleRenderer>();
        buffer_ = makeHostParticleBuffer();
        look.pointSize = 0.05f;
        look.colourMap = 4;  // plain
        look.bloom = 0;
        camera.azimuth = 0.4f;
    }
    void TearDown() override {
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        buffer_.reset();
        renderer_.reset();
        context_.reset();
    }

    void store(const std::vector<ParticleVertex>& bodies) {
        const VertexSpan span = buffer_->open(bodies.size(), nullptr);
        std::copy(bodies.begin(), bodies.end(), span.data);
        buffer_->close(nullptr);
    }
    /// The picture on the display, top row first.
    std::vector<std::uint8_t> shown(int width, int height) {
        OffscreenTarget target(width, height);
        renderer_->draw(*buffer_, camera, look, target.framebuffer(), width, height);
        return target.read();
    }
    Light light(int width, int height) {
        OffscreenTarget target(width, height);
        renderer_->draw(*buffer_, camera, look, target.framebuffer(), width, height);
        Light result{width, height,
                     std::vector<float>(static_cast<std::size_t>(4) * static_cast<std::size_t>(width) *
                                        static_cast<std::size_t>(height))};
        glGetTextureImage(renderer_->lightTexture(), 0, GL_RGBA, GL_FLOAT,
                          static_cast<GLsizei>(result.rgba.size() * sizeof(float)), result.rgba.data());
        return result;
    }

    Camera camera;
    Look look;
    std::unique_ptr<HeadlessContext> context_;
    std::unique_ptr<ParticleRenderer> renderer_;
    std::unique_ptr<ParticleBuffer> buffer_;
};

}  // namespace gravlab::test
