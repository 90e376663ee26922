// The one frame loop, driven by the window and by headless rendering alike:
// panels edit wanted settings -> apply -> advance -> draw -> UI. Panels never call the simulation.
#pragma once
#include "app/options.h"
#include "app/telemetry.h"
#include "render/camera.h"
#include "render/particle_buffer.h"
#include "render/particle_renderer.h"
#include "sim/simulation.h"

#include <memory>
#include <optional>
#include <string>

namespace gravlab {

/// What the user wants; edited by panels, keys and the command line, applied at one place.
struct Intent {
    SimulationSettings settings;
    int stepsPerFrame = 1;
    double timeBudgetMs = 10;
    bool paused = false;
    int singleSteps = 0;  ///< steps still to make while paused
    bool reset = false;
    bool quit = false;
};

/// One running scene with its buffer, camera and facts.
class Session {
public:
    /// Needs a current OpenGL context. The start is published, so that a draw before the first advance shows t = 0.
    explicit Session(const Options& options);
    /// Takes up changed intent. A refused change leaves the run as it was and its text in `message()`.
    void apply();
    /// Advances within the budget (realTime) or exactly stepsPerFrame steps (film), and publishes.
    void advance(bool realTime);
    void draw(unsigned framebuffer, int width, int height);

    Simulation& simulation() { return *simulation_; }
    const std::string& message() const { return message_; }
    /// One sentence: how vertices reach the picture (zero-copy, host copy, CPU) and why.
    const std::string& publishPath() const { return buffer_->path(); }

    Intent intent;
    Camera camera;
    Look look;
    Telemetry telemetry;

private:
    void attachBuffer();
    std::unique_ptr<Simulation> simulation_;
    std::unique_ptr<ParticleBuffer> buffer_;
    std::unique_ptr<ParticleRenderer> renderer_;
    std::string message_;
};

}  // namespace gravlab
