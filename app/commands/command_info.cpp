// `gravlab info FILE`: the content of a file. It reads the whole file, so that the output is reliable.

#include "app/commands/option_groups.h"
#include "app/system/interrupt.h"
#include "sim/api/errors.h"
#include "sim/core/particles.h"
#include "sim/core/text.h"
#include "sim/core/value.h"
#include "sim/io/checkpoint.h"
#include "sim/io/formats/units.h"
#include "sim/io/snapshot.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

using Json = nlohmann::ordered_json;

/// Sums and extremes of the bodies.
struct Summary {
    double mass = 0, kinetic = 0, charge = 0;
    bool charged = false;  ///< source and mass differ: the sources are charges
    bool below = false;    ///< a source is below 0
    double middle[3] = {0, 0, 0}, momentum[3] = {0, 0, 0};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    std::size_t bodies = 0;
    std::vector<std::int64_t> groups;  ///< bodies of each
};

/// Adds the bodies of a part, with the numbers of their file.
void sumUp(Summary& s, const Snapshot& part) {
    const ParticleSet& bodies = part.bodies;
    const FileUnits& by = part.fileUnits;
    s.bodies += bodies.size();
    for (const std::uint8_t group : bodies.group) {
        if (group >= s.groups.size()) s.groups.resize(std::size_t{group} + 1);
        ++s.groups[group];
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        Double4 p = bodies.position[i], v = bodies.velocity[i];
        if (!by.plain()) {
            p = {p.x * by.lengthBy, p.y * by.lengthBy, p.z * by.lengthBy, p.w / by.massBy};
            v = {v.x * by.velocityBy, v.y * by.velocityBy, v.z * by.velocityBy, v.w};
        }
        const double x[3] = {p.x, p.y, p.z}, u[3] = {v.x, v.y, v.z};
        const double mass = inertialMass(p, v);
        s.mass += mass;
        s.charge += p.w;
        s.below = s.below || p.w < 0;
        s.charged = s.charged || (v.w != 1 && v.w != 0);
        for (int axis = 0; axis < 3; ++axis) {
            s.middle[axis] += mass * x[axis];
            s.momentum[axis] += mass * u[axis];
            s.kinetic += mass * u[axis] * u[axis] / 2;
            s.low[axis] = std::min(s.low[axis], x[axis]);
            s.high[axis] = std::max(s.high[axis], x[axis]);
        }
    }
}

template <class Value>
void putKnown(Json& json, const char* key, const std::optional<Value>& value) {
    if (value) json[key] = *value;
}

/// A sum may leave the range of double; JSON has no number for that.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json("beyond the range of a double"); }
Json numbers(const double (&values)[3]) { return {number(values[0]), number(values[1]), number(values[2])}; }

/// Times and softening with the numbers of their file.
Snapshot asInTheFile(Snapshot s) {
    const FileUnits& by = s.fileUnits;
    if (by.plain()) return s;
    const double timeBy = by.named() ? shownUnits(by).timeScale : by.lengthBy / by.velocityBy;
    for (std::optional<double>* time : {&s.time, &s.timeStep})
        if (*time) **time *= timeBy;
    if (s.softening) *s.softening *= by.lengthBy;
    std::erase_if(s.notes, [](const std::string& note) { return note.starts_with("converted from"); });
    return s;
}

std::string unitsOfFile(const Snapshot& s) {
    const FileUnits& u = s.fileUnits;
    if (u.named()) return u.length + ", " + u.velocity + ", " + u.mass;
    if (!u.plain()) return "its own, where G = " + shortestText(u.massBy * u.lengthBy * u.velocityBy * u.velocityBy);
    return s.units.empty() ? "G = 1" : s.units;
}

/// The unit of a line of the text; empty: it has none, or the file names none.
std::string unitOf(const std::string& key, const FileUnits& u) {
    if (!u.named()) return {};
    if (key == "mass") return u.mass;
    if (key == "momentum") return u.mass + " " + u.velocity;
    if (key == "kinetic_energy") return u.mass + " (" + u.velocity + ")^2";
    if (key == "time" || key == "time_step") return std::string(shownUnits(u).time);
    const bool length = key == "softening" || key == "centre_of_mass" || key == "low" || key == "high";
    return length ? u.length : std::string();
}

