#include "sim/io/toml_value.h"

#include "sim/io/toml_parser.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

/// The table of "v = TEXT".
std::optional<toml::table> parsed(std::string_view text) {
    if (text.find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
    ParsedToml found = parsedToml("v = " + std::string(text));
    if (!found.why.empty() || found.table.size() != 1) return std::nullopt;
    return std::move(found.table);
}

std::optional<double> numberIn(const toml::node& node) {
    const std::optional<double> number = node.is_number() ? node.value<double>() : std::nullopt;
    return number;
}

std::optional<Value> valueIn(const toml::node& node) {
    if (const auto* flag = node.as_boolean()) return Value(flag->get());
    if (const auto* whole = node.as_integer()) return Value(whole->get());
    if (const auto* number = node.as_floating_point()) return Value(number->get());
    if (const auto* text = node.as_string()) return Value(withItsLetters(text->get()));
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
        found.emplace(withItsLetters(name.str()), *number);
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
