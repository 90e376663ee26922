// Kernels that measure a state, as the host sees them. Rule: every sum has an order that depends on the number of bodies
// alone, and what is counted in no order is counted in integers: slices and repeats change no bit.
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
/// A body with more than this share of all sources has its pairs in double: what few strong pairs sum up to would not
/// average their rounding away.
constexpr double kHeavyShare = 1.0 / 1024;

/// Sums over all bodies, in doubles.
struct Moments {
    double kinetic, momentum[3], spin[3];
    double first[3], mass;           ///< sum of m x, and of m
    double weight[3], weightOfMass;  ///< of |m| x, and of |m|
    double spinScale;                ///< of |m| |x| |v|
    double sources;                  ///< of |source|
};
constexpr int kMoments = sizeof(Moments) / sizeof(double);

/// Energy and nearest pair of some bodies.
struct PairPart {
    double energy, squared;
    std::uint32_t first, second;
};

/// All that a measurement gives.
struct MeasuredState {
    Moments moments;
    PairPart pairs;  ///< squared: of the exact distance
    double radii[3];
};

/// How the search for the radii stands: the leading bits of each radius, and the mass that lies within smaller ones.
struct RadiusSearch {
    unsigned long long prefix[3], inside[3];
};

/// Sums of a chunk of bodies into parts[block]; then a MomentEndTask adds up all of them into `result`, in one block.
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
    RadiusSearch* search;           ///< begins anew
    unsigned long long* histogram;  ///< [3][256], cleared
};

/// Distance from the centre of mass as an integer of the same order, and share of the mass in 2^-62. One thread a body.
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
    int shift;  ///< of the eight bits
};
/// Finds the next eight bits of all three radii, in one block; the last call writes the radii.
struct RadiusPickTask {
    RadiusSearch* search;
    unsigned long long* histogram;
    MeasuredState* state;
    unsigned long long want[3];  ///< mass within each radius, in 2^-62 of all
    bool last;
};

/// Some targets, each against those of the sources [sourceFirst, sourceEnd) that come before it. One thread a target.
template <class Real>
struct PairTask {
    const Vec4<Real>* bodies;
    const MeasuredState* state;  ///< its moments
    double* energy;              ///< of each body with those before it, its own source aside; begun by the first sources
    double* squared;             ///< of the distance to the nearest of them
    std::uint32_t* neighbour;
    std::uint32_t targetFirst, targetEnd, sourceFirst, sourceEnd;
};
/// Softened by `squared`, or at a distance of zero nothing.
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
    double sign;  ///< of the energy
    MeasuredState* state;
};

/// The share that some bodies have in the energy, by a plain loop in double against what is to be judged. One block each.
struct FieldCheckTask {
    const Vec4<float>* bodies;
    const double* energy;          ///< to be judged, see TreeFields
    const std::uint32_t* targets;  ///< one a block
    double* result;                ///< [2 k] what was got, [2 k + 1] what it should be
    std::uint32_t count;
    double softeningSquared;
    double power, factor;  ///< of the pull, see PowerPull
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
/// In which pairs of light bodies are computed where `Pair` is asked for.
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

}  // namespace gravlab::cuda
