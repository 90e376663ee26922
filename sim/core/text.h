// Pieces of the lines that people write into files and options, and what of them may be shown.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gravlab {

/// Without spaces, tabs and carriage returns at both ends.
constexpr std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Up to a remark (#) that begins outside a string; a backslash in a string goes with what follows it.
constexpr std::string_view withoutRemark(std::string_view line) {
    bool inString = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (inString && line[i] == '\\')
            ++i;
        else if (line[i] == '"')
            inString = !inString;
        else if (line[i] == '#' && !inString)
            return line.substr(0, i);
    }
    return line;
}

/// Text of a file, another program or a user as it may go to a terminal: one line, control characters, escape sequences and
/// what is no UTF-8 replaced by '?'; letters of every language stay.
std::string printable(std::string_view text);

}  // namespace gravlab
