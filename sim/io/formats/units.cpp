// Systems of units, the conversion of files, a question about units that a file does not state, and units as people see
// them and as this program's files store them. Rule: only ask; never convert by a guess.
#include "sim/io/formats/units.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/random.h"
#include "sim/core/text.h"
#include "sim/io/toml_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

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

double sizeOf(std::string_view parsed) { return parsedUnit(parsed).value_or(ParsedUnit{}).factor; }

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
    units.metresPerSecond = factor(units.velocity, 1, 0, -1) * units.velocityBy;
    if (units.metres > 0 && units.kilograms > 0 && units.metresPerSecond > 0 &&
        std::isfinite(units.metres + units.kilograms + units.metresPerSecond))
        return;
    units.length = units.mass = units.velocity = {};
    units.metres = units.kilograms = units.metresPerSecond = 0;
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
    const bool named = !stated.dimensionless && !stated.lengthName.empty() && !system.lengthName.empty();
    return near(system.gravity, gravity) &&
           (!named || (near(sizeOf(system.lengthName), stated.length) && near(sizeOf(system.massName), stated.mass)));
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
        const std::string over = "/" + shortestText(hubble);
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

namespace {

// The ratio is 1/2 in balance. A start at rest, or an expanding one, may be far from it, but hardly as far as these limits.
constexpr double kBalance = 0.5, kLowest = 5e-3, kHighest = 1e3;
// A suitable system of units brings the ratio this close to balance.
constexpr double kNear = 30;
constexpr std::size_t kAllPairs = 1024, kHeavy = 16, kSampledPairs = std::size_t{1} << 19;

double pairEnergy(const ParticleSet& bodies, std::size_t i, std::size_t j) {
    const double apart = length(xyz(bodies.position[i]) - xyz(bodies.position[j]));
    return apart > 0 ? bodies.position[i].w * bodies.position[j].w / apart : 0;
}

/// The sum of m m / r over all pairs: exact for few bodies; of many, the heaviest and a sample of the others.
double bindingEnergy(const ParticleSet& bodies) {
    const std::size_t n = bodies.size();
    double sum = 0;
    if (n <= kAllPairs) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j) sum += pairEnergy(bodies, i, j);
        return sum;
    }
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::nth_element(order, order.begin() + kHeavy, std::greater(),
                             [&](std::uint32_t i) { return bodies.position[i].w; });
    for (std::size_t a = 0; a < kHeavy; ++a)
        for (std::size_t b = a + 1; b < n; ++b) sum += pairEnergy(bodies, order[a], order[b]);
    const double rest = static_cast<double>(n - kHeavy);
    const auto any = [&](Random& random) {
        return order[kHeavy + std::min(static_cast<std::size_t>(random.uniform() * rest), n - kHeavy - 1)];
    };
    Random random(1);
    double sampled = 0;
    std::size_t pairs = 0;
    for (std::size_t k = 0; k < kSampledPairs; ++k) {
        const std::size_t i = any(random), j = any(random);
        if (i == j) continue;
        sampled += pairEnergy(bodies, i, j);
        ++pairs;
    }
    return sum + sampled / static_cast<double>(std::max<std::size_t>(pairs, 1)) * 0.5 * rest * (rest - 1);
}

double kineticEnergy(const ParticleSet& bodies) {
    double mass = 0, sum = 0;
    Vec3d drift{};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        mass += bodies.position[i].w;
        drift += bodies.position[i].w * xyz(bodies.velocity[i]);
    }
    if (!(mass > 0)) return 0;
    drift /= mass;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Vec3d v = xyz(bodies.velocity[i]) - drift;
        sum += 0.5 * bodies.position[i].w * dot(v, v);
    }
    return sum;
}

}  // namespace

std::string radiiDoubt(const Snapshot& snapshot) {
    constexpr std::size_t kPairs = 10'000'000, kFewest = 16;
    const ParticleSet& bodies = snapshot.bodies;
    const std::size_t n = bodies.surface.size(),
                      stride = std::max<std::size_t>(n / std::max(kPairs / std::max<std::size_t>(n, 1), kFewest), 1);
    std::size_t larger = 0, looked = 0;
    for (std::size_t i = 0; i < n; i += stride, ++looked) {
        double nearest = INFINITY;
        for (std::size_t j = 0; j < n; ++j) {
            const Vec3d apart = xyz(bodies.position[i]) - xyz(bodies.position[j]);
            if (j != i) nearest = std::min(nearest, dot(apart, apart));
        }
        larger += bodies.surface[i].radius * bodies.surface[i].radius > nearest;
    }
    if (larger == 0) return {};
    const std::string unit = snapshot.fileUnits.length;
    return "of " + std::to_string(looked) + " bodies " + std::to_string(larger) +
           " have radii beyond the nearest body: are radii and places both in " + (unit.empty() ? "one unit" : unit) + "?";
}

