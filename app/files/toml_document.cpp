#include "app/files/toml_document.h"

#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/io/file/source.h"
#include "sim/io/toml_parser.h"
#include "sim/io/toml_value.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

namespace gravlab {
namespace {

/// A heading, or keys with values, on one line.
std::optional<ParsedToml> statementIn(std::string_view line) {
    ParsedToml found = parsedToml(line);
    return found.why.empty() ? std::optional(std::move(found)) : std::nullopt;
}

/// A table's name begins with a letter or a quote; rows of numbers do not.
bool isHeading(std::string_view line) {
    const std::size_t name = line.find_first_not_of('[');
    return name > 0 && name != line.npos && (std::isalpha(static_cast<unsigned char>(line[name])) || line[name] == '"');
}

/// The value as TOML without remarks. Numbers and dates keep their spelling.
std::string tomlText(const toml::node& node, std::string_view line) {
    if (const auto* text = node.as_string()) return tomlString(withItsLetters(text->get()));
    std::string all;
    const auto add = [&](const std::string& one) { addTo(all, one); };
    if (const auto* array = node.as_array()) {
        for (const toml::node& element : *array) add(tomlText(element, line));
        return "[" + all + "]";
    }
    if (const auto* table = node.as_table()) {
        for (const auto& [key, element] : *table)
            add(tomlString(withItsLetters(key.str())) + " = " + tomlText(element, line));
        return "{ " + all + " }";
    }
    const toml::source_region& place = node.source();
    return std::string(trimmed(line.substr(place.begin.column - 1, place.end.column - place.begin.column)));
}

/// The key and value of a statement that has one; the prefix of a dotted key joins the table.
TomlEntry entryOf(const ParsedToml& statement, std::string table) {
    const toml::table* inner = &statement.table;
    for (;;) {
        const auto first = inner->begin();  // it owns the object that it points at
        const auto& [key, node] = *first;
        const toml::table* next = node.as_table();
        if (!next || next->is_inline() || next->empty())
            return {table, withItsLetters(key.str()), tomlText(node, statement.text), 0};
        addTo(table, withItsLetters(key.str()), ".");
        inner = next;
    }
}

std::string headingName(const ParsedToml& heading) {
    std::string name;
    const toml::table* inner = &heading.table;
    while (inner && !inner->empty()) {
        const auto first = inner->begin();  // it owns the object that it points at
        const auto& [key, node] = *first;
        addTo(name, withItsLetters(key.str()), ".");
        if (node.is_array()) return "[" + name + "]";
        inner = node.as_table();
    }
    return name;
}

}  // namespace

TomlDocument tomlDocument(std::string_view text) {
    struct Line {
        std::size_t number;
        std::string_view text;
    };
    std::vector<Line> lines;
    eachLine(text, 1, [&](std::size_t number, std::string_view line) { lines.push_back({number, line}); });
    TomlDocument document;
    std::map<std::string, std::size_t> first;  // line of each table and key
    std::string table;
    const auto twice = [&](const std::string& what, const std::string& name, std::size_t line) {
        const auto [known, fresh] = first.emplace(what, line);
        if (!fresh)
            document.faults.push_back(
                {table, line, name + " is there twice, first in line " + std::to_string(known->second)});
        return !fresh;
    };
    // Only the parser can find the start of a remark: a text may contain #.
    const auto withRemark = [&](std::string_view line) {
        const std::string_view rest = text.substr(static_cast<std::size_t>(line.data() - text.data()));
        return trimmed(rest.substr(0, rest.find('\n')));
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto [number, line] = lines[i];
        const KeyValue pair = keyValue(line);
        std::optional<ParsedToml> statement = statementIn(withRemark(line));
        if (isHeading(line)) {
            const std::string name = statement ? headingName(*statement) : "";
            if (!statement) document.faults.push_back({table, number, "expected [TABLE]"});
            table = statement && !twice("[" + name + "]", std::string(line), number) ? name : "?";  // no key is inside it
            if (table != "?") document.tables.push_back({name, number});
            continue;
        }
        // A list may continue on further lines.
        const auto depthOf = [](std::string_view part) {
            return std::ranges::count(part, '[') - std::ranges::count(part, ']');
        };
        std::string whole(line);
        std::size_t end = i;
        auto depth = depthOf(line);
        while (pair.found && !statement && depth > 0 && end + 1 < lines.size()) {
            const std::string_view next = lines[++end].text;
            if (isHeading(next) || keyValue(next).found) break;
            whole += " " + std::string(next);
            depth += depthOf(next);
            if (depth <= 0) statement = statementIn(whole);
        }
        if (statement && !statement->table.empty()) {
            i = end;
            TomlEntry entry = entryOf(*statement, table);
            entry.line = number;
            if (!twice(entry.table + " " + entry.key, entry.key, number)) document.entries.push_back(std::move(entry));
        } else if (!pair.found) {
            document.faults.push_back({table, number, "expected KEY = VALUE, not " + excerpt(line)});
        } else if (!twice(table + " " + std::string(pair.key), printable(pair.key), number)) {
            document.entries.push_back({table, std::string(pair.key), std::string(pair.value), number});
        }
    }
    return document;
}

}  // namespace gravlab
