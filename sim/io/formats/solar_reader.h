// What readers of orbits and of state vectors about the Sun have in common: lengths in au, times in days, masses in the
// Sun's, and the Sun as the first body.
#pragma once
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/body_collector.h"
#include "sim/io/formats/formats.h"
#include "sim/io/formats/units.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gravlab {

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

}  // namespace gravlab
