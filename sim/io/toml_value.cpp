#include "sim/io/toml_value.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

/// Whether letters beyond ASCII stand elsewhere than in a text that the value begins with. No value has them there, and
/// toml++ 3.3 asks of each whether it is a space in a way that is undefined for most. What follows the text, or stands
/// between quotes inside of something else, is no part of it.
bool foreignOutsideText(std::string_view text) {
    std::size_t end = 0;  // of the text
    if (text.starts_with('"') || text.starts_with('\'')) {
        const std::string three(3, text[0]);
        const std::string_view mark = std::string_view(three).substr(0, text.starts_with(three) ? 3 : 1);
        for (end = mark.size(); end < text.size() && !text.substr(end).starts_with(mark); ++end)
            if (text[0] == '"' && text[end] == '\\') ++end;
    }
    return end < text.size() &&
           std::ranges::any_of(text.substr(end), [](char c) { return (static_cast<unsigned char>(c) & 0x80u) != 0; });
}

/// The table of "v = TEXT".
std::optional<toml::table> parsed(std::string_view text) {
    if (text.find_first_of("\r\n") != std::string_view::npos || foreignOutsideText(text)) return std::nullopt;
    toml::parse_result result = toml::parse("v = " + std::string(text));
    if (!result || result.table().size() != 1) return std::nullopt;
    return std::move(result).table();
}

/// Names of files need not be UTF-8, TOML must be: bytes above ASCII as escapes, and back.
std::string withEscapes(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string escaped;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            escaped += c;
        else
            (escaped += "\\u00").append({kDigits[byte >> 4], kDigits[byte & 15]});
    }
    return escaped;
}
std::string withoutEscapes(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto lead = static_cast<unsigned char>(text[i]);
        // U+0080 to U+00ff are two bytes.
        if ((lead == 0xc2 || lead == 0xc3) && i + 1 < text.size())
            bytes += static_cast<char>(((lead & 3) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f));
        else
            bytes += text[i];
    }
    return bytes;
}

std::optional<double> numberIn(const toml::node& node) {
    const std::optional<double> number = node.is_number() ? node.value<double>() : std::nullopt;
    return number;
}

std::optional<Value> valueIn(const toml::node& node) {
    if (const auto* flag = node.as_boolean()) return Value(flag->get());
    if (const auto* whole = node.as_integer()) return Value(whole->get());
    if (const auto* number = node.as_floating_point()) return Value(number->get());
    if (const auto* text = node.as_string()) return Value(text->get());
    const auto* array = node.as_array();
    if (!array) return std::nullopt;
    std::vector<double> list;
    for (const toml::node& element : *array) {
        const std::optional<double> number = numberIn(element);
        if (!number) return std::nullopt;
        list.push_back(*number);
    }
    return Value(std::move(list));
}

}  // namespace

std::optional<Value> tomlValue(std::string_view text) {
    if (const auto table = parsed(text)) return valueIn(*table->get("v"));
    if (const auto table = text.starts_with('"') ? parsed(withEscapes(text)) : std::nullopt)
        if (const auto* found = table->get("v")->as_string()) return Value(withoutEscapes(found->get()));
    const Value plain = valueOf(text);
    return numberOf(plain) && std::isfinite(*numberOf(plain)) ? std::optional(plain) : std::nullopt;
}

std::optional<std::map<std::string, double, std::less<>>> tomlTable(std::string_view text) {
    const auto outer = parsed(text);
    const auto* table = outer ? outer->get("v")->as_table() : nullptr;
    if (!table) return std::nullopt;
    std::map<std::string, double, std::less<>> found;
    for (const auto& [name, node] : *table) {
        const std::optional<double> number = numberIn(node);
        if (!number || !std::isfinite(*number)) return std::nullopt;
        found.emplace(name.str(), *number);
    }
    return found;
}

std::optional<std::vector<std::vector<double>>> tomlRows(std::string_view text) {
    std::string line(text);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    const auto outer = parsed(line);
    const auto* array = outer ? outer->get("v")->as_array() : nullptr;
    if (!array) return std::nullopt;
    std::vector<std::vector<double>> rows;
    for (const toml::node& node : *array) {
        const std::optional<Value> value = valueIn(node);
        const auto* row = value ? std::get_if<std::vector<double>>(&*value) : nullptr;
        if (!row || !std::all_of(row->begin(), row->end(), [](double number) { return std::isfinite(number); }))
            return std::nullopt;
        rows.push_back(*row);
    }
    return rows;
}

std::string tomlString(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            (result += "\\u00").append({kDigits[byte >> 4], kDigits[byte & 15]});
            continue;
        }
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

}  // namespace gravlab
