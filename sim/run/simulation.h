// One scene, one backend, one integrator, one clock. The app changes physics only through this class.
#pragma once
#include "sim/backends/backend.h"
#include "sim/contact/contact.h"
#include "sim/core/clock.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/build.h"
#include "sim/run/configuration.h"
#include "sim/run/start_state.h"
#include "sim/scenes/scene.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

/// A state whose bodies are still to be copied, on any thread.
struct StateFuture {
    RunState rest;  ///< without bodies
    SnapshotFuture bodies;
    /// Call once; waits as `bodies` does.
    RunState whole() {
        rest.bodies = bodies();
        rest.bodies.time = rest.clock.time();
        return std::move(rest);
    }
};

class Simulation {
public:
    /// Builds the scene, picks the backend, loads it. Throws UsageError, NoDeviceError or DeviceError.
    explicit Simulation(const RunRequest& request);
    ~Simulation();

    /// The last request: values that it left to scene, backend or machine are still open in it.
    const RunRequest& request() const { return now_.request; }
    /// The values in force: every default is filled in.
    const RunConfiguration& configuration() const { return now_.values; }
    const Scene& scene() const { return *now_.scene; }
    /// Names of single bodies, by id; edits do not change them. Never null.
    const SharedBodyNames& names() const { return names_; }
    const Integrator& integrator() const { return *now_.integrator; }
    /// Law, precision and softening in force.
    const ForceSettings& force() const { return now_.values.force; }
    /// All terms that act, the pair law first.
    const ForceTerms& terms() const { return backend_->terms(); }
    Backend& backend() { return *backend_; }
    const Backend& backend() const { return *backend_; }
    const std::string& backendWhy() const { return now_.backend.why; }  ///< which path runs and why

    /// Changes a running simulation. Another scene, N or seed starts anew at t = 0; another backend continues with the
    /// state; kernel, dt, softening, integrator change in place. Where single precision does not suit the bodies under a
    /// changed force, they continue in double, or the change is refused where single was requested. All or nothing: on an
    /// exception the old run continues unchanged.
    /// A set value is requested, an empty one is left to the scene or the backend. Another scene brings its N, dt and
    /// softening, another backend its kernel, unless requested. RunRequest::changeScene and changeBackend drop the values
    /// that belong to the old one. An open backend is chosen when the run begins or bodies are opened, and again when a
    /// requested one is dropped.
    void apply(const RunRequest& wanted);
    /// Starts the scene again, from t = 0.
    void reset();

    AdvanceStatus advance(const Budget& budget, VertexSink* sink);
    /// Advances by one step of that length [T]; the time step stays as it is. A step under way is begun again. Call it with
    /// the same length until the step is complete.
    AdvanceStatus advanceBy(double length, const Budget& budget);
    void publish(VertexSink& sink) { backend_->publish(sink); }

    /// Number of the run, new with each start: a scene, number, seed or file, and reset(). Edits, rewinding and another
    /// backend stay in the run. No two simulations of a process have the same number.
    std::uint64_t runId() const { return runId_; }
    /// Number of the bodies, which stays while they move by themselves. It is new with a start, an edit, or a state that was
    /// restored. Another backend keeps it. No two simulations of a process have the same number.
    std::uint64_t bodiesId() const { return bodiesId_; }
    /// Increases with every change of settings or bodies.
    std::uint64_t revision() const { return revision_; }

    /// What the contacts of this run have done.
    const ContactTotals& contacts() const { return contacts_; }
    /// Pairs of bodies that overlapped when they were loaded with contacts; 0 for states of a run under way.
    std::size_t overlaps() const { return overlaps_; }
    /// Contacts since the last call, in their order; those before the first call are dropped.
    std::vector<ContactEvent> takeContactEvents();
    /// A sentence about what contacts have ended since the last call; empty: nothing.
    std::string takeNote() { return std::exchange(note_, {}); }
    /// The energy that a contact-free run would still have: `lost` is part of the balance.
    Diagnostics withContacts(Diagnostics measured) const;

