// Contacts of bodies with radii: found along the straight path of a step, resolved in fp64 on the host at its end.
// Rule: the order is that of time, then of ids; it depends on neither slices nor threads. G = 1.
#pragma once
#include "sim/contact/contact_settings.h"
#include "sim/core/particles.h"
#include "sim/core/state_array.h"
#include "sim/forces/force_settings.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Two bodies by index that may touch.
struct ContactPair {
    std::uint32_t first = 0, second = 0;
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
};

/// Bodies that the step took from `before` (positions) to `bodies`, in the same order, are changed by their contacts. Bodies
/// that merged are gone; the others keep their order. Momentum, mass and angular momentum with spin stay the same to
/// rounding. `candidates`: all pairs that may touch on the way from `before`, if they are known. Returns the events in
/// their order.
///
/// A pair in contact stays bound when its energy after the bounce, in the frame that turns about the body with the
/// strongest tide, is below that of the Hill sphere's edge, and the centres are within that sphere. The lost energy is that
/// of the two bodies, of each other and of all bodies that have more than a thousandth of the mass.
std::vector<ContactEvent> resolveContacts(const std::vector<Double4>& before, ParticleSet& bodies,
                                          const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step, const std::vector<ContactPair>* candidates = nullptr);

/// Finds pairs in contact on the device that has the bodies. Calls wait for its queue.
class ContactWatch {
public:
    virtual ~ContactWatch() = default;
    /// Paths begin at the last complete step. False: there is no memory for it.
    virtual bool begin() = 0;
    /// All pairs that may touch between there and the last complete step, where the next paths begin. `before`: the
    /// positions where these began, if there are pairs. Throws DeviceError.
    virtual void find(std::vector<ContactPair>& pairs, std::vector<Double4>& before) = 0;
};

/// Pairs of bodies that overlap where they are.
std::size_t countOverlaps(const ParticleSet& bodies);

/// Gives bodies the radii of the settings: all of them, or only those without one.
void giveRadii(ParticleSet& bodies, const ContactSettings& contact, bool onlyMissing);
/// Throws UsageError naming the body where a radius is negative or a number is not finite.
void requireSurfaces(const ParticleSet& bodies);
/// Throws UsageError where the settings are out of range, or do not fit the law or the bodies.
void requireContact(const ContactSettings& contact, const ForceSettings& force, const ParticleSet* bodies = nullptr);

/// Energy and angular momentum of the rotation of all bodies.
struct Rotation {
    double energy = 0;        ///< [M L^2/T^2]
    Vec3d angularMomentum{};  ///< [M L^2/T]
};
Rotation rotationOf(const ParticleSet& bodies);

/// The arrays that an exact continuation needs of a run with radii; none where all bodies are points.
std::vector<StateArray> arraysOf(const std::vector<Surface>& surfaces, const ContactTotals& totals);
/// The inverse: takes the arrays out of `arrays` and gives them to the bodies. Throws InputError with `name` where they do
/// not fit.
ContactTotals takeContacts(std::vector<StateArray>& arrays, ParticleSet& bodies, const std::string& name);

/// Header and rows of the log of events, with line ends.
std::string contactLogHeader();
std::string contactLogRow(const ContactEvent& event);

}  // namespace gravlab
