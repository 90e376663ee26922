// From a file's units to G = 1. Only the necessary numbers change: usually just the masses, which absorb G. Rule: nothing is
// guessed. Units come from the file or the user; otherwise G = 1 is assumed and a note says so.
#pragma once
#include "sim/api/units.h"
#include "sim/io/snapshot.h"
#include "sim/run/start_state.h"
#include "sim/scenes/scene.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A common system of units, as a row for --units.
struct UnitSystem {
    std::string_view name;
    std::string_view idea;
    double gravity;   ///< G in these units
    double length;    ///< lengths of this system in one [L]
    double velocity;  ///< velocities of this system in one [L/T]
    /// Their names as in a header; empty: they have none.
    std::string_view lengthName{}, velocityName{}, massName{};
};

/// All unit systems; the first is G = 1.
std::span<const UnitSystem> unitSystems();
/// The row with that name. Throws UsageError naming the valid ones and the nearest.
const UnitSystem& unitSystem(std::string_view name);

struct StatedUnits {
    double length = 1, mass = 1, velocity = 1;       ///< in m, kg, m/s
    bool dimensionless = false;                      ///< N-body units: G = 1, the factors mean nothing
    std::string words;                               ///< as the file states them
    std::string lengthName, massName, velocityName;  ///< each by itself, valid for parsedUnit()
    std::optional<double> gravity{};  ///< G in these units, when the file states it; it takes precedence over them
};

/// Whether the options give the units that the file states.
bool sameUnits(const ReadOptions& options, const StatedUnits& stated);

/// Converts bodies, time, time step and softening to G = 1: by options.gravity, else options.units, else `stated`, else not
/// at all. Adds a note and the units in words. Throws UsageError for a bad option, InputError when a converted number is no
/// longer finite. `hubble`: the file's lengths and masses are in those units over this number, as in Gadget.
void convertUnits(Snapshot& snapshot, const ReadOptions& options, const std::optional<StatedUnits>& stated,
                  const std::string& name, double hubble = 1);

/// From numbers in these units, with their factors.
void convertFrom(const FileUnits& units, Snapshot& snapshot, const std::string& name);

/// Display units of a run whose bodies came in these units, in convenient sizes. Without names where those are unknown.
SceneUnits shownUnits(const FileUnits& units);
/// The inverse for units of a scene: one [L], [M] and [L/T] in m, kg and m/s; the file's own units stay empty.
FileUnits physicalUnits(const SceneUnits& units);
/// Whether the names alone give these factors. If not, a table must also state G.
bool namesSuffice(const FileUnits& units);
/// Whether bodies of a file without units are so far from balance that they probably have units.
UnitsDoubt unitsDoubt(const Snapshot& snapshot);
/// A remark where radii are larger than the distance to the nearest body, as those in another unit are; empty: none is.
std::string radiiDoubt(const Snapshot& snapshot);
/// The units as text for this program's files, and back; the result is empty when the text is invalid.
std::string fileUnitsText(const FileUnits& units);
std::optional<FileUnits> fileUnitsFrom(std::string_view text);

}  // namespace gravlab
