// Kernels that store into OpenGL's buffers, and the copy that replaces them where they cannot. The test inspects the
// pictures.
#include "app/frontends/headless/headless.h"
#include "app/view/app.h"
#include "gpu_fixture.h"
#include "render/particle_buffer.h"
#include "render/particle_renderer.h"
#include "tests/written.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace gravlab::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Pictures after steps of the CUDA backend, through a buffer of either kind.
class Interop : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        context_ = std::make_unique<HeadlessContext>(0);
        renderer_ = std::make_unique<ParticleRenderer>();
        look_.pointSize = 0.05f;
        look_.colourMap = 4;
        look_.bloom = 0;
        camera_.azimuth = 0;
        camera_.elevation = 0;
    }
    void TearDown() override {
        renderer_.reset();
        context_.reset();
        GpuTest::TearDown();
    }
    /// A picture after `steps` frames of one step.
    std::vector<std::uint8_t> pictureAfter(Backend& backend, ParticleBuffer& buffer, int steps) {
        for (int step = 0; step < steps; ++step)
            backend.advance(integrator("leapfrog").program, 1e-3, {.steps = 1}, &buffer);
        OffscreenTarget target(320, 200);
        renderer_->draw(buffer, camera_, look_, target.framebuffer(), 320, 200);
        return target.read();
    }
    static std::size_t lit(const std::vector<std::uint8_t>& rgb) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < rgb.size(); i += 3) count += rgb[i] > 8 ? 1 : 0;
        return count;
    }

    std::unique_ptr<HeadlessContext> context_;
    std::unique_ptr<ParticleRenderer> renderer_;
    Camera camera_;
    Look look_;
};

TEST_F(Interop, aKnownBodyIsDrawnWhereItBelongs) {
    const std::unique_ptr<ParticleBuffer> buffer = makeCudaParticleBuffer(0);
    ASSERT_EQ(buffer->space(), MemorySpace::cudaDevice) << buffer->path() << "; OpenGL: " << context_->description();
    EXPECT_THAT(buffer->path(), StartsWith("zero-copy"));
    EXPECT_EQ(buffer->frontBuffer(), 0u);
    // Seen along -x from 5 away: y to the right, z up.
    const std::unique_ptr<Backend> backend = loaded(bodiesOf({{0, 0.8, 1.2, 1}}, {{}}));
    const std::int64_t copies = cuda::callCounts().copiesToHost;
    const std::vector<std::uint8_t> rgb = pictureAfter(*backend, *buffer, 3);
    EXPECT_EQ(cuda::callCounts().copiesToHost, copies) << "zero-copy made a copy";
    EXPECT_EQ(buffer->frontCount(), 1u);
    std::size_t brightest = 0;
    for (std::size_t i = 0; i < rgb.size(); i += 3)
        if (rgb[i] > rgb[brightest]) brightest = i;
    const double scale = 200 / (2 * std::tan(camera_.fieldOfView / 2)) / 5;
    ASSERT_GT(rgb[brightest], 8) << "nothing is drawn";
    EXPECT_NEAR(static_cast<double>(brightest / 3 % 320) + 0.5, 160 + 0.8 * scale, 1.5);
    EXPECT_NEAR(static_cast<double>(brightest / 3 / 320) + 0.5, 100 - 1.2 * scale, 1.5);
}

TEST_F(Interop, moreBodiesThanTheBufferHeldAreDrawn) {
    const std::unique_ptr<ParticleBuffer> buffer = makeCudaParticleBuffer(0);
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(100));
    const std::size_t few = lit(pictureAfter(*backend, *buffer, 2));
    backend->load(unevenBodies(200000));
    const std::size_t many = lit(pictureAfter(*backend, *buffer, 3));
    EXPECT_EQ(buffer->frontCount(), 200000u);
    EXPECT_GT(few, 100u);
    EXPECT_GT(many, 3 * few / 2);
    EXPECT_THAT(buffer->path(), StartsWith("zero-copy"));
    backend->load(unevenBodies(10));
    pictureAfter(*backend, *buffer, 1);
    EXPECT_EQ(buffer->frontCount(), 10u);
}

TEST_F(Interop, aCopyThatIsAskedForDrawsTheSamePictureAndCanBeLeftAgain) {
    const ParticleSet bodies = unevenBodies(5000);
    const std::unique_ptr<Backend> straight = loaded(bodies), other = loaded(bodies);
    const std::unique_ptr<ParticleBuffer> shared = makeCudaParticleBuffer(0), buffer = makeCudaParticleBuffer(0);
    ASSERT_EQ(shared->space(), MemorySpace::cudaDevice) << shared->path();
    for (const bool copies : {true, false, true}) {
        buffer->copies(copies);
        EXPECT_EQ(buffer->space(), copies ? MemorySpace::host : MemorySpace::cudaDevice);
        EXPECT_THAT(buffer->path(), StartsWith(copies ? "host copy, as chosen" : "zero-copy"));
        const std::vector<std::uint8_t> want = pictureAfter(*straight, *shared, 3);
        pictureAfter(*other, *buffer, 3);
        other->publish(*buffer);  // a copy arrives a step later
        OffscreenTarget target(320, 200);
        renderer_->draw(*buffer, camera_, look_, target.framebuffer(), 320, 200);
        EXPECT_EQ(buffer->frontCount(), 5000u);
        EXPECT_GT(lit(want), 1000u);
        EXPECT_EQ(target.read(), want) << (copies ? "by a copy" : "straight");
    }
}

