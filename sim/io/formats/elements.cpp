// Orbits about the Sun as bodies: lines of the Minor Planet Center's MPCORB, tables of JPL's small-body database, and
// ellipses of XEphem. Sources: https://minorplanetcenter.net/iau/info/MPOrbitFormat.html,
// https://ssd-api.jpl.nasa.gov/doc/sbdb_query.html, the chapter on databases of XEphem's manual.
// Rule: a line is a body, a header or an error; no line is skipped silently.
#include "sim/io/formats/solar_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace gravlab {
namespace {

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

/// A line of XEphem: name, "e", inclination, node, argument, semi-major axis, daily motion, eccentricity, mean anomaly,
/// epoch, equinox; then magnitudes.
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

}  // namespace gravlab
