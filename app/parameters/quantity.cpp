#include "app/parameters/quantity.h"

#include "app/parameters/parameter.h"
#include "app/parameters/twin_settings.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "app/tables/text_values.h"
#include "app/tables/unit_text.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"

#include <charconv>
#include <utility>

namespace gravlab {
namespace {

/// A kind of number that has a unit.
struct Dimension {
    std::string_view unit;  ///< as in the rows
    std::string_view noun;
    int length, mass, time;
    std::string_view example;
    bool aSecond = false;  ///< a rate for each second of watching, which is no time of the run
};
constexpr Dimension kDimensions[] = {{"L", "a length", 1, 0, 0, "0.3kpc"},
                                     {"M", "a mass", 0, 1, 0, "1e10Msun"},
                                     {"T", "a time", 0, 0, 1, "500Myr"},
                                     {"L/T", "a speed", 1, 0, -1, "200km/s"},
                                     {"T/s", "a time a second", 0, 0, 1, "10Myr/s", true}};

const Dimension* dimensionOf(std::string_view unit) {
    for (const Dimension& row : kDimensions)
        if (row.unit == unit) return &row;
    return nullptr;
}

struct Written {
    double number = 0;
    std::string_view unit;
};

std::optional<Written> writtenIn(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto first = text.find_first_not_of("-.");
    if (first == std::string_view::npos || !isDigit(text[first])) return std::nullopt;  // "inf" and "nan" are words
    Written written;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), written.number);
    if (error != std::errc{}) return std::nullopt;
    written.unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    if (written.unit.empty() || isDigit(written.unit.front())) return std::nullopt;
    return written;
}

[[noreturn]] void refuse(std::string_view name, std::string_view text, const std::string& why) {
    throw UsageError(std::string(name) + " '" + std::string(text) + "': " + why);
}

std::string expected(const Dimension& row) {
    return "expected a finite number, or one with a unit, " + std::string(row.noun) + " such as " + std::string(row.example);
}

/// The unit of a number, without the second of a pace.
std::string_view bare(std::string_view unit, const Dimension& row) {
    if (row.aSecond && unit.ends_with("/s")) unit.remove_suffix(2);
    return trimmed(unit);
}

double sizeOf(std::string_view name) {
    const std::optional<ParsedUnit> unit = parsedUnit(name);
    return unit ? unit->factor : 0;
}

/// One of the run's own units in m, kg and s; 0 without units.
double sizeOfOwn(const Dimension& row, const SceneUnits& units) {
    if (row.unit == "L") return sizeOf(units.length) * units.lengthScale;
    if (row.unit == "M") return sizeOf(units.mass) * units.massScale;
    if (row.unit == "L/T") return sizeOf(units.speed) * units.speedScale;
    return sizeOf(units.time) * units.timeScale;
}

std::string_view dimensionOf(const WrittenQuantity& written) {
    return written.path.empty() ? std::string_view("T") : parameter(written.path).unit;
}

void take(StartOptions& o, const WrittenQuantity& written, double number) {
    if (written.time) {
        o.*written.time = number;
        return;
    }
    const Parameter& row = parameter(written.path);
    const Value value = checked(row, number, written.name);
    if (constexpr std::string_view kTwin = "twin."; row.path.starts_with(kTwin))
        return setTwin(o.twin, std::string_view(row.path).substr(kTwin.size()), value);
    if (row.ask) return row.ask(o.simulation, value);
    o.settings[row.path] = value;
}

}  // namespace

bool hasDimension(std::string_view unit) { return dimensionOf(unit) != nullptr; }

bool isQuantity(std::string_view text) { return writtenIn(text).has_value(); }

