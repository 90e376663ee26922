// One scene, one backend, one integrator, one clock. The only door through which the app changes physics.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/tuning.h"
#include "sim/core/clock.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/start_state.h"
#include "sim/scenes/scene.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// Everything that defines a run. Zero or negative "scene's own" values are resolved by the scene's row.
/// Numbers that a user typed go through sim/core/validation.h first: there 0 bodies or a softening below 0 is a mistake.
struct SimulationSettings {
    std::string scene = "collision";
    std::size_t bodies = 0;  ///< 0: the scene's default for this backend; a scene of fixed size keeps its own
    std::uint64_t seed = 1;
    SceneParameters parameters{};  ///< those of the scene that shall differ from its row
    std::string backend = "auto";
    BackendOptions backendOptions{};
    KernelChoice kernel{};
    std::string integrator = "leapfrog";
    double timeStep = 0;                   ///< 0: the scene's [T]
    double softening = -1;                 ///< < 0: the scene's [L]
    std::optional<Law> law{};              ///< empty: the scene's
    std::optional<double> exponent{};      ///< of the power law; empty: the scene's
    std::optional<double> strength{};      ///< of all laws but gravity; empty: the scene's
    std::optional<double> diameter{};      ///< of Lennard-Jones [L]; empty: the scene's
    std::optional<double> cutOff{};        ///< of Lennard-Jones, in diameters; empty: the scene's
    std::optional<Precision> precision{};  ///< empty: fp64 for small systems on the CPU, else fp32
    /// Bodies to start from, in force as long as `scene` is its name; another scene lets go of it.
    std::shared_ptr<const StartState> start{};
    std::shared_ptr<const Tuning> tuning{};  ///< what kernel "auto" means, where a search has found it; null: nothing known
    bool operator==(const SimulationSettings&) const = default;
};

/// Up to so many bodies run in fp64 on the CPU unless asked otherwise: a GPU would be idle most of the time, and these are
/// the systems whose answers are known to many digits.
constexpr std::size_t kSmallSystem = 256;

/// A state whose bodies are still to be fetched, on any thread.
struct LaterState {
    RunState rest;  ///< without bodies
    LaterBodies bodies;
    /// Once; waits as `bodies` does.
    RunState whole() {
        rest.bodies = bodies();
        return std::move(rest);
    }
};

class Simulation {
public:
    /// Builds the scene, picks the backend, loads it. Throws UsageError, NoDeviceError or DeviceError.
    explicit Simulation(const SimulationSettings& settings);
    ~Simulation();

    /// Effective settings: every default resolved (bodies, timeStep, softening, backend, kernel, launch).
    const SimulationSettings& settings() const { return settings_; }
    const Scene& scene() const { return *scene_; }
    const Integrator& integrator() const { return *integrator_; }
    /// Law, precision and softening in force.
    ForceSettings force() const;
    /// All that acts, the pair law first.
    const ForceTerms& terms() const { return backend_->terms(); }
    Backend& backend() { return *backend_; }
    const std::string& backendWhy() const { return backendWhy_; }  ///< which path runs and why

    /// Changes a running simulation. Another scene, N or seed starts anew at t = 0; another backend takes the state over;
    /// kernel, dt, softening, integrator change in place. All or nothing: on an exception the old run goes on unchanged.
    /// `wanted` is settings() with something changed. What was left to the scene or backend and is not touched stays left to
    /// them: with another scene come its dt and softening, and its N unless one was asked for; with another backend, its
    /// kernel.
    void apply(const SimulationSettings& wanted);
    /// The scene again, from t = 0.
    void reset();

    AdvanceStatus advance(const Budget& budget, VertexSink* sink);
    void publish(VertexSink& sink) { backend_->publish(sink); }

    /// Which run this is: bodies that go on by themselves from where they were put. Another number whenever they come from
    /// elsewhere: a start, another scene, number or seed, an edit, a state gone back to. Another backend carries them on. No
    /// two simulations of a process have the same.
    std::uint64_t id() const { return id_; }
    /// Rises with every change of settings or bodies.
    std::uint64_t revision() const { return revision_; }

    double time() const { return clock_.time(); }
    std::int64_t step() const { return clock_.step; }
    const Clock& clock() const { return clock_; }

    /// The newest finished force check of the configuration in use; empty until it is there. A new configuration asks for
    /// one by itself. Never waits.
    const std::optional<ForceCheck>& forceCheck();
    /// Asks that the next complete force be checked again; nothing while a check is under way. Its result comes through
    /// takeRecheck(), once, and never changes forceCheck(), which speaks for the configuration.
    void recheck();
    std::optional<ForceCheck> takeRecheck();
    WorkTotals totals() { return backend_->totals(); }
    void snapshot(ParticleSet& out) { backend_->snapshot(out); }
    /// The last complete step with all that going on exactly takes. Waits; an integrator of automatic steps ends the one
    /// under way first.
    RunState state();
    /// The same without waiting for the bodies, where the backend can.
    LaterState stateLater();
    /// Goes back (or on) to what state() gave earlier in this run; from there the run goes on bit for bit under the settings
    /// of that moment. All or nothing.
    void restore(const RunState& state);
    /// Replaces the bodies (a file, an edit); clock unchanged.
    void load(const ParticleSet& bodies);
    /// All that can be measured of the last complete step, on the device where the backend measures, else on the host.
    /// Waits; `meanwhile` is called some times a second while a device measures, and may throw.
    Diagnostics measure(const std::function<void()>& meanwhile = {});

private:
    RunState stateWithoutBodies();
    /// Settings with every default filled in but the kernel's, and the rows that they name.
    struct Plan;
    /// With `again` the scene starts anew though nothing of it changed.
    Plan plan(const SimulationSettings& wanted, bool again = false) const;
    void startOver(const Plan& plan);
    void adopt(const Plan& plan);
    KernelChoice kernelInUse() const;
    void requestCheck();
    void restoreMethods(const RunState& state, const Integrator& integrator);
    void beginRun();

    SimulationSettings requested_;  ///< as asked for: what was left to scene or backend is still open
    SimulationSettings settings_;   ///< the same with every default filled in
    std::size_t sceneBodies_ = 0;   ///< as many as the scene was built with
    const Scene* scene_ = nullptr;
    const Integrator* integrator_ = nullptr;
    std::unique_ptr<Backend> backend_;
    std::string backendWhy_;
    Clock clock_;
    std::uint64_t id_ = 0, revision_ = 0;
    bool stepUnderWay_ = false;
    std::vector<std::uint32_t> checkTargets_;  ///< chosen when bodies are loaded, so that a check needs no copy of them
    std::optional<ForceCheck> check_;
    std::optional<ForceCheck> recheck_;
    bool rechecking_ = false;  ///< the check under way is a second one
};

}  // namespace gravlab