UnitsDoubt unitsDoubt(const Snapshot& snapshot) {
    const ParticleSet& bodies = snapshot.bodies;
    const bool stated = !snapshot.fileUnits.plain() || snapshot.fileUnits.named() || snapshot.units != "G = 1";
    const bool charges = std::ranges::any_of(bodies.position, [](const Double4& p) { return p.w < 0; });
    if (stated || charges || snapshot.isCheckpoint() || !snapshot.knowsVelocities || bodies.size() < 2) return {};
    const double ratio = kineticEnergy(bodies) / bindingEnergy(bodies);
    if (!std::isfinite(ratio) || !(ratio > 0) || (ratio >= kLowest && ratio <= kHighest)) return {};
    const UnitSystem* best = nullptr;
    const auto away = [&](const UnitSystem& system) { return std::abs(std::log(ratio / system.gravity / kBalance)); };
    for (const UnitSystem& system : unitSystems())
        if (!system.lengthName.empty() && away(system) < std::log(kNear) && (!best || away(system) < away(*best)))
            best = &system;
    const std::string start = formatted("far from balance (kinetic/potential %.2g): ", ratio);
    UnitsDoubt doubt{.question = start, .units = {}};
    if (!best) {
        doubt.question += "which units are these? Give --units or --G";
        return doubt;
    }
    doubt.units = best->name;
    doubt.question += "are these " + std::string(best->lengthName) + ", " + std::string(best->velocityName) + ", " +
                      std::string(best->massName) + "? --units " + doubt.units;
    return doubt;
}

namespace {

/// A unit for display, and the names that a file may use for it.
struct ShownName {
    std::string_view name, parsed;
};
constexpr ShownName kLengths[] = {{"m", "m"}, {"km", "km"}, {"AU", "au"}, {"pc", "pc"}, {"kpc", "kpc"}, {"Mpc", "Mpc"}};
constexpr ShownName kMasses[] = {{"kg", "kg"}, {"Mearth", "Mearth"}, {"Msun", "Msun"}};
constexpr ShownName kSpeeds[] = {{"m/s", "m/s"}, {"km/s", "km/s"}};
constexpr ShownName kTimes[] = {{"s", "s"}, {"days", "day"}, {"years", "yr"}, {"Myr", "Myr"}};

/// The file's own unit if it is in the list, else the one nearest in size.
const ShownName& chosen(std::span<const ShownName> rows, const std::string& own, double size) {
    constexpr double kSame = 1e-3;
    const double wanted = own.empty() ? 0 : sizeOf(own);
    const ShownName* nearest = &rows.front();
    for (const ShownName& row : rows) {
        if (wanted > 0 && std::abs(wanted / sizeOf(row.parsed) - 1) < kSame) return row;
        if (std::abs(std::log(size / sizeOf(row.parsed))) < std::abs(std::log(size / sizeOf(nearest->parsed))))
            nearest = &row;
    }
    return *nearest;
}

/// The longest unit that gives numbers of a convenient size.
const ShownName& timeUnit(double seconds) {
    constexpr double kHandy = 0.05;
    for (std::size_t i = std::size(kTimes); i-- > 1;)
        if (seconds >= kHandy * sizeOf(kTimes[i].parsed)) return kTimes[i];
    return kTimes[0];
}

double sizeOfShown(std::span<const ShownName> rows, std::string_view name, double scale) {
    for (const ShownName& row : rows)
        if (row.name == name) return sizeOf(row.parsed) * scale;
    return 0;
}

bool within(double a, double b) {
    constexpr double kRounding = 1e-14;
    return std::abs(a / b - 1) <= kRounding;
}

/// The numbers that this program's files store, by their keys.
struct NumberRow {
    std::string_view key;
    double FileUnits::*value;
};
constexpr NumberRow kNumbers[] = {{"length_by", &FileUnits::lengthBy},     {"mass_by", &FileUnits::massBy},
                                  {"velocity_by", &FileUnits::velocityBy}, {"metres", &FileUnits::metres},
                                  {"kilograms", &FileUnits::kilograms},    {"metres_a_second", &FileUnits::metresPerSecond}};
struct TextRow {
    std::string_view key;
    std::string FileUnits::*value;
};
constexpr TextRow kTexts[] = {
    {"length", &FileUnits::length}, {"mass", &FileUnits::mass}, {"velocity", &FileUnits::velocity}};

}  // namespace

