// Builders for the rows of the table. A row lists path, label, idea and default, then its access to the document, then the
// rest.
// Rule: only these functions know where the document keeps a property. Kind and conversion follow from the stored type.
#pragma once
#include "app/model/document.h"
#include "app/parameters/parameter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gravlab::rows {

/// The requested settings of the run, and the settings in force.
inline RunRequest& requestOf(Document& d) { return d.intent.request; }
inline const RunRequest& requestOf(const Document& d) { return d.intent.request; }
inline const RunConfiguration& inForce(const Document& d) { return d.facts.configuration; }

inline const std::string& textOf(const Value& value) { return std::get<std::string>(value); }
inline bool isAuto(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text && *text == "auto";
}

/// Follows these members of the document, one after another.
template <auto... members>
constexpr auto at = [](auto& document) -> auto& {
    return (document.*....*members);
};

template <class Held>
constexpr bool kOptional = false;
template <class Held>
constexpr bool kOptional<std::optional<Held>> = true;

/// The kind of a property with that stored type.
template <class Held>
constexpr Kind kindOf() {
    if constexpr (kOptional<Held>) return kindOf<typename Held::value_type>();
    if constexpr (std::is_same_v<Held, bool>) return Kind::flag;
    if constexpr (std::is_integral_v<Held>) return Kind::integer;
    if constexpr (std::is_convertible_v<Held, std::string_view>) return Kind::text;
    return Kind::number;
}

/// Converts a stored object to a value; an empty one becomes nothing.
template <class Held>
Value asValue(const Held& held) {
    if constexpr (kOptional<Held>)
        return held ? asValue(*held) : Value();
    else if constexpr (std::is_same_v<Held, float>)
        return plainNumber(held);
    else if constexpr (std::is_same_v<Held, Value> || std::is_same_v<Held, bool> || std::is_same_v<Held, double>)
        return held;
    else if constexpr (std::is_convertible_v<Held, std::string_view>)
        return std::string(std::string_view(held));
    else if constexpr (std::is_signed_v<Held>)
        return std::int64_t{held};
    else
        return wholeValue(held);
}

/// Converts a value that checked() accepted back to the stored type.
template <class Held>
Held fromValue(const Value& value) {
    if constexpr (std::is_same_v<Held, bool>)
        return std::get<bool>(value);
    else if constexpr (std::is_constructible_v<Held, std::string>)
        return std::get<std::string>(value);
    else if constexpr (std::is_floating_point_v<Held>)
        return static_cast<Held>(std::get<double>(value));
    else if (const auto* large = std::get_if<std::uint64_t>(&value))
        return static_cast<Held>(*large);
    else
        return static_cast<Held>(std::get<std::int64_t>(value));
}

/// The name of a table's row; the row may itself be a name.
template <class Row>
std::string_view nameIn(const Row& row) {
    if constexpr (std::is_convertible_v<const Row&, std::string_view>)
        return row;
    else
        return row.name;
}

/// Names of a table's rows.
template <class Table>
std::vector<std::string> namesOf(const Table& table) {
    std::vector<std::string> names;
    for (const auto& row : table)
        if (std::find(names.begin(), names.end(), nameIn(row)) == names.end()) names.emplace_back(nameIn(row));
    return names;
}

/// The rows of a table that have an idea, as a list of choices.
template <class Table>
std::vector<SettingChoice> offersOf(const Table& table, std::string_view now) {
    std::vector<SettingChoice> offers;
    for (const auto& row : table) offers.push_back({std::string(row.name), row.idea, row.name == now, {}});
    return offers;
}

/// The index of a name that the table contains.
template <class Table>
std::size_t placeIn(const Table& table, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find_if(table, [&](const auto& row) { return nameIn(row) == name; }) -
                                    std::ranges::begin(table));
}

/// Builds rows: their texts and all other fields. Fields that `rest` leaves empty follow from the stored type.
class Rows {
public:
    /// A row with its own access to the document.
    Parameter& own(std::string path, std::string_view label, std::string_view idea, std::string_view defaultText,
                   Parameter&& rest) {
        rest.path = std::move(path);
        rest.label = label;
        rest.idea = idea;
        rest.defaultText = defaultText;
        return all_.emplace_back(std::move(rest));
    }

