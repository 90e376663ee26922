// The second half makes ASCII of TOML for its parser. toml++ 3.3 tests whether a letter beyond ASCII is a space, which is
// undefined for most letters. This affects letters outside of texts, after a backslash, and after a line end behind one.
#include "sim/io/toml_value.h"

#include "sim/io/toml_parser.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

namespace {

// Byte b becomes the character U+10F000 + b: private use, which no text contains. In UTF-8 it has these four bytes.
constexpr std::string_view kEscape = "\\U0010F0";
constexpr std::string_view kFirstBytes = "\xF4\x8F";
constexpr unsigned char kLower = 0x82, kUpper = 0x83;  // the third byte: for bytes below 0xC0, and for the others

bool foreign(char c) { return (static_cast<unsigned char>(c) & 0x80u) != 0; }

/// The position after the last quote of the text that begins at `at`; the end of its line or of the file without one.
std::size_t endOfText(std::string_view toml, std::size_t at) {
    const char quote = toml[at];
    const bool lines = toml.substr(at).starts_with(std::string(3, quote));
    for (at += lines ? 3 : 1; at < toml.size();) {
        if (toml[at] == quote) {
            // A text of several lines may end in one or two quotes of its own.
            constexpr std::size_t kMost = 5;
            const std::size_t run = std::min({toml.find_first_not_of(quote, at), toml.size(), at + kMost}) - at;
            if (!lines) return at + 1;
            at += run;
            if (run >= 3) return at;
        } else if (toml[at] == '\n' && !lines) {
            return at;
        } else {
            at += quote == '"' && toml[at] == '\\' ? 2 : 1;
        }
    }
    return toml.size();
}

void appendEscape(std::string& to, char c) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    to.append(kEscape).append({kDigits[byte >> 4], kDigits[byte & 15]});
}

/// Whether an escape is invalid in TOML or would look like one of this file's.
bool badEscape(std::string_view rest) {
    if (rest.size() > 1 && foreign(rest[1])) return true;
    return rest.size() >= kEscape.size() &&
           std::equal(kEscape.begin(), kEscape.end(), rest.begin(),
                      [](char ours, char theirs) { return ours == theirs || (ours == 'F' && theirs == 'f'); });
}

/// Appends a text with its quotes. Returns the position of a letter that is not allowed, or the text's size.
std::size_t appendText(std::string& to, std::string_view text) {
    const bool plain = std::ranges::none_of(text, foreign), basic = text.front() == '"';
    if (plain && !basic) {
        to += text;
        return text.size();
    }
    // A text without escapes becomes one with escapes, between quotes of the other kind.
    const std::size_t marks = text.starts_with("'''") ? 3 : 1;
    const bool ended = text.size() >= 2 * marks && text.ends_with(std::string(marks, '\''));
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (foreign(c)) {
            appendEscape(to, c);
        } else if (basic && c == '\\') {
            if (badEscape(text.substr(i))) return i;
            to += text.substr(i++, 2);
        } else if (!basic && (i < marks || (ended && i >= text.size() - marks))) {
            to += '"';
        } else if (!basic && (c == '"' || c == '\\')) {
            to.append({'\\', c});
        } else {
            to += c;
        }
    }
    return text.size();
}

}  // namespace

AsciiToml asciiToml(std::string_view toml) {
    AsciiToml result;
    const auto refused = [&](std::size_t at) {
        result.foreignLine =
            1 + static_cast<std::size_t>(std::count(toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        return result;
    };
    for (std::size_t at = 0; at < toml.size();) {
        std::size_t end = at + 1;
        if (toml[at] == '"' || toml[at] == '\'') {
            end = endOfText(toml, at);
            const std::size_t wrong = appendText(result.text, toml.substr(at, end - at));
            if (wrong < end - at) return refused(at + wrong);
        } else if (toml[at] == '#') {
            end = std::min(toml.find('\n', at), toml.size());
            std::ranges::transform(toml.substr(at, end - at), std::back_inserter(result.text),
                                   [](char c) { return foreign(c) ? '?' : c; });
        } else if (foreign(toml[at])) {
            return refused(at);
        } else {
            result.text += toml[at];
        }
        at = end;
    }
    return result;
}

std::string withItsLetters(std::string_view parsed) {
    std::string bytes;
    for (std::size_t i = 0; i < parsed.size(); ++i) {
        const std::string_view rest = parsed.substr(i);
        const auto third = static_cast<unsigned char>(rest.size() > 3 ? rest[2] : 0);
        if (!rest.starts_with(kFirstBytes) || (third != kLower && third != kUpper)) {
            bytes += rest.front();
            continue;
        }
        bytes += static_cast<char>(0x80u | (third & 1u) << 6 | (static_cast<unsigned char>(rest[3]) & 0x3Fu));
        i += 3;
    }
    return bytes;
}

}  // namespace gravlab
