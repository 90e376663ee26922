// One experiment: bodies, what acts on them, and what computes it. The program's own commands and its window run on the same
// code. G = 1 in the units of the scene. One thread uses an experiment; its computation takes threads or a device of its
// own.
#pragma once
#include "bodies.h"
#include "errors.h"
#include "results.h"
#include "term.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace gravlab {

/// How an experiment begins. Name a scene, or a file, or give bodies.
struct ExperimentOptions {
    std::string scene = "plummer";  ///< a row of sceneList(); unused where `file` or `bodies` is given
    std::string file{};             ///< a file of any format that `gravlab info` reads; a checkpoint continues bit for bit
    ParticleSet bodies{};           ///< bodies of your own, host memory
    /// What acts on `bodies` beside the pair law; a scene and a file have their own. A saved file opens again where the
    /// kinds of these terms were added, see addTermKind().
    ForceTerms terms{};
    std::size_t count = 0;                       ///< bodies of the scene; 0: its own number
    std::uint64_t seed = 1;                      ///< the same seed gives the same bodies
    std::map<std::string, double> parameters{};  ///< numbers of the scene, see `gravlab list scenes`
    /// Settings by their keys in a scene file (docs/scenes.md), as text: {"time_step", "0.01"}, {"integrator", "hermite4"},
    /// {"accuracy", "1e-3"}; also precision, backend, kernel, softening, law and device.
    std::map<std::string, std::string> settings{};
};

/// A running simulation. Every function but the constructor leaves the run as it is when it throws.
class Experiment {
public:
    /// Builds or reads the bodies and loads them. Blocks. Throws UsageError for a name or number that is not valid,
    /// InputError for a file that cannot be used, IoError, NoDeviceError, DeviceError or OutOfMemoryError.
    explicit Experiment(const ExperimentOptions& options = {});
    ~Experiment();
    Experiment(Experiment&&) noexcept;
    Experiment& operator=(Experiment&&) noexcept;

    /// Makes `steps` whole steps and waits for their end. `proceed`, if given, is called some times a second on this thread;
    /// when it returns false, step() returns at the end of the step under way. Returns the number of steps made. Throws
    /// DeviceError.
    std::int64_t step(std::int64_t steps = 1, const std::function<bool()>& proceed = {});
    /// Changes a setting from the next step on, by its key in a scene file; "auto" leaves it to scene and machine. Throws
    /// UsageError naming the valid values.
    void set(std::string_view key, std::string_view value);
    /// The value of a setting as in a scene file: what was chosen, or "auto".
    std::string get(std::string_view key) const;

    std::size_t size() const;     ///< bodies now; contacts may merge some
    double time() const;          ///< simulated [T]
    double timeStep() const;      ///< [T]
    std::int64_t steps() const;   ///< complete steps
    std::string kernel() const;   ///< the row of the kernel table that computes the pair law
    std::string backend() const;  ///< which path runs, on what, and why no faster one

    /// A copy of the bodies at the last complete step, in host memory, in their order. Blocks.
    ParticleSet bodies() const;
    /// Replaces the bodies; the clock and the settings stay. Blocks. Throws UsageError where they do not suit the precision.
    void replace(const ParticleSet& bodies);
    /// Accelerations at the last complete step [L/T^2], in the precision of the run; w is 0. Blocks.
    std::vector<Double4> accelerations() const;
    /// Energies, momenta and shape at the last complete step. Blocks; all pairs are summed on up to 64 Ki bodies on a CPU in
    /// a second.
    Diagnostics measure() const;
    /// Compares the accelerations of some 1,300 bodies with fp64, among them some that feel each term. Blocks.
    ForceError check() const;
    /// Work and time of the last call of step().
    Rate rate() const;

    /// Writes a file in the format of its extension; .hdf5 is a checkpoint, from which the run continues bit for bit. The
    /// old file stays until the new one is whole. Blocks. Throws UsageError for an unknown extension, and IoError.
    void save(const std::string& path) const;

private:
    friend struct ExperimentAccess;
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace gravlab
