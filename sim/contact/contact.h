// Contacts of bodies with radii: found along the straight path of a step, resolved in fp64 on the host at its end.
// Rule: the order is that of time, then of ids; it depends on neither slices nor threads. G = 1.
#pragma once
#include "sim/api/bodies.h"
#include "sim/api/contact.h"
#include "sim/core/particles.h"
#include "sim/forces/force_term.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Two bodies by index that may touch.
struct ContactPair {
    std::uint32_t first = 0, second = 0;
};

/// Entries of a list in one array of all lists.
struct ListRange {
    std::uint32_t first = 0, count = 0;
};

enum class ContactKind { merge, bounce };

/// A contact that changed bodies.
struct ContactEvent {
    std::int64_t step = 0;  ///< that the contact ended
    double time = 0;        ///< of the contact [T]
    ContactKind kind = ContactKind::merge;
    std::uint32_t first = 0, second = 0;  ///< ids; after a merger the first one remains
    double speed = 0;                     ///< relative speed of the two centres before it [L/T]
    double lost = 0;                      ///< energy that it took [M L^2/T^2]
    Vec3d place{};                        ///< point of contact [L]
    double mass = 0, radius = 0;          ///< of the first one after it [M], [L]
};

/// The step whose end is resolved.
struct ContactStep {
    std::int64_t step = 0;  ///< its number at its end
    double time = 0;        ///< at its beginning [T]
    double length = 0;      ///< [T]; contacts need it above 0
    int threads = 0;        ///< of the host, at most; 0: all
};

/// What contacts change of bodies that the step took from `before` (positions) to `bodies`, in the same order. Momentum,
/// mass and angular momentum with spin stay the same to rounding. Returns the events in their order.
///
/// A pair in contact stays bound when its energy after the bounce, in the frame that turns about the body with the
/// strongest tide, is below that of the Hill sphere's edge, and the centres are within that sphere. The lost energy is that
/// of the two bodies, of each other and of all bodies that have more than a thousandth of the mass. See lostBeside().
std::vector<ContactEvent> resolveContacts(const std::vector<Double4>& before, const ParticleSet& bodies,
                                          const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step, BodyChanges& changes);

/// The energy that a step with mergers took, beside what its events count: of light bodies, and of `others`, the terms
/// beside the pair law, whose fields and bonds may end with a body. `after`: the bodies that `events` left of those
/// `before`. Light bodies are left out where countsLightBodies() says so.
double lostBeside(const ParticleSet& before, const ParticleSet& after, std::span<const ContactEvent> events,
                  const ForceSettings& force, const ForceTerms& others, int threads);
/// Whether so few pairs change in so many events that their energy is summed in much less than a second.
constexpr bool countsLightBodies(std::size_t events, std::size_t bodies) {
    return 2 * events * bodies <= std::size_t{1} << 22;
}

/// Throws where so many pairs of bodies overlap that their lists fill the memory.
void requireFewPairs(std::size_t pairs, std::size_t bodies);

/// Indices of the bodies that count in the lost energy and as the origin of tides: those with more than a thousandth of the
/// mass. `massOf(i)`: of body i.
template <class Mass>
std::vector<std::uint32_t> heavyBodies(std::size_t count, const Mass& massOf) {
    constexpr double kShare = 1e-3;
    double whole = 0;
    for (std::size_t i = 0; i < count; ++i) whole += std::abs(massOf(i));
    std::vector<std::uint32_t> heavy;
    for (std::size_t i = 0; i < count; ++i)
        if (whole > 0 && std::abs(massOf(i)) > kShare * whole) heavy.push_back(static_cast<std::uint32_t>(i));
    return heavy;
}

/// Vectors of a device in its precision, four numbers each. Host memory.
struct RawVectors {
    const float* single = nullptr;  ///< null: they are in `wide`
    const double* wide = nullptr;
    Double4 operator[](std::size_t i) const {
        const auto from = [i](const auto* values) -> Double4 {
            return {values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]};
        };
        return single ? from(single) : from(wide);
    }
};

/// Memory that the resolution of each step uses again, see parts.cpp.
struct PartMemory;

