// Values of TOML after the keys in settings, scene files and config.toml. Only lessons use toml++ too, see toml_parser.h.
#pragma once
#include "sim/core/value.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A flag, whole number, number, text or list of numbers; empty when the text is none of these. Also accepts whole numbers
/// of 64 bits without a sign, and numbers that lack a digit as older files have them (5., .5, 007).
std::optional<Value> tomlValue(std::string_view text);

/// An inline table of finite numbers; empty when the text is none.
std::optional<std::map<std::string, double, std::less<>>> tomlTable(std::string_view text);

/// A list of lists of finite numbers, over any number of lines; empty when the text is none.
std::optional<std::vector<std::vector<double>>> tomlRows(std::string_view text);

/// The text in quotes, with the necessary escapes.
std::string tomlString(std::string_view text);

/// The same lines of TOML with every byte beyond ASCII written as an escape, in texts, or as '?', in comments.
struct AsciiToml {
    std::string text;
    std::size_t foreignLine = 0;  ///< the line of a letter beyond ASCII elsewhere, which TOML does not allow; 0: none
};
AsciiToml asciiToml(std::string_view toml);

/// A text or key parsed from asciiToml(), with its original bytes.
std::string withItsLetters(std::string_view parsed);

}  // namespace gravlab
