// Constants: CODATA 2018 for G, IAU 2015 for the nominal solar mass parameter GM = 1.3271244e20 m3/s2, IAU 2012 for the au.
#include "sim/io/formats/units.h"

#include "sim/core/error.h"
#include "sim/core/names.h"

#include <charconv>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

constexpr double kGravity = 6.6743e-11;
constexpr double kSolarMassParameter = 1.3271244e20;
constexpr double kSunMass = kSolarMassParameter / kGravity;
constexpr double kAstronomicalUnit = 1.495978707e11;
constexpr double kParsec = 3.0856775814913673e16;
constexpr double kDay = 86400;
constexpr double kYear = 365.25 * kDay;
// Earth's mean speed: with the au it makes the year 2 pi [T] and the Sun's mass about 1 [M].
const double kEarthSpeed = std::sqrt(kSolarMassParameter / kAstronomicalUnit);

constexpr double kSquareKilometre = 1e6;  // m2

const UnitSystem kSystems[] = {
    {"nbody", "G = 1 already: nothing changes", 1, 1, 1},
    {"solar", "au, solar masses, years", kSolarMassParameter* kYear* kYear / std::pow(kAstronomicalUnit, 3), 1, 1, "au",
     "au/yr", "Msun"},
    {"solar-day", "au, solar masses, days", kSolarMassParameter* kDay* kDay / std::pow(kAstronomicalUnit, 3), 1, 1, "au",
     "au/day", "Msun"},
    {"cluster", "parsecs, km/s, solar masses", kSolarMassParameter / kParsec / kSquareKilometre, 1, 1, "pc", "km/s", "Msun"},
    {"galactic", "kiloparsecs, km/s, solar masses", kSolarMassParameter / kParsec / 1e3 / kSquareKilometre, 1, 1, "kpc",
     "km/s", "Msun"},
    {"gadget", "kiloparsecs, km/s, 1e10 solar masses", 43007.1, 1, 1, "kpc", "km/s", "1e10 Msun"},
    {"si", "metres, m/s, kilograms; become au and years / 2 pi", kGravity, kAstronomicalUnit, kEarthSpeed, "m", "m/s", "kg"},
    {"cgs", "centimetres, cm/s, grams; become au and years / 2 pi", kGravity * 1e3, kAstronomicalUnit * 1e2,
     kEarthSpeed * 1e2, "cm", "cm/s", "g"},
};

struct Symbol {
    std::string_view name;
    ParsedUnit unit;
};
const Symbol kSymbols[] = {
    {"m", {1, 1, 0, 0, false}},
    {"cm", {1e-2, 1, 0, 0, false}},
    {"km", {1e3, 1, 0, 0, false}},
    {"au", {kAstronomicalUnit, 1, 0, 0, false}},
    {"rsun", {6.957e8, 1, 0, 0, false}},
    {"pc", {kParsec, 1, 0, 0, false}},
    {"parsec", {kParsec, 1, 0, 0, false}},
    {"kpc", {kParsec * 1e3, 1, 0, 0, false}},
    {"mpc", {kParsec * 1e6, 1, 0, 0, false}},
    {"kg", {1, 0, 1, 0, false}},
    {"g", {1e-3, 0, 1, 0, false}},
    {"msun", {kSunMass, 0, 1, 0, false}},
    {"mearth", {5.9722e24, 0, 1, 0, false}},
    {"mjupiter", {1.89813e27, 0, 1, 0, false}},
    {"s", {1, 0, 0, 1, false}},
    {"day", {kDay, 0, 0, 1, false}},
    {"days", {kDay, 0, 0, 1, false}},
    {"yr", {kYear, 0, 0, 1, false}},
    {"year", {kYear, 0, 0, 1, false}},
    {"years", {kYear, 0, 0, 1, false}},
    {"myr", {kYear * 1e6, 0, 0, 1, false}},
    {"gyr", {kYear * 1e9, 0, 0, 1, false}},
    {"kms", {1e3, 1, 0, -1, false}},
    {"ms", {1, 1, 0, -1, false}},
    {"length", {1, 1, 0, 0, true}},
    {"mass", {1, 0, 1, 0, true}},
    {"time", {1, 0, 0, 1, true}},
};

