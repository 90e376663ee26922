// The reference table: initial states with answers known to many digits, run here and compared. Rule: expected values and
// tolerances are constants; a NaN fails.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// A known number, and how close a run must be to it.
struct PhysicsRow {
    std::string name;  ///< system, method and quantity
    double expected = 0;
    double tolerance = 0;  ///< largest allowed |got - expected|
    std::function<double()> compute;
    bool atMost = false;  ///< `expected` is a bound: got may be anything from 0 to `expected`
};

/// The result of a row.
struct PhysicsResult {
    double got = 0;
    bool passed = false;
};

/// All rows: forces, two bodies, periodic orbits, the Pythagorean problem, the planets, a galaxy passage, the pair laws.
std::vector<PhysicsRow> physicsRows();

/// Computes one row and compares it.
PhysicsResult judged(const PhysicsRow& row);

/// Prints the table row by row. True when every row passed.
bool printPhysics(std::span<const PhysicsRow> rows);

}  // namespace gravlab
