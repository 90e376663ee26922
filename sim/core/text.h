// Helpers for lines that people write into files and options, and for text that may be shown.
#pragma once
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// The text without blanks and line ends at both ends.
constexpr std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The text up to a comment (#) that begins outside a string; a backslash in a string escapes the next character.
/// `afterBlank`: words may contain a #, and a comment begins after a blank or at the line's start.
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

/// Lines of a text, without their ends.
std::vector<std::string_view> linesOf(std::string_view text);
/// The parts between marks, without blanks around them.
std::vector<std::string_view> partsOf(std::string_view text, char mark);

/// The number that the whole text states.
template <class Number>
std::optional<Number> numberFrom(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Passes each line with content to `take`: its number, and its text without comment and blanks.
template <class Take>
void eachLine(std::string_view text, std::size_t first, Take take) {
    for (const std::string_view whole : linesOf(text)) {
        if (const std::string_view line = trimmed(withoutRemark(whole)); !line.empty()) take(first, line);
        ++first;
    }
}

/// The two sides of KEY = VALUE, without blanks; both empty when there is no =.
struct KeyValue {
    std::string_view key{}, value{};
    bool found = false;
};
constexpr KeyValue keyValue(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return {};
    return {trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)), true};
}

/// Text of a file, another program or a user, safe for a terminal: one line, with '?' for control characters, escape
/// sequences and invalid UTF-8. Letters of every language stay.
std::string printable(std::string_view text);

/// The output of printf, of any length.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// The text with its ASCII capitals in lower case.
std::string inLowerCase(std::string_view text);

}  // namespace gravlab
