// Text that people type, converted to values. Rule: the whole text must be valid, and every refusal is a sentence that names
// the option.
#pragma once
#include "sim/core/text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gravlab {

/// Largest N of the project.
constexpr std::int64_t kMaxBodies = 2147483647;

/// The number in the whole text, with or without a sign.
template <class Number>
std::optional<Number> wholeText(std::string_view text) {
    return numberFrom<Number>(text.starts_with('+') ? text.substr(1) : text);
}

/// A whole number, also as 1e6.
std::optional<std::int64_t> wholeNumber(std::string_view text);
/// The same, or with a binary suffix: 64k = 65,536, 1M = 1,048,576, 1G = 1,073,741,824.
std::optional<std::int64_t> wholeMultiple(std::string_view text);

/// A whole number in [least, most]. Throws UsageError.
std::int64_t parseInteger(std::string_view option, std::string_view text, std::int64_t least, std::int64_t most);

/// N in 1..kMaxBodies, see wholeMultiple(). Throws UsageError.
std::size_t parseBodies(std::string_view option, std::string_view text);

/// A finite number. Throws UsageError.
double parseReal(std::string_view option, std::string_view text);
/// A finite number above zero. Throws UsageError.
double parsePositive(std::string_view option, std::string_view text);
/// A finite number, zero included, not negative. Throws UsageError.
double parseNonNegative(std::string_view option, std::string_view text);

/// "1280x720", both at least 1 and at most 16384 pixels. Throws UsageError.
std::pair<int, int> parseSize(std::string_view option, std::string_view text);

/// A name; empty for "auto", when the program chooses.
std::optional<std::string> nameUnlessAuto(const std::string& text);

/// Pieces between commas and white space, empty ones dropped.
std::vector<std::string> splitList(const std::vector<std::string>& texts);

}  // namespace gravlab