std::optional<ParsedUnit> symbol(std::string_view text) {
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size()) return ParsedUnit{number, 0, 0, 0, false};
    std::string lower;
    for (char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    // Case distinguishes metres from mega and grams from giga; elsewhere programs write units in any case.
    const bool clear = text.size() > 1 || text == lower;
    const bool mega = lower != "mpc" && lower != "myr" ? true : text.front() == 'M';
    for (const Symbol& row : kSymbols)
        if (row.name == lower && clear && mega) return row.unit;
    return std::nullopt;
}

std::string shortNumber(double value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr;
    return {text, end};
}

// Conversion of file numbers: lengths and velocities are divided, masses multiplied.
struct Conversion {
    double length = 1, velocity = 1, mass = 1;
    bool identity() const { return length == 1 && velocity == 1 && mass == 1; }
};

Conversion conversion(double gravity, double length, double velocity) {
    return {length, velocity, gravity / (length * velocity * velocity)};
}

Conversion conversion(const StatedUnits& units) {
    if (units.dimensionless) return {};
    const double gravity = kGravity * units.mass / (units.length * units.velocity * units.velocity);
    // Numbers in metres and kilometres have cubes beyond the range of fp32.
    constexpr double kShortLength = 1e8;
    if (units.length < kShortLength)
        return conversion(gravity, kAstronomicalUnit / units.length, kEarthSpeed / units.velocity);
    return conversion(gravity, 1, 1);
}

void apply(Snapshot& snapshot, const Conversion& by, const std::string& name) {
    ParticleSet& bodies = snapshot.bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        Double4& p = bodies.position[i];
        Double4& v = bodies.velocity[i];
        p = {p.x / by.length, p.y / by.length, p.z / by.length, p.w * by.mass};
        v = {v.x / by.velocity, v.y / by.velocity, v.z / by.velocity, v.w};
        if (!std::isfinite(p.x + p.y + p.z + p.w + v.x + v.y + v.z))
            throw InputError(name + ": body " + std::to_string(i) +
                             " leaves the range of a double when its units are converted");
    }
    const double time = by.length / by.velocity;
    for (Surface& surface : bodies.surface) {
        surface.radius /= by.length;
        surface.spin *= time;
    }
    for (std::optional<double>* value : {&snapshot.time, &snapshot.timeStep, &snapshot.timeOrigin})
        if (*value) **value /= time;
    if (snapshot.softening) *snapshot.softening /= by.length;
}

/// The units by their names in m, kg and m/s. Unknown names, and names of another kind, are removed.
void weigh(FileUnits& units) {
    const auto factor = [](const std::string& name, int length, int mass, int time) {
        const std::optional<ParsedUnit> unit = parsedUnit(name);
        const bool fits = unit && !unit->nbody && unit->length == length && unit->mass == mass && unit->time == time;
        return fits ? unit->factor : 0;
    };
    units.metres = factor(units.length, 1, 0, 0) * units.lengthBy;
    units.kilograms = factor(units.mass, 0, 1, 0) / units.massBy;
    units.metresASecond = factor(units.velocity, 1, 0, -1) * units.velocityBy;
    if (units.metres > 0 && units.kilograms > 0 && units.metresASecond > 0 &&
        std::isfinite(units.metres + units.kilograms + units.metresASecond))
        return;
    units.length = units.mass = units.velocity = {};
    units.metres = units.kilograms = units.metresASecond = 0;
}

}  // namespace

std::span<const UnitSystem> unitSystems() { return kSystems; }

const UnitSystem& unitSystem(std::string_view name) { return findRow(unitSystems(), "unit system", name); }

