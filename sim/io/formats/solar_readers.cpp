// Orbits about the Sun as bodies: lines of the Minor Planet Center's MPCORB, tables of JPL's small-body database, and
// ellipses of XEphem. Sources: https://minorplanetcenter.net/iau/info/MPOrbitFormat.html,
// https://ssd-api.jpl.nasa.gov/doc/sbdb_query.html, the chapter on databases of XEphem's manual.
// Rule: a line is a body, a header or an error; no line is skipped silently.
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/body_collector.h"
#include "sim/io/formats/formats.h"
#include "sim/io/formats/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

namespace gravlab {
namespace {

/// What readers of orbits and of state vectors about the Sun have in common: lengths in au, times in days, masses in the
/// Sun's, and the Sun as the first body.
class SolarReader {
protected:
    static constexpr double kSunGm = 1.3271244e11;  ///< km3/s2, IAU 2015

    /// Throws UsageError for options that name columns or units; `whose` begins its sentence.
    SolarReader(Source& source, const ReadOptions& options, const std::string& whose)
        : name_(source.name()), lines_(source), bodies_(source.name(), options, false) {
        if (!options.columns.empty() || !options.units.empty() || options.gravity)
            throw UsageError(name_ + ": " + whose + "; leave out --columns, --units and --G");
    }

    [[noreturn]] void fail(const std::string& text) const { lines_.fail(text); }
    double number(std::string_view cell, const char* what) const {
        cell = trimmed(cell);
        double value = 0;
        if (!parsedCell(cell, value) || !std::isfinite(value))
            fail(std::string(what) + " is " + (cell.empty() ? "empty" : excerpt(cell)) + ", expected a number");
        return value;
    }

    void addSun() {
        BodyRow sun{.mass = 1};
        if (bodies_.add(sun, [] { return std::string("the Sun"); })) bodies_.name("Sun", "");
        hasSun_ = true;
    }
    void add(BodyRow row, std::string_view name) {
        row.id = bodies_.seen();
        row.group = 1;
        massless_ += row.mass == 0;
        if (bodies_.add(row, [&] { return "line " + std::to_string(lines_.number()); }) && !name.empty())
            bodies_.name(name, "");
    }
    /// `mass`: the name of a mass in the file. `note`, if any, is the last one.
    Snapshot finished(const char* mass, const std::string& note) {
        Snapshot snapshot;
        bodies_.finish(snapshot, true, true);
        if (hasSun_) snapshot.notes.push_back("the Sun was added as the first body");
        if (massless_ > 0)
            snapshot.notes.push_back(std::to_string(massless_) + " bodies have no " + mass +
                                     " in the file and attract nothing");
        if (!note.empty()) snapshot.notes.push_back(note);
        ReadOptions units{.units = "solar-day"};
        convertUnits(snapshot, units, std::nullopt, name_);
        return snapshot;
    }

