// A value that a person, a file or a script writes to or reads from a setting: the one type between them and the tables of
// settings. Rule: a value written as text and read back is the same, whatever the locale.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gravlab {

/// std::monostate: unknown, or none. Whole numbers are std::int64_t; std::uint64_t only above its range.
using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<double>>;

inline bool isNothing(const Value& value) { return std::holds_alternative<std::monostate>(value); }

/// A whole number in the type that holds it.
Value wholeValue(std::uint64_t number);
/// The number that people would write for a float: 0.3, not 0.30000001192092896.
double plainNumber(float value);

/// The value as a number; empty when it is not one.
std::optional<double> numberOf(const Value& value);
/// The shortest text that gives the same double: 0.1, 1e-07, 3.
std::string shortestText(double value);

/// true, 12, 0.5, leapfrog, [1, 2, 3], nothing. Quotes surround text that would be read as another type.
std::string valueText(const Value& value);
/// The same, but texts stay as they are.
inline std::string wordOf(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text ? *text : valueText(value);
}
/// A flag, a whole number, a number, a list in brackets, or text in quotes (\" and \\ stand for themselves). Anything else
/// is text; never fails.
Value valueOf(std::string_view text);

}  // namespace gravlab
