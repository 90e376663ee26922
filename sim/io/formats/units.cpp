// Systems of units, and the conversion of files.
#include "sim/io/formats/units.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"

#include <charconv>
#include <cmath>

namespace gravlab {
namespace {

using namespace si;

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

bool sameUnits(const ReadOptions& options, const StatedUnits& stated) {
    // Constants in files are rounded, as that of gadget.
    const auto near = [](double a, double b) { return std::abs(a / b - 1) < 1e-2; };
    const double ofFile =
        stated.dimensionless ? 1 : kGravity * stated.mass / (stated.length * stated.velocity * stated.velocity);
    const double gravity = stated.gravity.value_or(ofFile);
    if (options.gravity) return near(*options.gravity, gravity);
    const UnitSystem& system = unitSystem(options.units);
    const auto size = [](std::string_view name) { return parsedUnit(name).value_or(ParsedUnit{}).factor; };
    const bool named = !stated.dimensionless && !stated.lengthName.empty() && !system.lengthName.empty();
    return near(system.gravity, gravity) &&
           (!named || (near(size(system.lengthName), stated.length) && near(size(system.massName), stated.mass)));
}

void convertUnits(Snapshot& snapshot, const ReadOptions& options, const std::optional<StatedUnits>& stated,
                  const std::string& name, double hubble) {
    if (!options.gravity && options.units.empty() && !stated) {
        if (snapshot.units.empty()) snapshot.units = "G = 1";
        if (hubble != 1)
            snapshot.notes.push_back("HubbleParam = " + shortNumber(hubble) +
                                     ": with --units, lengths and masses are read as those units over it");
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
    if (stated && (options.gravity || !options.units.empty()) && !sameUnits(options, *stated))
        snapshot.notes.push_back("it states " +
                                 (stated->lengthName.empty() || stated->dimensionless
                                      ? stated->words
                                      : stated->lengthName + ", " + stated->velocityName + ", " + stated->massName) +
                                 ", but its numbers are taken as those of --" +
                                 (options.gravity ? from : "units " + options.units + " (" + from + ")"));
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

void convertFrom(const FileUnits& units, Snapshot& snapshot, const std::string& name) {
    if (!units.plain()) apply(snapshot, {units.lengthBy, units.velocityBy, units.massBy}, name);
    snapshot.fileUnits = units;
}

}  // namespace gravlab
