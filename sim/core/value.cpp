#include "sim/core/value.h"

#include "sim/core/names.h"
#include "sim/core/text.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace gravlab {
namespace {

template <class Number>
std::optional<Number> whole(std::string_view text) {
    return numberFrom<Number>(text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text);
}

std::optional<std::vector<double>> listOf(std::string_view text) {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
    text = trimmed(text.substr(1, text.size() - 2));
    std::vector<double> list;
    if (text.empty()) return list;
    for (const std::string_view part : partsOf(text, ',')) {
        const std::optional<double> number = whole<double>(part);
        if (!number) return std::nullopt;
        list.push_back(*number);
    }
    return list;
}

std::optional<std::string> quoted(std::string_view text) {
    if (text.size() < 2 || text.front() != '"') return std::nullopt;
    std::string inside;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') return i + 1 == text.size() ? std::optional(inside) : std::nullopt;
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        inside += text[i];
    }
    return std::nullopt;
}

}  // namespace

Value wholeValue(std::uint64_t number) {
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return number;
    return static_cast<std::int64_t>(number);
}

double plainNumber(float value) {
    char text[32];
    return *numberFrom<double>({text, std::to_chars(text, text + sizeof text, value).ptr});
}

std::optional<double> numberOf(const Value& value) {
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*number);
    return std::nullopt;
}

std::string shortestText(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string valueText(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
    if (const auto* number = std::get_if<double>(&value)) {
        const std::string text = shortestText(*number);
        return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
    }
    if (const auto* list = std::get_if<std::vector<double>>(&value)) {
        return '[' + joined(*list, shortestText) + ']';
    }
    const auto* text = std::get_if<std::string>(&value);
    if (!text) return "nothing";
    const bool plain = !text->empty() && *text != "nothing" && text->find_first_of(" \t\r\n\"\\#") == std::string::npos;
    if (plain && std::holds_alternative<std::string>(valueOf(*text))) return *text;
    std::string inQuotes = "\"";
    for (const char c : *text) inQuotes += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    return inQuotes + "\"";
}

Value valueOf(std::string_view text) {
    text = trimmed(text);
    if (text == "true" || text == "false") return text == "true";
    if (text == "nothing") return std::monostate();
    if (const auto number = whole<std::int64_t>(text)) return *number;
    if (const auto number = whole<std::uint64_t>(text)) return *number;
    if (const auto number = whole<double>(text)) return *number;
    if (auto list = listOf(text)) return *std::move(list);
    if (auto inside = quoted(text)) return *std::move(inside);
    return std::string(text);
}

}  // namespace gravlab
