// Units of a file, as people see them and as this program's files store them.
#include "sim/io/formats/units.h"

#include "sim/core/text.h"
#include "sim/io/toml_value.h"

#include <charconv>
#include <cmath>
#include <iterator>

namespace gravlab {
namespace {

/// A unit for display, and the names that a file may use for it.
struct ShownName {
    std::string_view name, parsed;
};
constexpr ShownName kLengths[] = {{"m", "m"}, {"km", "km"}, {"AU", "au"}, {"pc", "pc"}, {"kpc", "kpc"}, {"Mpc", "Mpc"}};
constexpr ShownName kMasses[] = {{"kg", "kg"}, {"Mearth", "Mearth"}, {"Msun", "Msun"}};
constexpr ShownName kSpeeds[] = {{"m/s", "m/s"}, {"km/s", "km/s"}};
constexpr ShownName kTimes[] = {{"s", "s"}, {"days", "day"}, {"years", "yr"}, {"Myr", "Myr"}};

double sizeOf(std::string_view parsed) { return parsedUnit(parsed).value_or(ParsedUnit{}).factor; }

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
                                  {"kilograms", &FileUnits::kilograms},    {"metres_a_second", &FileUnits::metresASecond}};
struct TextRow {
    std::string_view key;
    std::string FileUnits::*value;
};
constexpr TextRow kTexts[] = {
    {"length", &FileUnits::length}, {"mass", &FileUnits::mass}, {"velocity", &FileUnits::velocity}};

}  // namespace

SceneUnits shownUnits(const FileUnits& units) {
    if (!(units.metres > 0) || !(units.kilograms > 0) || !(units.metresASecond > 0)) return {};
    const double seconds = units.metres / units.metresASecond;
    const ShownName& length = chosen(kLengths, units.length, units.metres);
    const ShownName& mass = chosen(kMasses, units.mass, units.kilograms);
    const ShownName& speed = chosen(kSpeeds, units.velocity, units.metresASecond);
    const ShownName& time = timeUnit(seconds);
    return {.length = length.name,
            .mass = mass.name,
            .time = time.name,
            .speed = speed.name,
            .lengthScale = units.metres / sizeOf(length.parsed),
            .massScale = units.kilograms / sizeOf(mass.parsed),
            .timeScale = seconds / sizeOf(time.parsed),
            .speedScale = units.metresASecond / sizeOf(speed.parsed)};
}

FileUnits physicalUnits(const SceneUnits& units) {
    FileUnits physical{.metres = sizeOfShown(kLengths, units.length, units.lengthScale),
                       .kilograms = sizeOfShown(kMasses, units.mass, units.massScale),
                       .metresASecond = sizeOfShown(kSpeeds, units.speed, units.speedScale)};
    const bool known = physical.metres > 0 && physical.kilograms > 0 && physical.metresASecond > 0;
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