    std::string name_;
    LineReader lines_;
    BodyCollector bodies_;

private:
    std::uint64_t massless_ = 0;
    bool hasSun_ = false;
};

constexpr double kDegree = std::numbers::pi / 180;

/// Angles in radians, lengths in au, epochs as Julian dates.
struct Elements {
    double pericentre = 0, eccentricity = 0, inclination = 0, node = 0, argument = 0;
    double meanAnomaly = 0, epoch = 0;
    double mass = 0;  ///< of the Sun
    std::string name;
};

/// The root of a function that rises, between `low` and `high`, by Newton's steps that stay between them.
template <class Function>
double risingRoot(double low, double high, double start, Function function) {
    double x = std::clamp(start, low, high);
    for (int step = 0; step < 200; ++step) {
        const auto [value, slope] = function(x);
        (value > 0 ? high : low) = x;
        const double newton = x - value / slope;
        const double next = newton > low && newton < high ? newton : low + (high - low) / 2;
        if (next == x) break;
        x = next;
    }
    return x;
}

struct StatePair {
    std::array<double, 3> place, speed;  ///< [au], [au/day]
};

/// The state of an ellipse or a hyperbola at mean anomaly M, in its plane, then turned into the ecliptic.
StatePair stateOf(const Elements& o, double gravity) {
    const double e = o.eccentricity, a = o.pericentre / std::abs(1 - e);
    const double n = std::sqrt(gravity * (1 + o.mass) / a) / a;
    double x, y, vx, vy;
    if (e < 1) {
        const double mean = std::remainder(o.meanAnomaly, 2 * std::numbers::pi);
        const double angle = risingRoot(mean - e, mean + e, mean + e * std::sin(mean), [&](double E) {
            return std::pair(E - e * std::sin(E) - mean, 1 - e * std::cos(E));
        });
        const double minor = a * std::sqrt((1 - e) * (1 + e)), rate = n / (1 - e * std::cos(angle));
        x = a * (std::cos(angle) - e), y = minor * std::sin(angle);
        vx = -a * std::sin(angle) * rate, vy = minor * std::cos(angle) * rate;
    } else {
        const double mean = o.meanAnomaly, most = std::asinh((std::abs(mean) + 50) / (e - 1)) + 1;
        const double angle = risingRoot(-most, most, std::asinh(mean / e), [&](double H) {
            return std::pair(e * std::sinh(H) - H - mean, e * std::cosh(H) - 1);
        });
        const double minor = a * std::sqrt((e - 1) * (e + 1)), rate = n / (e * std::cosh(angle) - 1);
        x = a * (e - std::cosh(angle)), y = minor * std::sinh(angle);
        vx = -a * std::sinh(angle) * rate, vy = minor * std::cosh(angle) * rate;
    }
    const double cw = std::cos(o.argument), sw = std::sin(o.argument), cn = std::cos(o.node), sn = std::sin(o.node),
                 ci = std::cos(o.inclination), si = std::sin(o.inclination);
    const std::array<double, 3> p{cw * cn - sw * sn * ci, cw * sn + sw * cn * ci, sw * si},
        q{-sw * cn - cw * sn * ci, -sw * sn + cw * cn * ci, cw * si};
    StatePair state{};
    for (std::size_t k = 0; k < 3; ++k) {
        state.place[k] = x * p[k] + y * q[k];
        state.speed[k] = vx * p[k] + vy * q[k];
    }
    return state;
}

/// Julian date of 0 h on a day of the Gregorian calendar.
double julianDate(int year, int month, int day) {
    const int a = (14 - month) / 12, y = year + 4800 - a, m = month + 12 * a - 3;
    return day + (153 * m + 2) / 5 + 365.0 * y + y / 4 - y / 100 + y / 400 - 32045.5;
}

/// The columns [first, last] of a line, counted from 1 as in the description of the format.
std::string_view columns(std::string_view line, std::size_t first, std::size_t last) {
    return line.size() < first ? std::string_view() : trimmed(line.substr(first - 1, last - first + 1));
}

/// "K239D": letter of the century, year, month and day, where A is 10.
std::optional<double> packedEpoch(std::string_view text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'V' ? c - 'A' + 10 : -1; };
    if (text.size() != 5 || text[0] < 'I' || text[0] > 'K') return std::nullopt;
    const int tens = digit(text[1]), ones = digit(text[2]), month = digit(text[3]), day = digit(text[4]);
    if (tens < 0 || tens > 9 || ones < 0 || ones > 9 || month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
    return julianDate((text[0] - 'I' + 18) * 100 + 10 * tens + ones, month, day);
}

constexpr std::size_t kMpcLeast = 103;  ///< up to the semi-major axis

bool isMpcLine(std::string_view line) {
    double number = 0;
    return line.size() >= kMpcLeast && packedEpoch(columns(line, 21, 25)) && parsedCell(columns(line, 71, 79), number) &&
           parsedCell(columns(line, 27, 35), number);
}

/// Columns of JPL's table, by their names there.
enum JplColumn { kA, kQ, kE, kI, kOm, kW, kMa, kTp, kEpoch, kEpochMjd, kGm, kFullName, kName, kDesignation, kJplColumns };
constexpr std::array<std::string_view, kJplColumns> kJplNames{"a",  "q",     "e",         "i",  "om",        "w",    "ma",
                                                              "tp", "epoch", "epoch_mjd", "gm", "full_name", "name", "pdes"};
using JplPlaces = std::array<std::optional<std::size_t>, kJplColumns>;

/// The places of the columns; empty when this line is no header of such a table.
std::optional<JplPlaces> jplHeader(std::string_view line) {
    std::vector<std::string_view> cells;
    splitCells(line, ',', cells);
    JplPlaces places;
    for (std::size_t at = 0; at < cells.size(); ++at)
        for (std::size_t k = 0; k < kJplColumns; ++k)
            if (inLowerCase(cells[at]) == kJplNames[k] && !places[k]) places[k] = at;
    const bool shape = places[kE] && (places[kA] || places[kQ]), angles = places[kI] && places[kOm] && places[kW];
    const bool when = (places[kEpoch] || places[kEpochMjd]) && (places[kMa] || places[kTp]);
    return shape && angles && when ? std::optional(places) : std::nullopt;
}

/// A line of XEphem: name, "e", inclination, node, argument, a, daily motion, e, mean anomaly, epoch, equinox; magnitudes.
enum XephemCell { kXName, kXType, kXI, kXNode, kXArgument, kXA, kXMotion, kXE, kXM, kXEpoch, kXEquinox, kXephemCells };

bool isXephemLine(std::string_view line) {
    std::vector<std::string_view> cells;
    splitCells(line, ',', cells);
    double number = 0;
    return cells.size() >= kXephemCells && cells[kXType] == "e" && parsedCell(cells[kXA], number) &&
           cells[kXEpoch].find('/') != std::string_view::npos;
}

/// "4/27.5/2019": month, day and year.
std::optional<double> slashedEpoch(std::string_view text) {
    std::vector<std::string_view> parts;
    splitCells(text, '/', parts);
    double month = 0, day = 0, year = 0;
    if (parts.size() != 3 || !parsedCell(parts[0], month) || !parsedCell(parts[1], day) || !parsedCell(parts[2], year) ||
        !(month >= 1 && month <= 12 && day >= 1 && day < 32 && year >= 1600 && year < 3000))
        return std::nullopt;
    return julianDate(static_cast<int>(year), static_cast<int>(month), static_cast<int>(day)) + day - std::floor(day);
}

std::string_view firstLine(std::string_view text) {
    text = text.substr(0, text.find('\n'));
    return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}
constexpr std::string_view kMpcTitle = "MINOR PLANET CENTER ORBIT DATABASE";

class ElementReader : SolarReader {
public:
    ElementReader(Source& source, const ReadOptions& options)
        : SolarReader(source, options, "orbits have their own columns and units") {}