TEST_F(Interop, theCopyDrawsTheSamePicture) {
    if (!cuda::faultsAvailable()) GTEST_SKIP() << "this build has no faults: configure it with -DGRAVLAB_FAULTS=ON";
    const ParticleSet bodies = unevenBodies(5000);
    const std::unique_ptr<Backend> straight = loaded(bodies);
    const std::unique_ptr<ParticleBuffer> shared = makeCudaParticleBuffer(0);
    ASSERT_EQ(shared->space(), MemorySpace::cudaDevice) << shared->path();
    const std::vector<std::uint8_t> want = pictureAfter(*straight, *shared, 4);
    ASSERT_GT(lit(want), 1000u);
    for (const int code : {304, 999, 219})
        for (const char* call : {"cudaGraphicsGLRegisterBuffer:1+:", "cudaGraphicsGLRegisterBuffer:3+:",
                                 "cudaGraphicsMapResources:2+:", "cudaGLGetDevices:1:"}) {
            const std::string plan = call + std::to_string(code);
            SCOPED_TRACE(plan);
            const std::unique_ptr<Backend> backend = loaded(bodies);
            cuda::planFaults(plan);
            const std::unique_ptr<ParticleBuffer> buffer = makeCudaParticleBuffer(0);
            const std::vector<std::uint8_t> got = pictureAfter(*backend, *buffer, 4);
            cuda::planFaults("");
            EXPECT_EQ(buffer->space(), MemorySpace::host);
            EXPECT_THAT(buffer->path(), StartsWith("host copy"));
            EXPECT_THAT(buffer->path(), HasSubstr(std::to_string(code)));
            EXPECT_EQ(cuda::takeLastError(), cuda::kSuccess) << "an error was left behind";
            EXPECT_EQ(got, want);
        }
}

/// Positions of the bodies in the buffer that is drawn.
std::vector<ParticleVertex> drawnBodies(const ParticleBuffer& buffer) {
    std::vector<ParticleVertex> bodies(buffer.frontCount());
    glGetNamedBufferSubData(buffer.frontBuffer(), 0, static_cast<GLsizeiptr>(bodies.size() * sizeof(ParticleVertex)),
                            bodies.data());
    return bodies;
}

/// Whether bodies are drawn at their present positions in the run.
bool drawsTheRun(App& app) {
    const RunState state = app.runs.simulation().state();
    const std::vector<ParticleVertex> drawn = drawnBodies(app.runs.first().vertices());
    if (drawn.size() != state.bodies.size()) return false;
    for (std::size_t i = 0; i < drawn.size(); ++i)
        if (drawn[i].x != static_cast<float>(state.bodies.position[i].x) ||
            drawn[i].y != static_cast<float>(state.bodies.position[i].y))
            return false;
    return true;
}

TEST_F(Interop, stepsGivenAheadAreShownByTheNextFrame) {
    App app({.simulation = {.scene = "plummer", .bodies = 4096, .backend = "cuda"}});
    written(app).intent.stepsPerFrame = 3;
    OffscreenTarget target(320, 200);
    const auto frame = [&] {
        ASSERT_TRUE(app.apply());
        app.advance(true);
        app.draw(target.framebuffer(), 320, 200);
    };
    frame();
    EXPECT_EQ(app.document.facts.step, 3);
    EXPECT_TRUE(drawsTheRun(app));
    app.advanceAhead();
    EXPECT_EQ(app.runs.simulation().step(), 6);
    EXPECT_EQ(app.document.facts.step, 3) << "what is said is what is drawn";
    EXPECT_FALSE(drawsTheRun(app));
    frame();
    EXPECT_EQ(app.runs.simulation().step(), 6) << "and no more than a frame's steps";
    EXPECT_EQ(app.document.facts.step, 6);
    EXPECT_TRUE(drawsTheRun(app));

    app.advanceAhead();
    written(app).intent.paused = true;
    frame();
    EXPECT_EQ(app.document.facts.step, 9);
    EXPECT_TRUE(drawsTheRun(app));
    app.advanceAhead();
    frame();
    EXPECT_EQ(app.runs.simulation().step(), 9) << "a run that pauses goes nowhere";

    written(app).intent.paused = false;
    app.advanceAhead();
    app.apply(true);
    frame();
    EXPECT_EQ(app.document.facts.step, 3) << "of the run that began anew";
    EXPECT_TRUE(drawsTheRun(app));

    app.runs.mostSteps = 2;  // as a film counts them
    app.advanceAhead();
    EXPECT_EQ(app.runs.simulation().step(), 3);
}

TEST(HostCopy, takesOverWhereCudaCannotShare) {
    if (backend("cuda").unavailable({}).empty()) GTEST_SKIP() << "here CUDA can share";
    const HeadlessContext context;
    const std::unique_ptr<ParticleBuffer> buffer = makeCudaParticleBuffer(0);
    ASSERT_EQ(buffer->space(), MemorySpace::host);
    EXPECT_THAT(buffer->path(), StartsWith("host copy"));
    EXPECT_THAT(buffer->path(), HasSubstr("driver"));
    const VertexSpan span = buffer->open(3, nullptr);
    ASSERT_EQ(span.count, 3u);
    std::fill_n(span.data, 3, ParticleVertex{1, 2, 3, 4});
    buffer->close(nullptr);
    EXPECT_EQ(buffer->frontCount(), 3u);
    EXPECT_NE(buffer->frontBuffer(), 0u);
}

}  // namespace
}  // namespace gravlab::test
