// How the rows of the table are written: path, label, idea and default, then how the row reaches the document, then the
// rest. Rule: the only place that knows where the document keeps a property; kind and conversion follow from the type kept
// there.
#pragma once
#include "app/control/parameter.h"
#include "app/model/document.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gravlab::rows {

/// What was asked of the run, and what is in force.
inline RunRequest& asked(Document& d) { return d.intent.request; }
inline const RunRequest& asked(const Document& d) { return d.intent.request; }
inline const RunConfiguration& inForce(const Document& d) { return d.facts.configuration; }

inline const std::string& textOf(const Value& value) { return std::get<std::string>(value); }
inline bool isAuto(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text && *text == "auto";
}

/// Reaches what these members of the document lead to, one behind the other.
template <auto... members>
constexpr auto at = [](auto& document) -> auto& {
    return (document.*....*members);
};

template <class Held>
constexpr bool kOptional = false;
template <class Held>
constexpr bool kOptional<std::optional<Held>> = true;

/// The kind of a property that is kept as that type.
template <class Held>
constexpr Kind kindOf() {
    if constexpr (kOptional<Held>) return kindOf<typename Held::value_type>();
    if constexpr (std::is_same_v<Held, bool>) return Kind::flag;
    if constexpr (std::is_integral_v<Held>) return Kind::integer;
    if constexpr (std::is_convertible_v<Held, std::string_view>) return Kind::text;
    return Kind::number;
}

/// The value of what is kept; an empty one is nothing.
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

/// The other way, of a value that checked() has passed.
template <class Held>
Held fromValue(const Value& value) {
    if constexpr (std::is_same_v<Held, bool> || std::is_same_v<Held, std::string>)
        return std::get<Held>(value);
    else if constexpr (std::is_floating_point_v<Held>)
        return static_cast<Held>(std::get<double>(value));
    else if (const auto* large = std::get_if<std::uint64_t>(&value))
        return static_cast<Held>(*large);
    else
        return static_cast<Held>(std::get<std::int64_t>(value));
}

/// The name of a row of a table, which may be a name itself.
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

/// The rows of a table that have an idea, as a list to choose from.
template <class Table>
std::vector<SettingChoice> offersOf(const Table& table, std::string_view now) {
    std::vector<SettingChoice> offers;
    for (const auto& row : table) offers.push_back({std::string(row.name), row.idea, row.name == now, {}});
    return offers;
}

/// The place of a name in a table that has it.
template <class Table>
std::size_t placeIn(const Table& table, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find_if(table, [&](const auto& row) { return nameIn(row) == name; }) -
                                    std::ranges::begin(table));
}

/// What a row says in words, and everything else that it has: what `rest` leaves out follows from how it is kept.
class Rows {
public:
    /// Reaches the document in a way of its own.
    Parameter& own(std::string path, std::string_view label, std::string_view idea, std::string_view usual, Parameter rest) {
        rest.path = std::move(path);
        rest.label = label;
        rest.idea = idea;
        rest.usual = usual;
        return all_.emplace_back(std::move(rest));
    }

    /// What `at` gives a reference to: a flag, which is off unless `usual` says otherwise, a number or a text. One that is
    /// optional is the word `otherwise` while it is empty.
    template <class At>
    Parameter& member(std::string path, std::string_view label, std::string_view idea, std::string_view usual, At at,
                      Parameter rest = {}) {
        using Held = std::remove_cvref_t<decltype(at(std::declval<Document&>()))>;
        rest.single = std::is_same_v<Held, float>;
        if (rest.kind == Kind::number) rest.kind = kindOf<Held>();
        if (rest.kind == Kind::flag && usual.empty()) usual = "false";
        if constexpr (kOptional<Held>) {
            rest.get = [at, word = std::string(rest.otherwise)](const Document& d) -> Value {
                return at(d) ? asValue(*at(d)) : Value(word);
            };
            if (!rest.set)
                rest.set = [at, word = Value(std::string(rest.otherwise))](Document& d, const Value& value) {
                    at(d) = value == word ? Held() : Held(fromValue<typename Held::value_type>(value));
                };
        } else {
            rest.get = [at](const Document& d) { return asValue(at(d)); };
            if (!rest.set) rest.set = [at](Document& d, const Value& value) { at(d) = fromValue<Held>(value); };
        }
        return own(std::move(path), label, idea, usual, std::move(rest));
    }

    /// A number that is `none` while the word "auto" stands for it.
    template <class At>
    Parameter& numberOrAuto(std::string path, std::string_view label, std::string_view idea, At at, double none,
                            Parameter rest) {
        rest.otherwise = "auto";
        Parameter& row = member(std::move(path), label, idea, "auto", at, std::move(rest));
        row.get = [at, none](const Document& d) { return at(d) == none ? Value(std::string("auto")) : Value(at(d)); };
        row.set = [at, none](Document& d, const Value& v) { at(d) = isAuto(v) ? none : std::get<double>(v); };
        return row;
    }

    /// A row of a table, whose place there or whose name `at` gives a reference to. Rows with ideas are offered with them.
    template <class Table, class At>
    Parameter& choice(std::string path, std::string_view label, std::string_view idea, std::string_view usual, Table table,
                      At at, Parameter rest = {}) {
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
        return own(std::move(path), label, idea, usual, std::move(rest));
    }

    /// A row that is only read; its kind follows from what `get` gives, unless that is a Value.
    template <class Get>
    Parameter& fact(std::string path, std::string_view label, std::string_view idea, Get get, Parameter rest = {}) {
        using Held = std::remove_cvref_t<decltype(get(std::declval<const Document&>()))>;
        if (rest.kind == Kind::number) rest.kind = kindOf<Held>();
        rest.get = [get](const Document& d) { return asValue(get(d)); };
        return own(std::move(path), label, idea, {}, std::move(rest));
    }

    /// Facts that depend on the clock of the machine.
    template <class Get>
    Parameter& measured(std::string path, std::string_view label, std::string_view idea, Get get, Parameter rest = {}) {
        rest.measured = true;
        return fact(std::move(path), label, idea, get, std::move(rest));
    }

    std::vector<Parameter>& all() { return all_; }
    std::vector<Parameter> take() { return std::move(all_); }

private:
    std::vector<Parameter> all_;
};

/// What setting a row also does to the document.
inline void alsoSets(Parameter& row, void (*also)(Document&)) {
    row.set = [set = row.set, also](Document& d, const Value& v) {
        set(d, v);
        also(d);
    };
}

}  // namespace gravlab::rows