    Snapshot read() {
        addSun();
        bool inHead = false, xephem = false;
        std::optional<JplPlaces> places;
        std::string_view line;
        for (bool first = true; lines_.next(line); first = false) {
            if (first) {
                places = jplHeader(line);
                xephem = line.starts_with('#') || isXephemLine(line);
                inHead = !places && !xephem && !isMpcLine(line);
                if (places || inHead) continue;
            }
            // The Minor Planet Center's head ends with a line of dashes.
            if (inHead) {
                inHead = !line.starts_with("-----");
                continue;
            }
            if (trimmed(line).empty() || (xephem && line.starts_with('#'))) continue;
            add(places ? fromJpl(line, *places) : xephem ? fromXephem(line) : fromMpc(line));
        }
        if (inHead) fail("the head of the file has no end: a line of dashes");
        if (bodies_.seen() == 1) fail("there are no orbits");
        if (!lines_.endedWithNewline())
            fail("has no line end: the file may be cut short. If it is complete, add a line end");
        return finished("mass", moved_ > 0 ? std::to_string(moved_) +
                                                 " bodies were moved along their orbits to the epoch of the first one"
                                           : std::string());
    }

private:
    Elements fromMpc(std::string_view line) const {
        const std::optional<double> epoch = packedEpoch(columns(line, 21, 25));
        if (line.size() < kMpcLeast)
            fail("has " + std::to_string(line.size()) + " letters; an orbit of MPCORB has at least " +
                 std::to_string(kMpcLeast));
        if (!epoch) fail("the epoch is " + excerpt(columns(line, 21, 25)) + ", expected one such as K239D");
        Elements o;
        o.epoch = *epoch;
        o.eccentricity = number(columns(line, 71, 79), "the eccentricity");
        o.inclination = kDegree * number(columns(line, 60, 68), "the inclination");
        o.node = kDegree * number(columns(line, 49, 57), "the node");
        o.argument = kDegree * number(columns(line, 38, 46), "the argument of perihelion");
        o.meanAnomaly = kDegree * number(columns(line, 27, 35), "the mean anomaly");
        o.pericentre = number(columns(line, 93, 103), "the semi-major axis") * std::abs(1 - o.eccentricity);
        const std::string_view readable = columns(line, 167, 194);
        o.name = readable.empty() ? columns(line, 1, 7) : readable;
        return o;
    }