void requireDimension(std::string_view name, std::string_view text, std::string_view dimension) {
    const Dimension& row = *dimensionOf(dimension);
    const std::string_view unit = writtenIn(text).value().unit;
    if (unit == dimension) return;
    if (row.aSecond && !unit.ends_with("/s"))
        refuse(name, text, "'" + std::string(unit) + "' is not given for a second; " + expected(row));
    const std::optional<ParsedUnit> parsed = parsedUnit(bare(unit, row));
    if (!parsed || parsed->nbody)
        refuse(name, text,
               "'" + std::string(unit) + "' is no unit that is known here (m, km, au, pc, kpc, Mpc; kg, Msun; s, day, yr, " +
                   "Myr, Gyr; km/s); " + expected(row));
    if (parsed->length != row.length || parsed->mass != row.mass || parsed->time != row.time)
        refuse(name, text, "'" + std::string(unit) + "' is not the unit of " + std::string(row.noun) + "; " + expected(row));
}

double quantity(std::string_view name, std::string_view text, std::string_view dimension, const SceneUnits& units,
                std::string_view of) {
    requireDimension(name, text, dimension);
    const Dimension& row = *dimensionOf(dimension);
    const Written written = writtenIn(text).value();
    if (written.unit == dimension) return written.number;
    const double own = sizeOfOwn(row, units);
    if (!(own > 0))
        refuse(name, text,
               "'" + std::string(of) + "' has no units (G = 1), so '" + std::string(written.unit) +
                   "' means nothing there; give the number alone, in [" + std::string(dimension) +
                   "], or --units for a file");
    return written.number * (parsedUnit(bare(written.unit, row))->factor / own);
}

std::string meaningOf(double value, std::string_view dimension, const SceneUnits& units) {
    const Dimension* row = dimensionOf(dimension);
    if (!row || units.length.empty()) return {};
    const std::string own = formatted("%.6g ", value) + std::string(dimension) + " = ";
    const auto shown = [&](double scale, std::string_view name) {
        return own + threeDigits(value * scale) + " " + std::string(name);
    };
    if (row->unit == "L") return shown(units.lengthScale, units.length);
    if (row->unit == "M") return shown(units.massScale, units.mass);
    if (row->unit == "L/T") return shown(units.speedScale, units.speed);
    const ShownUnit time = unitOfTime(value, units);
    return shown(time.scale, time.name + (row->aSecond ? "/s" : ""));
}

const SceneUnits& unitsOf(const RunRequest& request) {
    return request.start ? request.start->row.units : sceneNamed(request.scene, request.sceneVersion).units;
}

bool keepQuantity(StartOptions& options, const Parameter& row, std::string_view name, const std::string& text) {
    if (!hasDimension(row.unit)) return false;
    const bool unit = isQuantity(text);
    if (unit) requireDimension(name, text, row.unit);
    options.quantities.push_back({row.path, std::string(name), text});
    return unit;
}

bool keepTime(StartOptions& options, std::string_view name, const std::string& text, double StartOptions::*to) {
    const bool unit = isQuantity(text);
    if (unit) requireDimension(name, text, "T");
    options.quantities.push_back({{}, std::string(name), text, to});
    return unit;
}

void takeQuantities(StartOptions& options) {
    if (options.quantities.empty()) return;
    const SceneUnits& units = unitsOf(options.simulation);
    const std::string of = options.simulation.start ? options.simulation.start->name : options.simulation.scene;
    std::string said, other;
    for (const WrittenQuantity& written : std::exchange(options.quantities, {})) {
        const std::string_view dimension = dimensionOf(written);
        if (isQuantity(written.text)) {
            take(options, written, quantity(written.name, written.text, dimension, units, of));
        } else if (const auto number = wholeText<double>(written.text); number && *number != 0) {
            const std::string meaning = meaningOf(*number, dimension, units);
            if (meaning.empty()) continue;
            addTo(said, written.name + " " + meaning);
            if (other.empty()) other = written.name + " " + std::string(dimensionOf(dimension)->example);
        }
    }
    if (said.empty()) return;
    notify(formatted("a number without a unit is in the run's own, where G = 1: %s; with a unit: %s", said.c_str(),
                     other.c_str()));
}

}  // namespace gravlab
