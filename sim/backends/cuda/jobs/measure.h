// Kernels that measure a state, as the host sees them. Rule: the order of every sum depends on the number of bodies alone,
// and counts without an order are integers: slices and repeats change no bit.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/forces/law.h"

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace gravlab::cuda {

constexpr unsigned kMeasureThreads = 256;
/// Bodies whose terms one block sums.
constexpr std::uint32_t kMeasureChunk = 1024;
/// Most sources of one launch of the pairs: a multiple of the threads.
constexpr std::uint32_t kMeasureSources = 4096;
/// A body with more than this fraction of all sources has its pairs in double: a sum of few strong pairs does not average
/// its rounding away.
constexpr double kHeavyShare = 1.0 / 1024;

/// Sums over all bodies, in doubles.
struct Moments {
    double kinetic, momentum[3], spin[3];
    double first[3], mass;           ///< sum of m x, and of m
    double weight[3], weightOfMass;  ///< sum of |m| x, and of |m|
    double spinScale;                ///< sum of |m| |x| |v|
    double sources;                  ///< sum of |source|
};
constexpr int kMoments = sizeof(Moments) / sizeof(double);

/// Energy and nearest pair of some bodies.
struct PairPart {
    double energy, squared;
    std::uint32_t first, second;
};

/// Results of a measurement.
struct MeasuredState {
    Moments moments;
    PairPart pairs;  ///< squared: exact distance squared
    double radii[3];
};

/// State of the search for the radii: the leading bits of each radius, and the mass within smaller radii.
struct RadiusSearch {
    unsigned long long prefix[3], inside[3];
};

/// Writes the sums of a chunk of bodies to parts[block]; then a MomentEndTask adds them all up into `result`, in one block.
template <class Real>
struct MomentTask {
    const Vec4<Real>*x, *v;
    Moments* parts;
    std::uint32_t count;
};
struct MomentEndTask {
    const Moments* parts;
    std::uint32_t count;
    MeasuredState* result;
    RadiusSearch* search;           ///< set to the start of the search
    unsigned long long* histogram;  ///< [3][256], cleared
};

/// Writes the distance from the centre of mass as an integer of the same order, and the fraction of the mass in 2^-62. One
/// thread a body.
template <class Real>
struct RadiusTask {
    const Vec4<Real>*x, *v;
    const MeasuredState* state;
    unsigned long long *radius, *mass;
    std::uint32_t count;
};
/// Counts the mass whose radius begins with the bits found so far, by its next eight bits.
struct RadiusCountTask {
    const unsigned long long *radius, *mass;
    const RadiusSearch* search;
    unsigned long long* histogram;
    std::uint32_t count;
    int shift;  ///< position of the eight bits
};
/// Finds the next eight bits of all three radii, in one block; the last call writes the radii.
struct RadiusPickTask {
    RadiusSearch* search;
    unsigned long long* histogram;
    MeasuredState* state;
    unsigned long long want[3];  ///< mass within each radius, in 2^-62 of the total
    bool last;
};

/// Pairs of targets with those of the sources [sourceFirst, sourceEnd) that have smaller indices. One thread a target.
template <class Real>
struct PairTask {
    const Vec4<Real>* bodies;
    const MeasuredState* state;  ///< holds the moments
    double* energy;              ///< of each body with those before it, without its own source; the first sources set it
    double* squared;             ///< squared distance to the nearest of them
    std::uint32_t* neighbour;
    std::uint32_t targetFirst, targetEnd, sourceFirst, sourceEnd;
};
/// Energy of a pair, softened by `squared`; zero at a distance of zero.
template <class Real>
struct PlainEnergy {
    Real squared;
};
template <class Law>
struct LawEnergy {
    Law law;
    bool finiteAtZero;
};
/// The law for light bodies, and in double for heavy ones.
template <class Real, class Light, class Heavy>
struct LawPairTask {
    PairTask<Real> pairs;
    Light light;
    Heavy heavy;
};

/// Adds up a chunk of bodies into parts[block]; then all parts into the state, in one block.
template <class Real>
struct PairChunkTask {
    const Vec4<Real>* bodies;
    const double *energy, *squared;
    const std::uint32_t* neighbour;
    PairPart* parts;
    std::uint32_t count;
};
template <class Real>
struct PairEndTask {
    const Vec4<Real>* bodies;
    const PairPart* parts;
    std::uint32_t count;
    double sign;  ///< sign of the energy
    MeasuredState* state;
};

/// Compares the energy of some bodies with a plain loop in double. One block a body.
struct FieldCheckTask {
    const Vec4<float>* bodies;
    const double* energy;          ///< values under test, see TreeFields
    const std::uint32_t* targets;  ///< one a block
    double* result;                ///< [2 k] value under test, [2 k + 1] value of the plain loop
    std::uint32_t count;
    double softeningSquared;
    double power, factor;  ///< constants of the pull, see PowerPull
};
Kernel<FieldCheckTask> fieldCheckKernel();

template <class Real>
struct MeasureKernels {
    Kernel<MomentTask<Real>> moments;
    Kernel<MomentEndTask> momentsEnd;
    Kernel<RadiusTask<Real>> radii;
    Kernel<RadiusCountTask> countRadii;
    Kernel<RadiusPickTask> pickRadii;
    Kernel<PairChunkTask<Real>> pairChunks;
    Kernel<PairEndTask<Real>> pairsEnd;
};
template <class Real>
MeasureKernels<Real> measureKernels();
/// The law of pairs of light bodies where the task requests `Pair`.
template <template <class> class PairLaw, class Pair>
using PairRealOf = std::conditional_t<PairLaw<double>::kSingleEnergy, Pair, double>;
template <class Real, class Pair, class Laws>
struct PairEnergyKernels;
template <class Real, class Pair, template <class> class... PairLaws>
struct PairEnergyKernels<Real, Pair, LawList<PairLaws...>> {
    using Kernels = std::tuple<
        Kernel<LawPairTask<Real, PlainEnergy<Pair>, PlainEnergy<double>>>,
        Kernel<LawPairTask<Real, LawEnergy<PairLaws<PairRealOf<PairLaws, Pair>>>, LawEnergy<PairLaws<double>>>>...>;
    static Kernels all();
};
/// PlainEnergy for gravity, else LawEnergy. Light bodies of a state in float may have their pairs in float.
template <class Real, class Pair, class Light, class Heavy>
Kernel<LawPairTask<Real, Light, Heavy>> measurePairsKernel() {
    return std::get<Kernel<LawPairTask<Real, Light, Heavy>>>(PairEnergyKernels<Real, Pair, OtherLoopLaws>::all());
}

// Sum of the forces on all bodies: zero where the two forces of each pair are opposite.
constexpr unsigned kMomentumThreads = 256, kMomentumBlocks = 264;

/// Each block sums a fixed set of the bodies, in an order that depends on the number of bodies alone.
template <class Real>
struct MomentumTask {
    const Vec4<Real>* bodies;         ///< w = mass
    const Vec4<Real>* accelerations;  ///< accelerations of the bodies
    double* parts;                    ///< [4 block]: x, y, z of m a, and |m a|
    std::uint32_t count;
};
template <class Real>
Kernel<MomentumTask<Real>> momentumKernel();

}  // namespace gravlab::cuda
