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

/// Up to a remark (#) that begins outside a string; a backslash in a string goes with what follows it. `afterBlank`: words
/// may have a #, and a remark begins after a blank or the line.
constexpr std::string_view withoutRemark(std::string_view line, bool afterBlank = false) {
    bool inString = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (inString && line[i] == '\\')
            ++i;
        else if (line[i] == '"')
            inString = !inString;
        else if (line[i] == '#' && !inString && (!afterBlank || i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
            return line.substr(0, i);
    }
    return line;
}

/// Hands each line that says something to `take`: its number, and its text without remark and blanks.
template <class Take>
void eachLine(std::string_view text, std::size_t first, Take take) {
    for (std::size_t number = first; !text.empty(); ++number) {
        const std::size_t end = text.find('\n') == std::string_view::npos ? text.size() : text.find('\n');
        const std::string_view line = trimmed(withoutRemark(text.substr(0, end)));
        text.remove_prefix(end < text.size() ? end + 1 : end);
        if (!line.empty()) take(number, line);
    }
}

/// The two sides of KEY = VALUE, without blanks; both empty where there is no =.
struct KeyValue {
    std::string_view key{}, value{};
    bool found = false;
};
constexpr KeyValue keyValue(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return {};
    return {trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)), true};
}

/// Text of a file, another program or a user as it may go to a terminal: one line, control characters, escape sequences and
/// what is no UTF-8 replaced by '?'; letters of every language stay.
std::string printable(std::string_view text);

/// With small letters for the capital ones of ASCII.
std::string inLowerCase(std::string_view text);

}  // namespace gravlab
