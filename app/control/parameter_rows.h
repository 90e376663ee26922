// How rows of the table reach what they stand for: the only place that knows where the document keeps it.
#pragma once
#include "app/control/parameter.h"
#include "app/model/document.h"
#include "app/model/ui_state.h"

#include <utility>

namespace gravlab::rows {

/// What was asked of the run, and what is in force.
inline RunRequest& asked(Document& d) { return d.intent.request; }
inline const RunRequest& asked(const Document& d) { return d.intent.request; }
inline const RunConfiguration& inForce(const Document& d) { return d.facts.configuration; }

/// Names of a table's rows.
template <class Rows>
std::vector<std::string> namesOf(const Rows& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows)
        if (std::find(names.begin(), names.end(), row.name) == names.end()) names.emplace_back(row.name);
    return names;
}

/// The rows of a table that have an idea, as a list to choose from.
template <class Rows>
std::vector<SettingChoice> offersOf(const Rows& rows, std::string_view now) {
    std::vector<SettingChoice> offers;
    for (const auto& row : rows) offers.push_back({std::string(row.name), row.idea, row.name == now, {}});
    return offers;
}

/// A flag, whole number or number of the document, where `at` gives a reference to it.
template <class At>
Parameter withMember(Parameter row, At at) {
    using Held = std::remove_cvref_t<decltype(at(std::declval<Document&>()))>;
    row.single = std::is_same_v<Held, float>;
    row.get = [at](const Document& d) -> Value {
        const Held held = at(const_cast<Document&>(d));
        if constexpr (std::is_same_v<Held, float>)
            return plainNumber(held);
        else if constexpr (std::is_same_v<Held, bool> || std::is_same_v<Held, double> || std::is_same_v<Held, std::string>)
            return held;
        else
            return wholeValue(static_cast<std::uint64_t>(held));
    };
    row.set = [at](Document& d, const Value& value) {
        if constexpr (std::is_same_v<Held, bool> || std::is_same_v<Held, std::string>)
            at(d) = std::get<Held>(value);
        else if constexpr (std::is_floating_point_v<Held>)
            at(d) = static_cast<Held>(std::get<double>(value));
        else if (const auto* large = std::get_if<std::uint64_t>(&value))
            at(d) = static_cast<Held>(*large);
        else
            at(d) = static_cast<Held>(std::get<std::int64_t>(value));
    };
    return row;
}

/// A row that is only read.
template <class Get>
Parameter fact(Parameter row, Get get) {
    row.get = std::move(get);
    return row;
}

inline const std::string& textOf(const Value& value) { return std::get<std::string>(value); }
inline bool isAuto(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text && *text == "auto";
}

}  // namespace gravlab::rows