    /// A row for the object that `at` refers to: a flag (off unless `defaultText` says otherwise), a number or a text. An
    /// empty optional reads as the word `specialValue`.
    template <class At>
    Parameter& member(std::string path, std::string_view label, std::string_view idea, std::string_view defaultText, At at,
                      Parameter&& rest = {}) {
        using Held = std::remove_cvref_t<decltype(at(std::declval<Document&>()))>;
        rest.single = std::is_same_v<Held, float>;
        if (rest.kind == Kind::number) rest.kind = kindOf<Held>();
        if (rest.kind == Kind::flag && defaultText.empty()) defaultText = "false";
        if constexpr (kOptional<Held>) {
            rest.get = [at, word = std::string(rest.specialValue)](const Document& d) -> Value {
                return at(d) ? asValue(*at(d)) : Value(word);
            };
            if (!rest.set)
                rest.set = [at, word = Value(std::string(rest.specialValue))](Document& d, const Value& value) {
                    at(d) = value == word ? Held() : Held(fromValue<typename Held::value_type>(value));
                };
        } else {
            rest.get = [at](const Document& d) { return asValue(at(d)); };
            if (!rest.set) rest.set = [at](Document& d, const Value& value) { at(d) = fromValue<Held>(value); };
        }
        return own(std::move(path), label, idea, defaultText, std::move(rest));
    }

    /// A number whose value `none` reads as the word "auto".
    template <class At>
    Parameter& numberOrAuto(std::string path, std::string_view label, std::string_view idea, At at, double none,
                            Parameter&& rest) {
        rest.specialValue = "auto";
        Parameter& row = member(std::move(path), label, idea, "auto", at, std::move(rest));
        row.get = [at, none](const Document& d) { return at(d) == none ? Value(std::string("auto")) : Value(at(d)); };
        row.set = [at, none](Document& d, const Value& v) { at(d) = isAuto(v) ? none : std::get<double>(v); };
        return row;
    }

    /// A row of a table; `at` refers to its index or its name. Rows with ideas are offered with them.
    template <class Table, class At>
    Parameter& choice(std::string path, std::string_view label, std::string_view idea, std::string_view defaultText,
                      Table table, At at, Parameter&& rest = {}) {
        using Held = std::remove_cvref_t<decltype(at(std::declval<Document&>()))>;
        rest.kind = Kind::choice;
        if (!rest.choices) rest.choices = [table] { return namesOf(table()); };
        if (!rest.get)
            rest.get = [table, at](const Document& d) -> Value {
                if constexpr (std::is_same_v<Held, std::string>)
                    return at(d);
                else
                    return std::string(nameIn(table()[static_cast<std::size_t>(at(d))]));
            };
        if (!rest.set)
            rest.set = [table, at](Document& d, const Value& v) {
                if constexpr (std::is_same_v<Held, std::string>)
                    at(d) = textOf(v);
                else
                    at(d) = static_cast<Held>(placeIn(table(), textOf(v)));
            };
        if constexpr (requires { table()[0].idea; })
            if (!rest.offers)
                rest.offers = [table, get = rest.get](const Document& d) { return offersOf(table(), textOf(get(d))); };
        return own(std::move(path), label, idea, defaultText, std::move(rest));
    }

    /// A read-only row; its kind follows from the type that `get` returns, unless that is a Value.
    template <class Get>
    Parameter& fact(std::string path, std::string_view label, std::string_view idea, Get get, Parameter&& rest = {}) {
        using Held = std::remove_cvref_t<decltype(get(std::declval<const Document&>()))>;
        if (rest.kind == Kind::number) rest.kind = kindOf<Held>();
        rest.get = [get](const Document& d) { return asValue(get(d)); };
        return own(std::move(path), label, idea, {}, std::move(rest));
    }

    /// Facts that depend on the clock of the machine.
    template <class Get>
    Parameter& measured(std::string path, std::string_view label, std::string_view idea, Get get, Parameter&& rest = {}) {
        rest.measured = true;
        return fact(std::move(path), label, idea, get, std::move(rest));
    }

    std::vector<Parameter>& all() { return all_; }
    std::vector<Parameter> take() { return std::move(all_); }

private:
    std::vector<Parameter> all_;
};

/// Adds a further effect on the document to the setting of a row.
inline void alsoSets(Parameter& row, void (*also)(Document&)) {
    row.set = [set = row.set, also](Document& d, const Value& v) {
        set(d, v);
        also(d);
    };
}

}  // namespace gravlab::rows