std::optional<ParsedUnit> parsedUnit(std::string_view text) {
    ParsedUnit product;
    bool any = false;
    int sign = 1;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == ' ' || c == '*' || c == '/' || c == '.') {
            if (c == '/') sign = -1;
            ++at;
            continue;
        }
        // A term ends at a separator, but "1e-3" and "1000.0" keep their dots, and "**" begins an exponent.
        const bool number = (c >= '0' && c <= '9');
        std::size_t stop = text.find_first_of(number ? " */" : " */.^", at);
        if (stop == std::string_view::npos) stop = text.size();
        const std::optional<ParsedUnit> term = symbol(text.substr(at, stop - at));
        if (!term) return std::nullopt;
        int power = 1;
        std::size_t digits = 0;
        if (text.substr(stop).starts_with("**")) digits = stop + 2;
        if (text.substr(stop).starts_with("^")) digits = stop + 1;
        if (digits > 0) {
            const auto parsed = std::from_chars(text.data() + digits, text.data() + text.size(), power);
            if (parsed.ec != std::errc{} || power < -9 || power > 9) return std::nullopt;
            stop = static_cast<std::size_t>(parsed.ptr - text.data());
        }
        power *= sign;
        sign = 1;
        product.factor *= std::pow(term->factor, power);
        product.length += term->length * power;
        product.mass += term->mass * power;
        product.time += term->time * power;
        product.nbody |= term->nbody;
        any = true;
        at = stop;
    }
    if (!any || !(product.factor > 0) || !std::isfinite(product.factor)) return std::nullopt;
    return product;
}

void convertUnits(Snapshot& snapshot, const ReadOptions& options, const std::optional<StatedUnits>& stated,
                  const std::string& name, double hubble) {
    if (!options.gravity && options.units.empty() && !stated) {
        if (snapshot.units.empty()) snapshot.units = "G = 1";
        return;  // a checkpoint keeps the units of its original file
    }
    Conversion by;
    std::string from;
    FileUnits& kept = snapshot.fileUnits;
    const auto called = [&](std::string_view length, std::string_view mass, std::string_view velocity) {
        kept.length = length;
        kept.mass = mass;
        kept.velocity = velocity;
        if (hubble == 1 || length.empty()) return;
        // G is the same in lengths and masses over h: only their sizes in m and kg change.
        char number[32];
        const std::string over = "/" + std::string(number, std::to_chars(number, number + sizeof number, hubble).ptr);
        kept.length += over;
        kept.mass += over;
        snapshot.notes.push_back("HubbleParam = " + over.substr(1) + ": lengths are read as " + kept.length +
                                 " and masses as " + kept.mass + "; --hubble ignore reads them as " + std::string(length) +
                                 " and " + std::string(mass));
    };
    if (options.gravity) {
        if (!(*options.gravity > 0) || !std::isfinite(*options.gravity))
            throw UsageError("G must be a finite number above 0");
        by = conversion(*options.gravity, 1, 1);
        from = "G = " + shortNumber(*options.gravity);
    } else if (!options.units.empty()) {
        const UnitSystem& system = unitSystem(options.units);
        by = conversion(system.gravity, system.length, system.velocity);
        from = system.idea;
        called(system.lengthName, system.massName, system.velocityName);
    } else if (stated) {
        by = stated->gravity ? conversion(*stated->gravity, 1, 1) : conversion(*stated);
        from = stated->words;
        if (!stated->dimensionless) called(stated->lengthName, stated->massName, stated->velocityName);
    }
    if (!std::isfinite(by.mass) || !(by.mass > 0) || !std::isfinite(by.length) || !std::isfinite(by.velocity))
        throw InputError(name + ": its units (" + from + ") cannot be converted to G = 1");
    kept.lengthBy = by.length;
    kept.massBy = by.mass;
    kept.velocityBy = by.velocity;
    weigh(kept);
    if (by.identity()) {
        if (snapshot.units.empty()) snapshot.units = from.empty() ? "G = 1" : from;
        return;
    }
    apply(snapshot, by, name);
    std::string note = "converted from " + from + " to G = 1: masses x " + shortNumber(by.mass);
    if (by.length != 1) note += ", lengths / " + shortNumber(by.length);
    if (by.velocity != 1) note += ", velocities / " + shortNumber(by.velocity);
    snapshot.notes.push_back(note);
    snapshot.units = "G = 1; " + note;
}

}  // namespace gravlab
