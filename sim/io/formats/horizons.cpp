// Vector tables of JPL Horizons, as text or CSV, for one or several bodies behind each other: the first state of each is a
// body. Source: https://ssd.jpl.nasa.gov/horizons/manual.html. Rule: centre, units and time must be stated and the same for
// all; nothing is guessed.
#include "sim/io/formats/solar_reader.h"

#include <algorithm>
#include <array>
#include <optional>

namespace gravlab {
namespace {

constexpr double kAuInKm = 1.495978707e8, kSecondsADay = 86400;

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
            perDay_ = units.starts_with("KM-S") ? 1 / kSecondsADay : 1;
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
