// Values of TOML, as settings, scene files and config.toml have them behind their keys. toml++ is known here and where
// lessons are read, see toml_parser.h.
#pragma once
#include "sim/core/value.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A flag, whole number, number, text or list of numbers; empty when it is none of these. Whole numbers of 64 bits without a
/// sign are taken too, and numbers that leave out a digit as ours once could (5., .5, 007).
std::optional<Value> tomlValue(std::string_view text);

/// An inline table of finite numbers; empty when it is none.
std::optional<std::map<std::string, double, std::less<>>> tomlTable(std::string_view text);

/// A list of lists of finite numbers, over as many lines as it takes; empty when it is none.
std::optional<std::vector<std::vector<double>>> tomlRows(std::string_view text);

/// In quotes, with the escapes that it needs.
std::string tomlString(std::string_view text);

}  // namespace gravlab
