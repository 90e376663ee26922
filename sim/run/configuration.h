// A run in two types: the request of the user, and the values in force.
// Rule: a value that is set in a request is the user's; an empty one is left to scene, backend or machine. Nothing is
// inferred from two equal values.
#pragma once
#include "sim/api/law.h"
#include "sim/backends/tuning.h"
#include "sim/forces/fields/field.h"
#include "sim/forces/law_numbers.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/start_state.h"
#include "sim/scenes/scene.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Numbers of a launch; empty ones have the kernel's usual value.
struct LaunchRequest {
    std::optional<int> block{}, unroll{}, bodiesPerThread{}, split{};
    LaunchConfig config(const LaunchConfig& usual = {}) const;
    bool operator==(const LaunchRequest&) const = default;
};

struct LaunchNumber {
    std::string_view key;     ///< in texts and files
    std::string_view option;  ///< "--block"
    std::optional<int> LaunchRequest::*wanted;
    int LaunchConfig::*now;
    int least;
    bool (*has)(const KernelRow&);  ///< whether the kernel reads it
};
std::span<const LaunchNumber> launchNumbers();

struct KernelRequest {
    std::optional<std::string> kernel{};  ///< empty: the backend chooses by N and device
    LaunchRequest launch{};
    /// The request leaves kernel and launch open.
    bool open() const { return *this == KernelRequest(); }
    bool operator==(const KernelRequest&) const = default;
};

/// Requested computation of a term.
struct TermRequest {
    KernelRequest kernel{};
    std::optional<double> accuracy{};  ///< relative error allowed for 99 % of the bodies; 0: none; empty: the usual one
    std::optional<double> opening{};   ///< opening angle of the rows that use it; empty: theirs
    /// The request in the backends' type, for a term of that kind.
    KernelChoice choice(std::string_view kind = kPairLawTerm) const;
    bool operator==(const TermRequest&) const = default;
};
/// Requests by kind of term, the pair law's among them; an absent kind is left to the backend.
using TermRequests = std::map<std::string, TermRequest, std::less<>>;
/// The requests for the terms beside the pair law.
TermRequests besidePairs(TermRequests requests);
/// "springs=list:block=64:accuracy=0.001,magnets=plain" for the terms beside the pair law, which has keys of its own in
/// files; "auto" where nothing is requested.
std::string termRequestsText(const TermRequests& requests);
/// The inverse, which also takes the pair law; "auto" and an empty text request nothing. Throws UsageError.
TermRequests parsedTermRequests(std::string_view text);

/// Computation of a term, in force.
struct TermInUse {
    std::string term;         ///< its kind
    std::string description;  ///< "512 springs"
    KernelInUse kernel{};
    double accuracy = 0;  ///< relative error that 99 % of the bodies keep; 0: rounding only
    double opening = 0;   ///< opening angle; 0: that of the row
    TermOffer offer{};
    bool operator==(const TermInUse&) const = default;
};

/// Requested settings of a run. Numbers that a user typed are checked by sim/core/validation.h first.
struct RunRequest {
    std::string scene = "collision";
    std::optional<int> sceneVersion{};  ///< empty: the newest
    std::optional<std::size_t>
        bodies{};  ///< empty: the scene's number for this backend; a scene of fixed size keeps its own
    std::uint64_t seed = 1;
    SceneParameters parameters{};          ///< the scene's parameters that differ from its row
    std::optional<std::string> backend{};  ///< empty: the fastest that works here, chosen when the run begins
    bool backendOpen = false;              ///< `backend` was chosen automatically and ran so far: the run continues there
    BackendOptions backendOptions{};
    TermRequests terms = {{std::string(kPairLawTerm), {}}};  ///< how each term is computed, by kind
    bool farField = false;  ///< an open accuracy of the pair law means the one that the scene names for this N
    std::optional<std::string> integrator{};  ///< empty: the scene's where the other requests can run it, else the usual one
    bool resolvesOrbits = false;  ///< an open integrator is radau15 where fixed steps do not follow few bodies of a file
    std::optional<double> timeStep{};   ///< empty: the scene's [T]
    std::optional<double> softening{};  ///< empty: the scene's [L]
    std::optional<Law> law{};           ///< empty: the scene's
    LawRequest lawNumbers{};
    std::optional<std::string> fields{};  ///< outer forces, see parsedFields(); empty: the scene's
    // Contacts; empty: the scene's.
    std::optional<ContactMode> contact{};
    std::optional<double> radius{}, density{}, restitution{}, friction{};
    std::optional<Precision> precision{};  ///< empty: fp64 for small systems on the CPU, else fp32
    /// Bodies to start from, in force while `scene` is its name; another scene drops it.
    std::shared_ptr<const StartState> start{};
    std::shared_ptr<const Tuning> tuning{};  ///< kernels that a search found, for an open kernel; null: unknown

    /// Requests another scene, which brings its own time step, softening, law and numbers. Does nothing where it is
    /// requested already.
    void changeScene(std::string_view name);
    /// Requests another backend, which brings its own kernel; empty: the fastest. Does nothing where it is requested
    /// already.
    void changeBackend(const std::optional<std::string>& name);
    /// The request for the pair law, which is one of `terms`.
    TermRequest& pairs() { return terms[std::string(kPairLawTerm)]; }
    const TermRequest& pairs() const;
    /// Leaves the terms beside the pair law to the backend.
    void openOthers();
    /// Kernel, accuracy and opening are open, and the scene may set them: see FarField.
    bool takesFarField() const { return farField && pairs() == TermRequest(); }
    bool operator==(const RunRequest&) const = default;
};

/// The values in force: every default is filled in.
struct RunConfiguration {
    std::string scene;
    int sceneVersion = 1;
    std::size_t bodies = 0;
    std::uint64_t seed = 1;
    SceneParameters parameters{};  ///< parameters that differ from the scene's row
    std::string backend;
    bool backendOpen = false;         ///< the backend was chosen automatically
    BackendOptions backendOptions{};  ///< as requested
    std::vector<TermInUse> terms = {{.term = std::string(kPairLawTerm), .description = {}}};  ///< the pair law first
    std::string integrator;
    double timeStep = 0;                              ///< [T]
    ForceSettings force{};                            ///< law, its numbers, softening and precision
    std::optional<std::vector<OuterField>> fields{};  ///< outer forces; empty: there are none, and none were requested
    ContactSettings contact{};
    std::shared_ptr<const StartState> start{};
    std::shared_ptr<const Tuning> tuning{};
    TermInUse& pairs() { return terms.front(); }
    const TermInUse& pairs() const { return terms.front(); }
    std::span<const TermInUse> others() const { return std::span(terms).subspan(1); }
    bool operator==(const RunConfiguration&) const = default;
};

/// Whether all of its forces conserve the energy, so that a change of it is an error.
bool keepsEnergy(const RunConfiguration& configuration);

/// Takes over the row of the pair law, which the backend may have chosen. An accuracy acts only on rows that obey one.
void takeRow(RunConfiguration& configuration, const KernelRow& row, const LaunchConfig& launch, double allowedError);

/// How the host sums the pairs of this run: as its forces are computed. Null: all of them.
PairSummation pairSummation(const RunConfiguration& configuration);

/// Requests for just these kernels, launches and accuracies of all terms.
TermRequests termRequestsOf(const RunConfiguration& configuration);
/// A request for just that kernel and launch.
KernelRequest kernelRequestOf(const KernelInUse& kernel);
/// A request for all of these values, so that nothing is left open.
RunRequest requestOf(const RunConfiguration& configuration);

}  // namespace gravlab
