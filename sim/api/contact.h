// What happens where two bodies touch: the settings, and what they have done so far. G = 1.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace gravlab {

/// What a contact does.
enum class ContactMode { none, merge, bounce, stick };

/// A row of the table of modes.
struct ContactRow {
    std::string_view name;  ///< stable key of --contact
    std::string_view idea;  ///< one line for lists and tooltips
    ContactMode mode;
};
/// All modes, in the order of the enum.
std::span<const ContactRow> contactModes();
inline const ContactRow& contactRow(ContactMode mode) { return contactModes()[static_cast<std::size_t>(mode)]; }

/// How bodies touch.
struct ContactSettings {
    ContactMode mode = ContactMode::none;
    double restitution = 0.5;  ///< fraction of the normal speed that a bounce keeps, 0 to 1
    double friction = 0;       ///< Coulomb's coefficient of the tangential impulse, at least 0
    double radius = 0;         ///< of every body at the start [L]; 0: their own
    double density = 0;        ///< gives the radii at the start by mass [M/L^3]; 0: their own
    bool acts() const { return mode != ContactMode::none; }
    bool operator==(const ContactSettings&) const = default;
};

/// What the contacts of a run have done so far.
struct ContactTotals {
    double lost = 0;  ///< energy that they took; a merged pair takes its negative potential along [M L^2/T^2]
    std::int64_t merges = 0, bounces = 0;
    bool operator==(const ContactTotals&) const = default;
};

}  // namespace gravlab
