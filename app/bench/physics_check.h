// The reference table: starts whose answers are known to many digits, run here and compared.
// Rule: expected values and tolerances are constants; a NaN fails.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// A number that is known, and how near a run has to come.
struct PhysicsRow {
    std::string name;  ///< system, method and quantity
    double expected = 0;
    double tolerance = 0;  ///< |got - expected| may be as large
    std::function<double()> compute;
    bool atMost = false;  ///< `expected` is a bound: got may be anything from 0 to it
};

/// What came of a row.
struct PhysicsResult {
    double got = 0;
    bool passed = false;
};

/// All rows: forces, two bodies, periodic orbits, the Pythagorean problem, the planets, a galaxy passage, the pair laws.
std::vector<PhysicsRow> physicsRows();

/// Computes one row and judges it.
PhysicsResult judged(const PhysicsRow& row);

/// Prints the table row by row. True when every row passed.
bool printPhysics(std::span<const PhysicsRow> rows);

}  // namespace gravlab
