// toml++ as this program uses it: with ASCII text alone, and with its own assertions checked in every build. They fail for
// some invalid texts ("[}"); unchecked, they would be undefined behaviour.
#pragma once
#include <stdexcept>

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