/// A step with contacts whose bodies are on a device: what the resolution reads of them, and what it changes. Host memory.
/// A list has all bodies that a body may touch while neither has left its path by more than allowanceOf().
struct FoundContacts {
    /// Bodies on the host, which must stay; nothing is found yet.
    static FoundContacts of(const std::vector<Double4>& before, const ParticleSet& bodies);

    RawVectors before, position, velocity;
    std::span<const std::uint32_t> id{};
    std::span<const Surface> surface{};
    std::span<const std::uint32_t> heavy{};    ///< see heavyBodies()
    std::span<const ContactPair> pairs{};      ///< all that touch if no path changes, and some more; each once
    std::span<const ListRange> lists{};        ///< of each body, in `near`
    std::span<const std::uint32_t> near{};     ///< bodies of the lists
    std::span<const ContactPair> nearLarge{};  ///< also in the lists of large bodies: `first` is the large one
    std::span<const std::uint32_t> order{};    ///< all bodies; those near each other are near each other in it
    std::span<const std::uint32_t> large{};    ///< bodies that are compared with all
    double mostReach = 0;                      ///< of the others: half their path and their radius are shorter [L]
    BodyChanges changes{};
    std::shared_ptr<PartMemory> memory{};
};
/// Resolves the contacts of `found` as above, and writes `found.changes`. Of bodies far from any contact it reads the path.
std::vector<ContactEvent> resolveContacts(FoundContacts& found, const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step);

/// Finds pairs in contact on the device that has the bodies. Calls wait for its queue.
class ContactWatch {
public:
    virtual ~ContactWatch() = default;
    /// Paths begin at the last complete step. False: there is no memory for it.
    virtual bool begin() = 0;
    /// The contacts between there and the last complete step, where the next paths begin; null: no pair touches. Valid
    /// until the bodies change. Throws DeviceError.
    virtual FoundContacts* find() = 0;
};

/// Pairs of bodies that overlap where they are. Throws as requireFewPairs() does.
std::size_t countOverlaps(const ParticleSet& bodies);

/// Gives bodies the radii of the settings: all of them, or only those without one.
void giveRadii(ParticleSet& bodies, const ContactSettings& contact, bool onlyMissing);
/// Throws UsageError naming the body where a radius is negative, or a number or the energy of rotation is not finite.
void requireSurfaces(const ParticleSet& bodies);
/// Throws UsageError where the settings are out of range, or do not fit the law or the bodies.
void requireContact(const ContactSettings& contact, const ForceSettings& force, const ParticleSet* bodies = nullptr);

/// Energy and angular momentum of the rotation of all bodies. `massOf(i)`: the inertial mass of body i.
struct Rotation {
    double energy = 0;        ///< [M L^2/T^2]
    Vec3d angularMomentum{};  ///< [M L^2/T]
};
template <class Mass>
Rotation rotationOf(const std::vector<Surface>& surfaces, const Mass& massOf) {
    Rotation sum;
    for (std::size_t i = 0; i < surfaces.size(); ++i) {
        const double inertia = inertiaOf(massOf(i), surfaces[i].radius);
        sum.energy += inertia * dot(surfaces[i].spin, surfaces[i].spin) / 2;
        sum.angularMomentum += inertia * surfaces[i].spin;
    }
    return sum;
}
inline Rotation rotationOf(const ParticleSet& bodies) {
    return rotationOf(bodies.surface, [&](std::size_t i) { return inertialMass(bodies.position[i], bodies.velocity[i]); });
}

/// The arrays that an exact continuation needs beside the bodies of a run with radii; none where all bodies are points.
std::vector<StateArray> arraysOf(const std::vector<Surface>& surfaces, const ContactTotals& totals);
/// The inverse: takes the arrays out of `arrays`. Throws InputError with `name` where they do not fit.
ContactTotals takeContacts(std::vector<StateArray>& arrays, const std::string& name);

/// Header and rows of the log of events, with line ends.
std::string contactLogHeader();
std::string contactLogRow(const ContactEvent& event);

}  // namespace gravlab
