// A run in two types: what somebody asked for, and what is in force. Rule: what is set in a request was asked for and what
// is empty is left to scene, backend or machine; nothing is guessed from two values being equal.
#pragma once
#include "sim/backends/tuning.h"
#include "sim/forces/force_settings.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/start_state.h"
#include "sim/scenes/scene.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Numbers of a launch; those that are empty are the kernel's usual ones.
struct LaunchRequest {
    std::optional<int> block{}, unroll{}, bodiesPerThread{}, split{};
    LaunchConfig config(const LaunchConfig& usual = {}) const;
    bool operator==(const LaunchRequest&) const = default;
};

/// Which kernel, and how it is launched.
struct KernelRequest {
    std::optional<std::string> kernel{};  ///< empty: the backend chooses by N and device
    LaunchRequest launch{};
    /// Nothing of it was asked for.
    bool open() const { return *this == KernelRequest(); }
    /// As backends take it.
    KernelChoice choice() const;
    bool operator==(const KernelRequest&) const = default;
};

/// How a term beside the pair law is to be computed.
struct TermRequest {
    KernelRequest kernel{};
    std::optional<double> accuracy{};  ///< relative error that 99 % of the bodies may have; empty: the row's usual
    KernelChoice choice() const;
    bool operator==(const TermRequest&) const = default;
};
/// By kind of term; a kind that is not there is left to the backend.
using TermRequests = std::map<std::string, TermRequest, std::less<>>;
/// "springs=list:block=64:accuracy=0.001,magnets=plain"; empty where nothing is asked.
std::string termRequestsText(const TermRequests& requests);
/// The same backwards; "auto" and an empty text ask for nothing. Throws UsageError with what is allowed.
TermRequests parsedTermRequests(std::string_view text);

/// How a term beside the pair law is computed.
struct TermInUse {
    std::string term;         ///< its kind
    std::string description;  ///< "512 springs"
    KernelInUse kernel{};
    double accuracy = 0;  ///< that 99 % of the bodies keep; 0: rounding only
    bool operator==(const TermInUse&) const = default;
};

/// What somebody asked of a run. Numbers that a user typed go through sim/core/validation.h first.
struct RunRequest {
    std::string scene = "collision";
    std::optional<int> sceneVersion{};    ///< empty: the newest
    std::optional<std::size_t> bodies{};  ///< empty: the scene's for this backend; a scene of fixed size keeps its own
    std::uint64_t seed = 1;
    SceneParameters parameters{};          ///< those of the scene that shall differ from its row
    std::optional<std::string> backend{};  ///< empty: the fastest that works here, chosen when the run begins
    bool backendOpen = false;              ///< `backend` is what ran where it was left open: the run goes on there
    BackendOptions backendOptions{};
    KernelRequest kernel{};            ///< of the pair law
    TermRequests terms{};              ///< of the terms beside it
    std::optional<double> accuracy{};  ///< relative error that 99 % of the bodies may have; 0: none; empty: see farField
    bool farField = false;             ///< an open accuracy is the one that the scene names for so many bodies
    std::optional<double> opening{};   ///< opening angle of the rows that go by it; empty: theirs
    std::optional<std::string> integrator{};  ///< empty: the scene's where what is asked for runs it, else the usual one
    std::optional<double> timeStep{};         ///< empty: the scene's [T]
    std::optional<double> softening{};        ///< empty: the scene's [L]
    std::optional<Law> law{};                 ///< empty: the scene's
    // The numbers of the laws; empty: the scene's.
#define GRAVLAB_LAW_NUMBER(member, ...) std::optional<double> member{};
#include "sim/forces/laws/numbers.inl"
#undef GRAVLAB_LAW_NUMBER
    std::optional<Precision> precision{};  ///< empty: fp64 for small systems on the CPU, else fp32
    /// Bodies to start from, in force as long as `scene` is its name; another scene lets go of it.
    std::shared_ptr<const StartState> start{};
    std::shared_ptr<const Tuning> tuning{};  ///< what an open kernel means, where a search has found it; null: nothing known

    /// Another scene, which brings its own time step, softening, law and numbers; nothing where it is asked for already.
    void changeScene(std::string_view name);
    /// Another backend, which brings its own kernel; empty: the fastest. Nothing where it is asked for already.
    void changeBackend(const std::optional<std::string>& name);
    /// Kernel and accuracy as they were asked for, as backends take them.
    KernelChoice choice() const;
    /// Nothing was said of kernel, accuracy and opening, and the scene may say: FarField.
    bool takesFarField() const { return farField && !accuracy && !opening && kernel.open(); }
    bool operator==(const RunRequest&) const = default;
};

/// What is in force: every default filled in.
struct RunConfiguration {
    std::string scene;
    int sceneVersion = 1;
    std::size_t bodies = 0;
    std::uint64_t seed = 1;
    SceneParameters parameters{};  ///< those that differ from the scene's row
    std::string backend;
    bool backendOpen = false;         ///< nobody asked for that one
    BackendOptions backendOptions{};  ///< as they were asked
    KernelInUse kernel{};             ///< of the pair law
    std::vector<TermInUse> terms{};   ///< beside it
    double accuracy = 0;              ///< that 99 % of the bodies keep; 0: rounding only
    double opening = 0;               ///< 0: that of the row
    std::string integrator;
    double timeStep = 0;    ///< [T]
    ForceSettings force{};  ///< law, its numbers, softening and precision
    std::shared_ptr<const StartState> start{};
    std::shared_ptr<const Tuning> tuning{};
    bool operator==(const RunConfiguration&) const = default;
};

/// How the host sums the pairs of such a run: as its forces are computed. Null: all of them.
PairSummation pairSummation(const RunConfiguration& configuration);

/// Asks for just that kernel and launch.
KernelRequest requestOf(const KernelInUse& kernel);
/// Asks for everything as it is there, so that nothing is left open.
RunRequest requestOf(const RunConfiguration& configuration);

}  // namespace gravlab
