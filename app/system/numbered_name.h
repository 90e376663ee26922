// Names of numbered files. Rule: a pattern is text with one %d; it never reaches printf.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gravlab {

/// A pattern, split at its number.
struct NumberedParts {
    std::string before, after;
    bool numbered = false;  ///< else the whole pattern is `before`
    bool zeros = false;     ///< pad the number with zeros up to `width`, else with spaces
    std::size_t width = 0;
    std::string name(std::int64_t number) const;
};

/// Accepts at most one %d, %5d or %05d (at most 20 digits) for the number; "%%" is a percent sign. Empty for any other use
/// of '%'.
std::optional<NumberedParts> numberedParts(std::string_view pattern);

/// The pattern with its one number replaced. Throws UsageError naming `option`.
std::string numberedName(std::string_view option, std::string_view pattern, std::int64_t number);

}  // namespace gravlab
