// The force-kernel table and what a user tunes live. A row names the idea that it adds to the row above it.
#pragma once
#include "sim/api/law.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Why something cannot be had, in a sentence for a tooltip or an error; empty when it can.
using Reason = std::string;

/// An unroll factor that is the compiler's choice: the loop carries no pragma.
constexpr int kAutoUnroll = 0;
/// "auto" or the number.
std::string unrollText(int unroll);

/// Launch parameters that the user can change while it runs. They are checked against row and device before a launch.
struct LaunchConfig {
    int block = 128;          ///< threads per block, and bodies per tile
    int unroll = 16;          ///< compile-time factor chosen at launch, or kAutoUnroll
    int bodiesPerThread = 1;  ///< targets held in registers
    int split = 1;            ///< threads that divide one target's sources
    bool operator==(const LaunchConfig&) const = default;
};

struct Range {
    int first = 1, last = 1;
    bool contains(int v) const { return v >= first && v <= last; }
};

/// How the work of a row can be divided: into slices of a frame, and among several devices or threads.
enum class Split {
    targets,    ///< each range of bodies by itself: the sums of two ranges are those of both, bit for bit
    tilePairs,  ///< pairs of tiles, each adding to the sums of both
    keyRanges,  ///< ranges of the bodies along a curve, by one common tree or set of cells
    none        ///< no division: one launch makes whole steps
};
/// The name in lists and files: "targets", "tile-pairs", "key-ranges", "none".
std::string_view nameOf(Split split);

/// The kind of the pair law, see force_term.h.
constexpr std::string_view kPairLawTerm = "pair-law";

/// A row of the kernel table. Everything the command line, the panel, tests and benchmarks need to know of a kernel.
struct KernelRow {
    std::string_view backend;                ///< name in the table of backends
    std::string_view term = kPairLawTerm;    ///< the kind of force term that it computes
    std::string_view name;                   ///< stable key: --kernel, --term-kernel, tests, benchmark history
    std::string_view idea;                   ///< the idea that it adds to the row above
    Range blocks{1, 1};                      ///< last = 0: up to the device's limit
    std::span<const int> blockSizes{};       ///< only these of `blocks`, where there are any
    std::span<const int> unrolls{};          ///< empty: not tunable
    std::span<const int> bodiesPerThread{};  ///< empty: not tunable
    Range splits{1, 1};
    LaunchConfig usual{};  ///< default launch; it differs from LaunchConfig() only where that one is impossible
    Split cut = Split::targets;
    bool deterministic = true;
    bool equalMasses = false;   ///< computes only bodies of equal mass
    bool approximates = false;  ///< takes far bodies as cells: within the allowed error, and only where one is allowed
    bool byCutOff = false;      ///< leaves out pairs beyond the law's end: exact, and only under laws that end
    bool byOpening = false;     ///< approximates by an opening angle, without an allowed error
    double issuedPerDirectedPair = 0;   ///< issued instructions, 0 if unknown: they bound the rate
    double slots64PerDirectedPair = 0;  ///< the same in fp64, whose instructions take two slots each
    /// Source of its inner loop, for the lab: "force_tiled.cu", or "tiled.cuh:gather,tiledForce" for some of its functions.
    /// Empty: the CUDA file with the name of the row.
    std::string_view source{};
    /// Why its rate does not count: the row is wrong on purpose, is measured and never runs. Empty: a row like the others.
    std::string_view trap{};
    /// Result of keptAccuracy() for a row that approximates; null: it keeps the allowed error.
    double (*keeps)(const ForceSettings& force, double allowedError, double opening) = nullptr;
    /// Why it cannot compute this force in this build; empty when it can. Null: its backend already gives every reason.
    Reason (*refuses)(const KernelRow& row, const ForceSettings& force) = nullptr;
    bool listed = true;  ///< for rows of addKernel(): whether lists and panels show it
};

/// Whether it computes all N * N pairs.
constexpr bool everyPair(const KernelRow& row) { return !row.approximates && !row.byCutOff; }

/// Why that row cannot compute this force, and which one can; empty when it can as far as the row knows.
Reason refusal(const KernelRow& row, const ForceSettings& force);

/// The relative error that 99 % of the bodies keep under that force, with that allowed error or opening angle [rad]; 0 for
/// either is the row's usual value. A result of 0 means rounding only.
double keptAccuracy(const KernelRow& row, const ForceSettings& force, double allowedError = 0, double opening = 0);

/// Fewest issue slots of a directed pair; 0 where that is not known.
double slotsPerDirectedPair(const KernelRow& row, Precision precision);

/// All pair-law rows of this build, for all backends, including those that cannot run here.
std::span<const KernelRow> kernels();
/// The rows that lists show: those of kernels(), then those of addKernel(), of any term.
std::vector<const KernelRow*> listedKernels();
/// The listed rows of one term on one backend, in ladder order. The reference backend has one for every known kind of term.
std::vector<const KernelRow*> listedKernels(std::string_view backend, std::string_view term);

/// Rows that are wrong on purpose, for lessons. They are found by name, are in no other list, and no run uses them.
std::span<const KernelRow> trapKernels();
/// The trap row of that name; null where there is none.
const KernelRow* findTrap(std::string_view backend, std::string_view name);

/// Default launch of the kernel of that name, for requests without one. Empty: no kernel is named.
LaunchConfig usualLaunch(const std::optional<std::string>& kernelName);

/// The kernel of that name in the lists, among the traps or added by addKernel(); null where there is none.
const KernelRow* findKernel(std::string_view backend, std::string_view name, std::string_view term = kPairLawTerm);
inline bool hasKernel(std::string_view backend, std::string_view name, std::string_view term = kPairLawTerm) {
    return findKernel(backend, name, term) != nullptr;
}

/// Throws UsageError, with the nearest names, unless a backend has a kernel of that name for the pair law.
void requireKernel(std::string_view name);

/// Adds a row, of any term, for a test or a plug-in. Call it before main(), or before the row is used; its backend must know
/// its code. Throws std::logic_error for a name that exists already.
const KernelRow& addKernel(const KernelRow& row);

/// The row of that name for a kind of term; without a name the best, which is last, except for the pair law, whose best row
/// depends on N. Throws UsageError naming backend, kind and the valid rows.
const KernelRow& termKernel(std::string_view backend, std::string_view term, const std::optional<std::string>& name);
/// The launch with the values that the row uses. Throws UsageError, naming the valid values, for values it was not built
/// with.
LaunchConfig checkedLaunch(const KernelRow& row, const LaunchConfig& wanted);

/// The row of that name for `backend`. Throws UsageError naming the valid ones and the nearest.
const KernelRow& kernel(std::string_view backend, std::string_view name);

}  // namespace gravlab
