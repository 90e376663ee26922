// A value that a person, a file or a script gives to a setting, and that is read from one: one type between all of them and
// the tables of settings. Rule: text and back gives the same value, whatever the locale.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gravlab {

/// std::monostate: not known, or none. Whole numbers are std::int64_t; std::uint64_t only above its range.
using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<double>>;

inline bool isNothing(const Value& value) { return std::holds_alternative<std::monostate>(value); }

/// A whole number as it is held.
Value wholeValue(std::uint64_t number);
/// The number that people would write for a float: 0.3, not 0.30000001192092896.
double plainNumber(float value);

/// What a value is as a number; empty when it is none.
std::optional<double> numberOf(const Value& value);
/// Shortest text that gives the double back: 0.1, 1e-07, 3.
std::string shortestText(double value);

/// true, 12, 0.5, leapfrog, [1, 2, 3], nothing. Text that would read as something else is in quotes.
std::string valueText(const Value& value);
/// A flag, a whole number, a number, a list in brackets, text in quotes (\" and \\ stand for themselves), else the text as
/// it is. Never fails: what is none of the others is text.
Value valueOf(std::string_view text);

}  // namespace gravlab
