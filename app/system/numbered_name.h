// Names of numbered files. Rule: a pattern is text with one %d; it never reaches printf.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gravlab {

/// A pattern, cut at its number.
struct NumberedParts {
    std::string before, after;
    bool numbered = false;  ///< else all of it is `before`
    bool zeros = false;     ///< fill the number up to `width`, else spaces do
    std::size_t width = 0;
    std::string name(std::int64_t number) const;
};

/// Takes %d, %5d or %05d (at most 20 digits), once or not at all, for the number; "%%" is a percent sign. Empty for any
/// other use of '%'.
std::optional<NumberedParts> numberedParts(std::string_view pattern);

/// The pattern with its one number replaced. Throws UsageError naming `option`.
std::string numberedName(std::string_view option, std::string_view pattern, std::int64_t number);

}  // namespace gravlab
