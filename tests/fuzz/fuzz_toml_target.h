// Values of TOML and texts of lessons, given directly to the code before the parser.
#pragma once
#include "sim/io/toml_value.h"
#include "tests/fuzz/fuzz_promises.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gravlab::fuzz {

/// The bytes as a value, as a table, as rows, and as the content of one of our texts.
inline void toml(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const AsciiToml ascii = asciiToml(bytes);
    require(std::ranges::all_of(ascii.text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }),
            "the parser is given ASCII");
    if (ascii.foreignLine == 0) {
        require(std::ranges::count(ascii.text, '\n') == std::ranges::count(bytes, '\n'), "lines keep their numbers");
        require(asciiToml(ascii.text).foreignLine == 0 || ascii.text != bytes, "what is ASCII is taken");
    }
    (void)tomlValue(bytes);
    if (const auto table = tomlTable(bytes))
        for (const auto& [name, value] : *table) require(std::isfinite(value), "a table has finite numbers");
    if (const auto rows = tomlRows(bytes))
        for (const auto& row : *rows)
            for (const double value : row) require(std::isfinite(value), "rows have finite numbers");
    require(tomlValue(tomlString(bytes)) == Value(std::string(bytes)), "a text comes back");
}

}  // namespace gravlab::fuzz
