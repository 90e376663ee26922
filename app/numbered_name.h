// Names of numbered files. Rule: a pattern is text with one %d; it never reaches printf.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace gravlab {

/// The pattern with its one %d, %5d or %05d (at most 20 digits) replaced by the number; "%%" is a percent sign.
/// Throws UsageError naming `option`.
std::string numberedName(std::string_view option, std::string_view pattern, std::int64_t number);

}  // namespace gravlab
