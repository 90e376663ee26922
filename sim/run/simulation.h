// One scene, one backend, one integrator, one clock. The only door through which the app changes physics.
#pragma once
#include "sim/backends/backend.h"
#include "sim/core/clock.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/build.h"
#include "sim/run/configuration.h"
#include "sim/run/start_state.h"
#include "sim/scenes/scene.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// A state whose bodies are still to be fetched, on any thread.
struct StateFuture {
    RunState rest;  ///< without bodies
    SnapshotFuture bodies;
    /// Once; waits as `bodies` does.
    RunState whole() {
        rest.bodies = bodies();
        return std::move(rest);
    }
};

class Simulation {
public:
    /// Builds the scene, picks the backend, loads it. Throws UsageError, NoDeviceError or DeviceError.
    explicit Simulation(const RunRequest& request);
    ~Simulation();

    /// What was asked for last: what was left to scene, backend or machine is still open in it.
    const RunRequest& request() const { return now_.request; }
    /// What is in force: every default filled in.
    const RunConfiguration& configuration() const { return now_.values; }
    const Scene& scene() const { return *now_.scene; }
    /// Of single bodies, by id; edits change nothing of it. Never null.
    const SharedBodyNames& names() const { return names_; }
    const Integrator& integrator() const { return *now_.integrator; }
    /// Law, precision and softening in force.
    const ForceSettings& force() const { return now_.values.force; }
    /// All that acts, the pair law first.
    const ForceTerms& terms() const { return backend_->terms(); }
    Backend& backend() { return *backend_; }
    const Backend& backend() const { return *backend_; }
    const std::string& backendWhy() const { return now_.backend.why; }  ///< which path runs and why

    /// Changes a running simulation. Another scene, N or seed starts anew at t = 0; another backend takes the state over;
    /// kernel, dt, softening, integrator change in place. Where single precision does not carry the bodies under a force
    /// that changes, they go on in double, or the change is refused where single was asked for. All or nothing: on an
    /// exception the old run goes on unchanged. What is set was asked for, what is empty is left to the scene or the
    /// backend: with another scene come its N, dt and softening, with another backend its kernel, unless asked for
    /// (RunRequest::changeScene and changeBackend let go of what belongs to the old one). A backend that was left open is
    /// chosen when the run begins or bodies are opened, and again when one that was asked for is let go of.
    void apply(const RunRequest& wanted);
    /// The scene again, from t = 0.
    void reset();

    AdvanceStatus advance(const Budget& budget, VertexSink* sink);
    void publish(VertexSink& sink) { backend_->publish(sink); }

    /// Which run this is. Another number with each start: a scene, number, seed or file, and reset(). Edits, rewinding and
    /// another backend stay in the run. No two simulations of a process have the same.
    std::uint64_t runId() const { return runId_; }
    /// Which bodies these are, as they move by themselves. Another number whenever they come from elsewhere: a start, an
    /// edit, a state gone back to. Another backend carries them on. No two simulations of a process have the same.
    std::uint64_t bodiesId() const { return bodiesId_; }
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
    StateFuture stateAsync();
    /// Goes back (or on) to what state() gave earlier in this run; from there the run goes on bit for bit under the settings
    /// of that moment. All or nothing.
    void restore(const RunState& state);
    /// Replaces the bodies (an edit); clock unchanged. Bodies that single precision does not carry go on in double, or are
    /// refused (UsageError) where single was asked for.
    void load(const ParticleSet& bodies);
    /// All that can be measured of the last complete step, on the device where the backend measures, else on the host.
    /// Waits; `meanwhile` is called some times a second while a device measures, and may throw.
    Diagnostics measure(const std::function<void()>& meanwhile = {});

private:
    RunState stateWithoutBodies();
    /// The pipe of every change. `bodies`: edited ones; null: those of the run. `resumed`: see Present.
    void change(Configuration configuration, const std::shared_ptr<const ParticleSet>& bodies = {},
                const std::shared_ptr<const RunState>& resumed = {});
    void adopt(BuiltRun built);

    Configuration now_;  ///< in force
    SharedBodyNames names_ = noBodyNames();
    std::unique_ptr<Backend> backend_;
    Clock clock_;
    std::uint64_t runId_ = 0, bodiesId_ = 0, revision_ = 0;
    bool stepUnderWay_ = false;
    CheckTargets targets_;
    std::optional<Carried> carried_;  ///< of the bodies that were loaded last
    std::optional<ForceCheck> check_;
    std::optional<ForceCheck> recheck_;
    bool rechecking_ = false;  ///< the check under way is a second one
};

}  // namespace gravlab