SceneUnits shownUnits(const FileUnits& units) {
    if (!(units.metres > 0) || !(units.kilograms > 0) || !(units.metresPerSecond > 0)) return {};
    const double seconds = units.metres / units.metresPerSecond;
    const ShownName& length = chosen(kLengths, units.length, units.metres);
    const ShownName& mass = chosen(kMasses, units.mass, units.kilograms);
    const ShownName& speed = chosen(kSpeeds, units.velocity, units.metresPerSecond);
    const ShownName& time = timeUnit(seconds);
    return {.length = length.name,
            .mass = mass.name,
            .time = time.name,
            .speed = speed.name,
            .lengthScale = units.metres / sizeOf(length.parsed),
            .massScale = units.kilograms / sizeOf(mass.parsed),
            .timeScale = seconds / sizeOf(time.parsed),
            .speedScale = units.metresPerSecond / sizeOf(speed.parsed)};
}

FileUnits physicalUnits(const SceneUnits& units) {
    FileUnits physical{.metres = sizeOfShown(kLengths, units.length, units.lengthScale),
                       .kilograms = sizeOfShown(kMasses, units.mass, units.massScale),
                       .metresPerSecond = sizeOfShown(kSpeeds, units.speed, units.speedScale)};
    const bool known = physical.metres > 0 && physical.kilograms > 0 && physical.metresPerSecond > 0;
    return known ? physical : FileUnits{};
}

bool namesSuffice(const FileUnits& units) {
    if (!units.named()) return false;
    StatedUnits stated;
    stated.length = sizeOf(units.length);
    stated.mass = sizeOf(units.mass);
    stated.velocity = sizeOf(units.velocity);
    stated.lengthName = units.length;
    stated.massName = units.mass;
    stated.velocityName = units.velocity;
    Snapshot nothing;
    convertUnits(nothing, {}, stated, {});
    const FileUnits& read = nothing.fileUnits;
    return within(read.lengthBy, units.lengthBy) && within(read.massBy, units.massBy) &&
           within(read.velocityBy, units.velocityBy);
}

std::string fileUnitsText(const FileUnits& units) {
    if (units == FileUnits{}) return {};
    std::string text;
    for (const TextRow& row : kTexts)
        if (!(units.*row.value).empty()) text += std::string(row.key) + " = " + tomlString(units.*row.value) + "\n";
    for (const NumberRow& row : kNumbers) {
        char number[40];
        const auto end = std::to_chars(number, number + sizeof number, units.*row.value, std::chars_format::scientific).ptr;
        text += std::string(row.key) + " = " + std::string(number, end) + "\n";
    }
    return text;
}

std::optional<FileUnits> fileUnitsFrom(std::string_view text) {
    FileUnits units;
    bool good = true;
    eachLine(text, 1, [&](std::size_t, std::string_view line) {
        const KeyValue pair = keyValue(line);
        const std::optional<Value> value = tomlValue(pair.value);
        if (!pair.found || !value) return void(good = false);
        for (const TextRow& row : kTexts)
            if (row.key == pair.key) {
                const auto* word = std::get_if<std::string>(&*value);
                // The name goes into headers, so accept only a unit.
                if (word && parsedUnit(*word))
                    units.*row.value = *word;
                else
                    good = false;
            }
        for (const NumberRow& row : kNumbers)
            if (row.key == pair.key) {
                const std::optional<double> number = numberOf(*value);
                if (number && *number >= 0 && std::isfinite(*number))
                    units.*row.value = *number;
                else
                    good = false;
            }
    });
    const bool factors = units.lengthBy > 0 && units.massBy > 0 && units.velocityBy > 0;
    const bool whole = units.length.empty() == units.mass.empty() && units.length.empty() == units.velocity.empty();
    if (!good || !factors || !whole) return std::nullopt;
    return units;
}

}  // namespace gravlab