    double time() const { return clock_.time(); }
    std::int64_t step() const { return clock_.step; }
    const Clock& clock() const { return clock_; }

    /// The newest finished force check of the configuration in use; empty until there is one. A new configuration requests
    /// one by itself. Never waits.
    const std::optional<ForceCheck>& forceCheck();
    /// Requests another check of the next complete force; does nothing while a check is under way. takeRecheck() returns its
    /// result, once. It never changes forceCheck(), which belongs to the configuration.
    void recheck();
    std::optional<ForceCheck> takeRecheck();
    WorkTotals totals() { return backend_->totals(); }
    void snapshot(ParticleSet& out) { backend_->snapshot(out); }
    ParticleSet bodies() { return backend_->bodies(); }
    /// The last complete step with all that an exact continuation needs. Waits; an integrator of automatic steps ends the
    /// one under way first.
    RunState state();
    /// The same without waiting for the bodies, where the backend can; and without them.
    StateFuture stateAsync();
    RunState stateWithoutBodies();
    /// Goes to an earlier or later state that state() gave in this run. From there the run continues bit for bit under the
    /// settings of that moment. All or nothing.
    void restore(const RunState& state);
    /// Goes back to the last complete step, which no step has followed. Its force stays.
    void beginAgain();
    /// Replaces the bodies (an edit); clock unchanged. Bodies that do not suit single precision continue in double, or are
    /// refused (UsageError) where single was requested.
    void load(const ParticleSet& bodies);
    /// Gives one body another velocity (an edit); clock and forces unchanged. The other bodies are neither copied nor
    /// judged, where the backend changes bodies in place.
    void steer(std::uint32_t index, const Vec3d& velocity);
    /// All measurable quantities of the last complete step, on the device where the backend measures, else on the host.
    /// Waits; `meanwhile` is called some times per second while a device measures, and may throw.
    Diagnostics measure(const std::function<void()>& meanwhile = {});

private:
    /// All changes run through this function. `bodies`: edited ones; null: those of the run. `resumed`: see Present.
    void change(Configuration configuration, const std::shared_ptr<const ParticleSet>& bodies = {},
                const std::shared_ptr<const RunState>& resumed = {});
    void adopt(BuiltRun built);
    AdvanceStatus advanceFreely(const Budget& budget, VertexSink* sink);
    void beginPaths();
    void resolveStep(double begin);
    void followMergers(const BodyChanges& changes, std::vector<ContactEvent>& events, const ContactStep& step);
    void endCheck();
    void replaceBodies(const ParticleSet& bodies);
    const std::vector<std::uint32_t>& checkTargets();
    void dropForceChecks() {
        check_.reset();
        recheck_.reset();
        rechecking_ = false;
    }

    static inline std::atomic<std::uint64_t> newest_{0};  ///< number of the newest run or bodies in this process

    Configuration now_;  ///< the configuration in force
    SharedBodyNames names_ = noBodyNames();
    std::unique_ptr<Backend> backend_;
    Clock clock_;
    std::uint64_t runId_ = 0, bodiesId_ = 0, revision_ = 0;
    bool stepUnderWay_ = false;
    CheckTargets targets_;
    bool targetsKnown_ = false;       ///< targets_ are those of the present bodies
    std::optional<Carried> carried_;  ///< range for the bodies that were loaded last
    std::optional<ForceCheck> check_;
    std::optional<ForceCheck> recheck_;
    bool rechecking_ = false;  ///< the check under way is a second one
    ContactTotals contacts_;
    std::size_t overlaps_ = 0;
    bool pathsBegun_ = false;                          ///< the paths of the next step begin at the last complete one
    bool watches_ = false;                             ///< the backend finds contacts by itself
    std::vector<Double4> before_;                      ///< where paths began, unless the backend has it
    std::optional<std::vector<ContactEvent>> events_;  ///< empty: events are not recorded
    std::string note_;                                 ///< see takeNote()
};

}  // namespace gravlab
