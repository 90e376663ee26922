// Which force acts, and its numbers; the laws themselves are in law.h.
#pragma once
namespace gravlab {

/// The pair law: its index in Laws, see kLaw in law.h. laws() has a row of each; gravity is the first.
enum class Law : int { gravity };

/// Precision of state / pair / sum: fp32 = float, float, two-level; mixed = double, float, double; fp64 = all double.
enum class Precision { fp32, mixed, fp64 };

/// What the force depends on beside the bodies.
struct ForceSettings {
    Law law = Law::gravity;
    Precision precision = Precision::fp32;
    double softening = 0;  ///< Plummer softening length [L]
    // The numbers of the laws, each with its default.
#define GRAVLAB_LAW_NUMBER(member, usual, ...) double member = usual;
#include "law_numbers.inl"
#undef GRAVLAB_LAW_NUMBER
    bool operator==(const ForceSettings&) const = default;
};

/// Smallest softening squared in fp32: keeps 1/r^3 finite, so a coincident pair gives exactly 0 without a branch.
constexpr float kSofteningSquaredFloor32 = 1e-20f;
/// The same in fp64; the cube root of its reciprocal stays far below the range limit.
constexpr double kSofteningSquaredFloor64 = 1e-200;

}  // namespace gravlab
