// Names that people type: exact lookup in a table, and a message with the valid ones and the nearest when it fails.
#pragma once
#include "sim/api/errors.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Adds a text to a list of texts: "a, b, c".
inline void addTo(std::string& list, std::string_view text, std::string_view between = ", ") {
    if (!list.empty()) list += between;
    list += text;
}
/// The texts of a range as a list, without empty ones. `textOf`: a function or a member that gives an element's text.
template <class Range, class TextOf = std::identity>
std::string joined(const Range& range, const TextOf& textOf = {}, std::string_view between = ", ") {
    std::string list;
    for (const auto& element : range)
        if (const auto& text = std::invoke(textOf, element); !text.empty()) addTo(list, text, between);
    return list;
}

/// "unknown KIND 'name'; did you mean 'X'? valid: a, b, c". The question appears only when a valid name is at most two
/// letters away.
std::string unknownName(std::string_view kind, std::string_view name, const std::vector<std::string_view>& valid);

/// "unknown KIND 'name'; did you mean 'X'? 'LIST' shows all": for tables that are too long for a message.
std::string unknownOfMany(std::string_view kind, std::string_view name, const std::vector<std::string_view>& valid,
                          std::string_view list);

/// The row whose `name` member equals `name`. Throws UsageError(unknownName(...)).
template <class Row>
const Row& findRow(std::span<const Row> rows, std::string_view kind, std::string_view name) {
    for (const Row& row : rows)
        if (row.name == name) return row;
    std::vector<std::string_view> valid;
    for (const Row& row : rows) valid.push_back(row.name);
    throw UsageError(unknownName(kind, name, valid));
}

}  // namespace gravlab
