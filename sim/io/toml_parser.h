// toml++ as this program uses it: with ASCII text alone, and with its own assertions checked in every build. They fail for
// some invalid texts ("[}"); unchecked, they would be undefined behaviour.
#pragma once
#include "sim/io/toml_value.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace gravlab {

/// The text violates an assumption of the parser.
struct TomlFault : std::runtime_error {
    TomlFault() : std::runtime_error("brackets, quotes or numbers that do not fit together") {}
};
[[noreturn]] inline void refuseToml() { throw TomlFault(); }

}  // namespace gravlab

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : ::gravlab::refuseToml())
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace gravlab {

/// What a TOML text holds, or why it is none.
struct ParsedToml {
    std::string text;  ///< the parsed text: ASCII only; withItsLetters() restores keys and texts
    toml::table table;
    std::size_t line = 0;  ///< line of the mistake
    std::string why{};     ///< empty: there is none
};
inline ParsedToml parsedToml(std::string_view toml) {
    AsciiToml ascii = asciiToml(toml);
    if (ascii.foreignLine > 0) return {{}, {}, ascii.foreignLine, "a letter beyond ASCII outside of quotes"};
    try {
        toml::parse_result found = toml::parse(ascii.text);
        if (found) return {std::move(ascii.text), std::move(found).table()};
        return {{}, {}, found.error().source().begin.line, std::string(found.error().description())};
    } catch (const TomlFault& fault) {
        return {{}, {}, 1, fault.what()};
    }
}

}  // namespace gravlab
