#include "app/model/document.h"

#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/core/text.h"

#include <algorithm>
#include <charconv>

namespace gravlab {
namespace {

bool isThere(const Facts& facts, std::uint32_t id) {
    return std::ranges::find(facts.bodies->id, id) != facts.bodies->id.end();
}

std::string listed(const std::vector<BodyNames::Row>& rows) { return joined(rows, &BodyNames::Row::name); }

}  // namespace

std::uint32_t bodyCalled(const Document& document, const std::string& text) {
    const Facts& facts = document.facts;
    constexpr std::size_t kMost = 64, kShown = 6;
    std::vector<BodyNames::Row> found = facts.names->matching(text, kMost);
    std::erase_if(found, [&](const BodyNames::Row& row) { return !isThere(facts, row.id); });
    const auto exact = [&](const BodyNames::Row& row) { return row.name.size() == trimmed(text).size(); };
    if (!found.empty() && (exact(found.front()) || found.size() == 1)) return found.front().id;
    std::uint32_t id = 0;
    const std::string_view word = trimmed(text);
    const auto number = std::from_chars(word.data(), word.data() + word.size(), id);
    if (!word.empty() && number.ec == std::errc{} && number.ptr == word.data() + word.size()) return id;
    const std::string shown = "'" + printable(text.substr(0, 2 * BodyNames::kMostBytes)) + "'";
    if (!found.empty()) {
        const std::size_t all = found.size();
        found.resize(std::min(all, kShown));
        throw UsageError(shown + " may be " + listed(found) + (all > kShown ? ", ..." : "") +
                         "; give a longer part of the name");
    }
    if (facts.names->empty())
        throw UsageError("no body is called " + shown + ": those of this run have no names; give a number");
    std::vector<BodyNames::Row> some;
    for (std::size_t i = 0; i < std::min(facts.names->size(), kShown); ++i) some.push_back(facts.names->row(i));
    throw UsageError("no body is called " + shown + "; there are " + listed(some) +
                     (facts.names->size() > kShown ? ", ..." : ""));
}

}  // namespace gravlab
