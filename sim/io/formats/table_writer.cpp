// Tables of numbers: 17 significant digits, so that reading gives the same doubles; a decimal point whatever the locale.
// Bodies from a file with units are written in those units; those in single precision with just enough digits.
#include "sim/core/value.h"
#include "sim/io/file/byte_sink.h"
#include "sim/io/formats/formats.h"
#include "sim/io/formats/units.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace gravlab {
namespace {

constexpr int kAllDigits = 17, kFewestDigits = 6;

class RowWriter {
public:
    RowWriter(ByteSink& sink, char separator, bool single) : sink_(sink), separator_(separator), single_(single) {}

    void number(double value) {
        begin();
        at_ = std::to_chars(at_, row_ + sizeof row_, value, std::chars_format::general, kAllDigits).ptr;
    }
    /// A run's number in the units of the file; `read` is the inverse. In single precision it has the fewest digits that
    /// read as the same number: 3e7 and not 29999998.487669423.
    template <class Read>
    void inFile(double own, double value, Read read) {
        if (!single_) return number(value);
        begin();
        for (int digits = kFewestDigits; digits <= kAllDigits; ++digits) {
            char* const end = std::to_chars(at_, row_ + sizeof row_, value, std::chars_format::general, digits).ptr;
            double written = 0;
            std::from_chars(at_, end, written);
            if (static_cast<float>(read(written)) == static_cast<float>(own) || digits == kAllDigits) {
                at_ = end;
                return;
            }
        }
    }
    void whole(std::uint32_t value) {
        begin();
        at_ = std::to_chars(at_, row_ + sizeof row_, value).ptr;
    }
    /// A name of at most twice BodyNames::kMostBytes and its quotes.
    void text(const std::string& value) {
        begin();
        at_ = std::copy(value.begin(), value.end(), at_);
    }
    void endRow() {
        *at_++ = '\n';
        sink_.write(row_, static_cast<std::size_t>(at_ - row_));
        at_ = row_;
    }

private:
    void begin() {
        if (at_ != row_) *at_++ = separator_;
    }

    ByteSink& sink_;
    char separator_;
    bool single_;
    char row_[1200];  // 12 numbers of at most 24 characters, an id, and two cells of names with every quote doubled
    char* at_ = row_;
};

void writeRow(RowWriter& row, const ParticleSet& bodies, std::size_t i, const FileUnits& units) {
    const Double4& p = bodies.position[i];
    const Double4& v = bodies.velocity[i];
    row.inFile(p.w, p.w / units.massBy, [&](double mass) { return mass * units.massBy; });
    for (const double x : {p.x, p.y, p.z})
        row.inFile(x, x * units.lengthBy, [&](double length) { return length / units.lengthBy; });
    for (const double x : {v.x, v.y, v.z})
        row.inFile(x, x * units.velocityBy, [&](double velocity) { return velocity / units.velocityBy; });
}

/// Whether all numbers of converted bodies are exact in single precision. Without conversion 17 digits are exact anyway.
bool isSingle(const Snapshot& snapshot) {
    const auto fits = [](const Double4& a) {
        return std::ranges::all_of(std::array{a.x, a.y, a.z, a.w},
                                   [](double b) { return static_cast<double>(static_cast<float>(b)) == b; });
    };
    return !snapshot.fileUnits.plain() && std::ranges::all_of(snapshot.bodies.position, fits) &&
           std::ranges::all_of(snapshot.bodies.velocity, fits);
}

/// A cell of a comma-separated table, in quotes where necessary.
std::string cell(std::string_view text) {
    const bool plain = text.find_first_of(",;\"'") == std::string_view::npos;
    if (plain) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

/// A comment that states G when the units do not.
std::string gravityRemark(const FileUnits& units) {
    if (units.plain() || namesSuffice(units)) return {};
    return "# G = " + shortestText(units.massBy * units.lengthBy * units.velocityBy * units.velocityBy) + "\n";
}

std::string header(const FileUnits& units, bool response, bool radii, bool ids, bool names, bool tags) {
    std::string text = gravityRemark(units);
    const auto column = [&](std::string_view name, const std::string& unit) {
        text +=
            (text.empty() || text.ends_with('\n') ? "" : ",") + std::string(name) + (unit.empty() ? "" : " [" + unit + "]");
    };
    column("m", units.mass);
    for (const char* name : {"x", "y", "z"}) column(name, units.length);
    for (const char* name : {"vx", "vy", "vz"}) column(name, units.velocity);
    if (response) column("response", {});
    if (radii) {
        column("radius", units.length);
        for (const char* name : {"sx", "sy", "sz"}) column(name, {});
    }
    if (ids) column("id", {});
    if (names) column("name", {});
    if (tags) column("tag", {});
    return text + "\n";
}

}  // namespace

void writeCsv(ByteSink& sink, const Snapshot& snapshot) {
    // Under gravity every response is 1, and bodies without names are numbered from 0: the table then has seven columns.
    const ParticleSet& bodies = snapshot.bodies;
    const BodyNames& names = *snapshot.names;
    const bool response = std::ranges::any_of(bodies.velocity, [](const Double4& v) { return v.w != 1; });
    bool ids = false;
    for (std::size_t i = 0; i < bodies.size() && !ids; ++i) ids = bodies.id[i] != i;
    sink.write(header(snapshot.fileUnits, response, !bodies.surface.empty(), ids, !names.empty(), names.anyTags()));
    RowWriter row(sink, ',', isSingle(snapshot));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        writeRow(row, bodies, i, snapshot.fileUnits);
        if (response) row.number(bodies.velocity[i].w);
        if (!bodies.surface.empty()) {
            const FileUnits& units = snapshot.fileUnits;
            const Surface& s = bodies.surface[i];
            row.number(s.radius * units.lengthBy);
            const double turns = units.velocityBy / units.lengthBy;
            for (const double spin : {s.spin.x, s.spin.y, s.spin.z}) row.number(spin * turns);
        }
        if (ids) row.whole(bodies.id[i]);
        if (!names.empty()) row.text(cell(names.nameOf(bodies.id[i])));
        if (names.anyTags()) row.text(cell(names.tagOf(bodies.id[i])));
        row.endRow();
    }
}

void writeTab(ByteSink& sink, const Snapshot& snapshot) {
    // Write comments only when necessary: many readers of such tables do not accept them.
    const FileUnits& units = snapshot.fileUnits;
    sink.write(gravityRemark(units));
    if (units.named()) {
        const auto joined = [](std::string unit) {
            std::ranges::replace(unit, ' ', '*');
            return unit;
        };
        sink.write("# m x y z vx vy vz\n#");
        for (const std::string& unit :
             {units.mass, units.length, units.length, units.length, units.velocity, units.velocity, units.velocity})
            sink.write(" " + joined(unit));
        sink.write("\n");
    }
    RowWriter row(sink, ' ', isSingle(snapshot));
    for (std::size_t i = 0; i < snapshot.bodies.size(); ++i) {
        writeRow(row, snapshot.bodies, i, units);
        row.endRow();
    }
}

}  // namespace gravlab