Json described(const Snapshot& s, Summary sum, const std::string& file) {
    for (double& x : sum.middle) x /= sum.mass != 0 ? sum.mass : 1;
    Json json{{"file", file}, {"format", s.format}, {"bodies", sum.bodies}, {"checkpoint", s.isCheckpoint()}};
    putKnown(json, "step", s.step);
    putKnown(json, "time", s.time);
    putKnown(json, "time_step", s.timeStep);
    putKnown(json, "softening", s.softening);
    putKnown(json, "seed", s.seed);
    json["units"] = unitsOfFile(s);
    json["velocities"] = s.knowsVelocities;
    json["mass"] = number(sum.mass);
    if (sum.charged) json["source"] = number(sum.charge);
    json["centre_of_mass"] = numbers(sum.middle);
    json["momentum"] = numbers(sum.momentum);
    json["kinetic_energy"] = number(sum.kinetic);
    json["low"] = sum.low;
    json["high"] = sum.high;
    if (sum.groups.size() > 1) json["groups"] = sum.groups;
    if (!s.state.empty()) {
        Json names = Json::array();
        for (const StateArray& array : s.state) names.push_back(array.name);
        json["integrator_state"] = names;
    }
    if (!s.settings.empty()) json["settings"] = s.settings;
    std::vector<std::string> notes = s.notes;
    if (sum.below && !sum.charged)
        notes.push_back(
            "it has sources below 0 and no responses: charges whose masses it does not say; mass, centre, momentum "
            "and energy are summed as if each charge were a mass");
    for (std::string& contradiction : contradictionsOf(s)) notes.push_back(std::move(contradiction));
    if (!notes.empty()) json["notes"] = notes;
    return json;
}

void print(const Json& json, const FileUnits& units) {
    for (const auto& [key, value] : json.items()) {
        if (key == "settings") {
            std::printf("settings:\n");
            const std::string text = value;
            for (const std::string_view line : linesOf(text)) std::printf("  %s\n", printable(line).c_str());
        } else if (value.is_string()) {
            std::printf("%-17s %s\n", (key + ":").c_str(), printable(value.get<std::string>()).c_str());
        } else if (key == "notes") {
            for (const auto& note : value) std::printf("note: %s\n", printable(note.get<std::string>()).c_str());
        } else {
            const std::string unit = unitOf(key, units);
            std::printf("%-17s %s%s%s\n", (key + ":").c_str(),
                        value.dump(-1, ' ', false, Json::error_handler_t::replace).c_str(), unit.empty() ? "" : " ",
                        unit.c_str());
        }
    }
}

struct InfoCommand : Subcommand {
    bool json = false;

    void add(OptionRows& rows) override {
        rows.word("FILE", start.file, kReadableFile).required("info needs a file: gravlab info FILE");
        addReading(rows);
        rows.flag("--json", json, "as JSON");
    }
    int run() override {
        const InterruptWatch watch;
        const InterruptibleReading reading;
        ReadOptions read = start.read;
        read.allowSigns = true;
        read.keepsState = false;
        Summary sum;
        read.parts = [&](const Snapshot& part, std::uint64_t first) {
            if (first == 0) sum = {};
            sumUp(sum, part);
        };
        const Snapshot snapshot = asInTheFile(readSnapshot(start.file, read));
        const Json facts = described(snapshot, sum, start.file);
        if (json)
            // A file's name or text may not be UTF-8, and some characters beyond ASCII control a terminal.
            std::printf("%s\n", facts.dump(2, ' ', true, Json::error_handler_t::replace).c_str());
        else
            print(facts, snapshot.fileUnits);
        return static_cast<int>(ExitCode::ok);
    }
};

}  // namespace

constinit const CommandRow kInfoCommand{"info", "say what is in a file",
                                        "  gravlab info run.hdf5\n  gravlab info stars.csv --json\n", made<InfoCommand>};

}  // namespace gravlab
