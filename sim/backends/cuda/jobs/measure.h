// What the kernels that measure a state share. Rule: the order of every sum depends on the number of bodies alone, and
// counts without an order are integers: slices and repeats change no bit.
#pragma once
#include "sim/api/law.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"

#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kMeasureThreads = 256;

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

/// Arguments of the sums over bodies and of the search for radii. Device memory.
template <class Real>
struct MeasureTask {
    const Vec4<Real>*x, *v;
    std::uint32_t count, chunks;        ///< bodies; those of a chunk are one block's
    unsigned long long *radius, *mass;  ///< distance from the centre of mass, as an integer of the same order; mass in 2^-62
    double *energy, *squared;           ///< of each body; in the same memory, which the search has left
    std::uint32_t* neighbour;
    Moments* parts;  ///< of each chunk
    PairPart* pairParts;
    MeasuredState* state;
    RadiusSearch* search;
    unsigned long long* histogram;  ///< [3][256]: mass by the next eight bits of the radii
    unsigned long long want[3];     ///< mass within each radius, in 2^-62 of the total
    int shift;                      ///< position of the eight bits
    double sign;                    ///< sign of the energy
};

/// Pairs of targets with those of the sources [sourceFirst, sourceEnd) that have smaller indices. One thread per target.
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

/// Enqueues the pairs of a state of `count` bodies; those of many light bodies in float are in float. Throws DeviceError.
template <class Real>
void launchPairs(const PairTask<Real>& task, std::uint32_t count, const ForceSettings& force, Stream stream);

/// Code of the sums, so that it can be loaded early.
const void* measureCode();

}  // namespace gravlab::cuda
