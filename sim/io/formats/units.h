// From a file's units to G = 1. Only what is needed changes: usually the masses alone, which take G in.
// Rule: nothing is guessed. Units come from the file, from the user, or are taken as G = 1 and a note says so.
#pragma once
#include "sim/io/snapshot.h"
#include "sim/run/start_state.h"
#include "sim/scenes/scene.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A set of units that people use, as a row for --units.
struct UnitSystem {
    std::string_view name;
    std::string_view idea;
    double gravity;   ///< G in these units
    double length;    ///< how many of its lengths make our [L]
    double velocity;  ///< how many of its velocities make our [L/T]
    /// Their names as a header has them; empty: they have none.
    std::string_view lengthName{}, velocityName{}, massName{};
};

/// All unit systems; the first is G = 1.
std::span<const UnitSystem> unitSystems();
/// The row of that name. Throws UsageError naming the valid ones and the nearest.
const UnitSystem& unitSystem(std::string_view name);

/// Units that a file states.
struct StatedUnits {
    double length = 1, mass = 1, velocity = 1;       ///< in m, kg, m/s
    bool dimensionless = false;                      ///< N-body units: G = 1, the factors mean nothing
    std::string words;                               ///< as the file says it
    std::string lengthName, massName, velocityName;  ///< each by itself, fit for parsedUnit()
    std::optional<double> gravity{};                 ///< G in these units, where the file gives it: it goes before them
};

/// A unit as text ("MSun", "km/s", "1000.0 * m * s**-1", "length / time") as a power product of m, kg, s.
struct ParsedUnit {
    double factor = 1;
    int length = 0, mass = 0, time = 0;
    bool nbody = false;
};
std::optional<ParsedUnit> parsedUnit(std::string_view text);

/// Converts bodies, time, time step and softening to G = 1: by options.gravity, else options.units, else `stated`, else not
/// at all; leaves a note and the units in words. Throws UsageError for a bad option, InputError when a converted number is
/// no longer finite.
/// `hubble`: lengths and masses of the file are in those units over this number, as Gadget has them.
void convertUnits(Snapshot& snapshot, const ReadOptions& options, const std::optional<StatedUnits>& stated,
                  const std::string& name, double hubble = 1);

/// What people see of a run whose bodies came in these units: lengths, masses, times and speeds in units that suit them.
/// Without names where the file's are not known.
SceneUnits shownUnits(const FileUnits& units);
/// The other way for units of a scene: what one [L], [M] and [L/T] are in m, kg and m/s; nothing is said of a file.
FileUnits physicalUnits(const SceneUnits& units);
/// Whether reading the names alone gives these factors. Else a table must say what G is, too.
bool namesSuffice(const FileUnits& units);
/// Whether bodies of a file that states no units are so far from balance that they seem to have some.
UnitsDoubt unitsDoubt(const Snapshot& snapshot);
/// As text for a file of ours, and back; empty where it is no such text.
std::string fileUnitsText(const FileUnits& units);
std::optional<FileUnits> fileUnitsFrom(std::string_view text);

}  // namespace gravlab