    Elements fromJpl(std::string_view line, const JplPlaces& places) {
        splitCells(line, ',', cells_);
        const auto cell = [&](JplColumn column) {
            return places[column] && *places[column] < cells_.size() ? cells_[*places[column]] : std::string_view();
        };
        Elements o;
        o.epoch = cell(kEpoch).empty() ? number(cell(kEpochMjd), "epoch_mjd") + 2400000.5 : number(cell(kEpoch), "epoch");
        o.eccentricity = number(cell(kE), "e");
        o.inclination = kDegree * number(cell(kI), "i");
        o.node = kDegree * number(cell(kOm), "om");
        o.argument = kDegree * number(cell(kW), "w");
        o.pericentre = cell(kQ).empty() ? number(cell(kA), "a") * (1 - o.eccentricity) : number(cell(kQ), "q");
        if (!cell(kGm).empty()) o.mass = number(cell(kGm), "GM") / kSunGm;
        if (cell(kMa).empty()) {
            const double a = o.pericentre / std::abs(1 - o.eccentricity);
            const double sinceThen = o.epoch - number(cell(kTp), "tp");
            o.meanAnomaly = std::sqrt(gravity_ * (1 + o.mass) / a) / a * sinceThen;
        } else {
            o.meanAnomaly = kDegree * number(cell(kMa), "ma");
        }
        for (const JplColumn column : {kFullName, kName, kDesignation})
            if (o.name.empty()) o.name = trimmed(cell(column));
        return o;
    }

    Elements fromXephem(std::string_view line) {
        splitCells(line, ',', cells_);
        if (cells_.size() < kXephemCells || cells_[kXType] != "e")
            fail("is no ellipse of XEphem ('e'): orbits of other types are not read; take them from JPL's table");
        const std::optional<double> epoch = slashedEpoch(cells_[kXEpoch]);
        if (!epoch) fail("the epoch is " + excerpt(cells_[kXEpoch]) + ", expected one such as 4/27.0/2019");
        if (number(cells_[kXEquinox], "the equinox") != 2000)
            fail("the equinox is " + excerpt(cells_[kXEquinox]) + ", and only elements of 2000 are read");
        Elements o;
        o.epoch = *epoch;
        o.eccentricity = number(cells_[kXE], "the eccentricity");
        o.inclination = kDegree * number(cells_[kXI], "the inclination");
        o.node = kDegree * number(cells_[kXNode], "the node");
        o.argument = kDegree * number(cells_[kXArgument], "the argument of perihelion");
        o.meanAnomaly = kDegree * number(cells_[kXM], "the mean anomaly");
        o.pericentre = number(cells_[kXA], "the semi-major axis") * std::abs(1 - o.eccentricity);
        o.name = trimmed(cells_[kXName]);
        return o;
    }

    void add(Elements o) {
        if (!(o.eccentricity >= 0) || o.eccentricity == 1)
            fail("the eccentricity is " + std::to_string(o.eccentricity) + "; expected 0 or more, and not exactly 1");
        if (!(o.pericentre > 0)) fail("the perihelion distance is not above 0");
        if (bodies_.seen() == 1) epoch_ = o.epoch;
        if (o.epoch != epoch_) {
            const double a = o.pericentre / std::abs(1 - o.eccentricity);
            o.meanAnomaly += std::sqrt(gravity_ * (1 + o.mass) / a) / a * (epoch_ - o.epoch);
            ++moved_;
        }
        const StatePair state = stateOf(o, gravity_);
        BodyRow row;
        row.x = state.place[0], row.y = state.place[1], row.z = state.place[2];
        row.vx = state.speed[0], row.vy = state.speed[1], row.vz = state.speed[2];
        row.mass = o.mass;
        SolarReader::add(row, o.name);
    }

    std::vector<std::string_view> cells_;
    const double gravity_ = unitSystem("solar-day").gravity;
    double epoch_ = 0;
    std::uint64_t moved_ = 0;
};

}  // namespace

bool looksLikeElements(const Source& source) {
    const std::string_view head = source.head();
    if (!looksLikeTable(source)) return false;
    std::string_view line = firstLine(head);
    if (head.substr(0, 512).find(kMpcTitle) != std::string_view::npos || isMpcLine(line) || jplHeader(line).has_value())
        return true;
    // XEphem's files begin with remarks.
    std::string_view rest = head;
    while (line.starts_with('#') && rest.size() > line.size() + 1) {
        rest.remove_prefix(std::min(rest.size(), rest.find('\n') + 1));
        line = firstLine(rest);
    }
    return isXephemLine(line);
}

Snapshot readElements(Source& source, const ReadOptions& options) { return ElementReader(source, options).read(); }

namespace {

// Vector tables of JPL Horizons, as text or CSV, for one or several bodies behind each other: the first state of each is a
// body. Source: https://ssd.jpl.nasa.gov/horizons/manual.html. Rule: centre, units and time must be stated and the same for
// all; nothing is guessed.
constexpr double kAuInKm = 1.495978707e8, kSecondsPerDay = 86400;

class HorizonsReader : SolarReader {
public:
    HorizonsReader(Source& source, const ReadOptions& options)
        : SolarReader(source, options, "Horizons states its columns and units") {}

    Snapshot read() {
        std::string_view line;
        while (lines_.next(line)) {
            if (trimmed(line).starts_with("$$SOE"))
                readStates();
            else
                readHead(line);
        }
        if (bodies_.seen() == 0) fail("there is no table: no line $$SOE");
        return finished("GM", further_ > 0 ? "the first state of each body was taken; " + std::to_string(further_) +
                                                 " further states were not"
                                           : std::string());
    }

private:
    /// The text after "NAME :" at the begin of the line; empty when the line has another name.
    static std::string_view valueOf(std::string_view line, std::string_view name) {
        line = trimmed(line);
        if (!line.starts_with(name)) return {};
        const std::size_t colon = line.find(':', name.size());
        if (colon == std::string_view::npos || !trimmed(line.substr(name.size(), colon - name.size())).empty()) return {};
        return trimmed(line.substr(colon + 1));
    }

    void readHead(std::string_view line) {
        if (const std::string_view target = valueOf(line, "Target body name"); !target.empty()) {
            target_ = trimmed(target.substr(0, target.find('{')));
        } else if (const std::string_view centre = valueOf(line, "Center body name"); !centre.empty()) {
            const bool sun = centre.starts_with("Sun (10)"), barycentre = centre.starts_with("Solar System Barycenter");
            if (!sun && !barycentre)
                fail("the centre is " + excerpt(centre) + "; expected Sun (10), or the solar system's barycentre");
            if (bodies_.seen() > 0 && sun != aboutSun_) fail("the tables have different centres");
            aboutSun_ = sun;
            centred_ = true;
        } else if (const std::string_view units = valueOf(line, "Output units"); !units.empty()) {
            perAu_ = units.starts_with("AU-D") ? 1 : units.starts_with("KM-") ? kAuInKm : 0;
            perDay_ = units.starts_with("KM-S") ? 1 / kSecondsPerDay : 1;
            if (perAu_ == 0) fail("the units are " + excerpt(units) + "; expected AU-D, KM-S or KM-D");
        } else if (const std::size_t gm = line.find("GM"); gm != std::string_view::npos && !gm_) {
            // "GM (km^3/s^2) = 126686531.9+-0.1", "GM, km^3/s^2 = 398600.4" of planets, "GM= 62.6284" of small bodies.
            std::string_view rest = line.substr(gm + 2);
            const std::size_t equals = rest.find('=');
            if (equals == std::string_view::npos) return;
            const std::string_view unit = trimmed(rest.substr(0, equals));
            if (!unit.empty() && unit != "(km^3/s^2)" && unit != ", km^3/s^2") return;
            rest = trimmed(rest.substr(equals + 1));
            double value = 0;
            if (parsedCell(rest.substr(0, rest.find_first_not_of("0123456789.eE")), value) && value > 0) gm_ = value;
        }
    }

    /// Numbers of "X = 1.0 Y =-2.0 ...", by their names; `names` beside the numbers.
    static void takeNamed(std::string_view line, std::array<std::optional<std::string_view>, 6>& values) {
        constexpr std::array<std::string_view, 6> kNames{"X", "Y", "Z", "VX", "VY", "VZ"};
        while (true) {
            const std::size_t equals = line.find('=');
            if (equals == std::string_view::npos) return;
            const std::string_view name = trimmed(line.substr(0, equals));
            line = line.substr(equals + 1);
            while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
            const std::size_t end = std::min(line.find(' '), line.size());
            for (std::size_t k = 0; k < kNames.size(); ++k)
                if (name == kNames[k] && !values[k]) values[k] = line.substr(0, end);
            line.remove_prefix(end);
        }
    }

    void readStates() {
        if (perAu_ == 0) fail("the table has no line 'Output units'");
        if (!centred_) fail("the table has no line 'Center body name'");
        if (bodies_.seen() == 0 && aboutSun_) addSun();
        std::array<std::optional<std::string_view>, 6> values;
        std::array<std::string, 6> kept;
        std::optional<double> date;
        bool complete = false, ended = false;
        std::string_view line;
        while (lines_.next(line)) {
            line = trimmed(line);
            if (line.starts_with("$$EOE")) {
                ended = true;
                break;
            }
            if (complete) {
                further_ += line.find("A.D.") != std::string_view::npos || line.find("B.C.") != std::string_view::npos;
                continue;
            }
            std::vector<std::string_view> cells;
            splitCells(line, ',', cells);
            if (cells.size() >= 5) {  // CSV: date, calendar date, X, Y, Z, VX, VY, VZ ...
                date = number(cells[0], "the date");
                if (cells.size() < 8) fail("there are no velocities: request a vector table of type 2 or 3");
                for (std::size_t k = 0; k < kept.size(); ++k) kept[k] = cells[k + 2];
                complete = true;
            } else if (!date) {
                date = number(line.substr(0, line.find('=')), "the date");
            } else {
                takeNamed(line, values);
                for (std::size_t k = 0; k < kept.size(); ++k)
                    if (values[k] && kept[k].empty()) kept[k] = *values[k];
                values = {};
                complete = std::ranges::none_of(kept, [](const std::string& text) { return text.empty(); });
            }
        }
        if (!ended) fail("the table has no end, a line $$EOE: cut short?");
        if (!complete) fail("there is no state with positions and velocities: request a vector table of type 2 or 3");
        take(*date, kept);
    }

    void take(double date, const std::array<std::string, 6>& kept) {
        if (!date_) date_ = date;
        if (*date_ != date)
            fail("its first state is of another time than that of the first body: request the same begin for all");
        BodyRow row;
        row.x = number(kept[0], "X") / perAu_, row.y = number(kept[1], "Y") / perAu_, row.z = number(kept[2], "Z") / perAu_;
        const double speed = perAu_ * perDay_;
        row.vx = number(kept[3], "VX") / speed, row.vy = number(kept[4], "VY") / speed,
        row.vz = number(kept[5], "VZ") / speed;
        row.mass = gm_.value_or(0) / kSunGm;
        add(row, target_);
        target_.clear();
        gm_.reset();
    }

    std::string target_;
    std::optional<double> gm_, date_;
    double perAu_ = 0, perDay_ = 1;
    bool aboutSun_ = false, centred_ = false;
    std::uint64_t further_ = 0;
};

}  // namespace

bool looksLikeHorizons(const Source& source) {
    const std::string_view head = source.head();
    if (!looksLikeTable(source)) return false;
    const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
    // The page of a planet's data may be longer than the head, and begins with a line of stars.
    return has("$$SOE") || has("JPL/HORIZONS") || has("JPL Horizons") || head.starts_with("****************");
}

Snapshot readHorizons(Source& source, const ReadOptions& options) { return HorizonsReader(source, options).read(); }

}  // namespace gravlab
