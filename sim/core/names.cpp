// The message for a name that no table knows.
#include "sim/core/names.h"

#include <algorithm>
#include <numeric>

namespace gravlab {
namespace {

/// Least number of inserted, removed and replaced letters that turn `a` into `b` (Wagner & Fischer 1974).
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

// A typed name can be a whole file pasted by mistake: show only its beginning, so that the valid names stay visible.
constexpr std::size_t kLongestShown = 60;

std::string unknown(std::string_view kind, std::string_view name) {
    const bool cut = name.size() > kLongestShown;
    return "unknown " + std::string(kind) + " '" + std::string(name.substr(0, kLongestShown)) + (cut ? "...'" : "'");
}

/// The valid name nearest to a mistyped one; empty when none is near enough.
std::string_view nearestName(std::string_view name, const std::vector<std::string_view>& valid) {
    constexpr std::size_t kSlips = 2;
    std::string_view nearest;
    std::size_t least = std::min(kSlips, name.size()) + 1;
    for (std::string_view candidate : valid) {
        const std::size_t distance = editDistance(name.substr(0, kLongestShown), candidate);
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string guess(std::string_view name, const std::vector<std::string_view>& valid) {
    const std::string_view nearest = nearestName(name, valid);
    return nearest.empty() ? std::string() : "; did you mean '" + std::string(nearest) + "'?";
}

}  // namespace

std::string unknownName(std::string_view kind, std::string_view name, const std::vector<std::string_view>& valid) {
    std::string text = unknown(kind, name);
    if (valid.empty()) return text + "; there is none to choose from";
    const std::string meant = guess(name, valid);
    return text + meant + (meant.empty() ? "; valid: " : " valid: ") + joined(valid);
}

std::string unknownOfMany(std::string_view kind, std::string_view name, const std::vector<std::string_view>& valid,
                          std::string_view list) {
    const std::string meant = guess(name, valid);
    return unknown(kind, name) + meant + (meant.empty() ? "; '" : " '") + std::string(list) + "' shows all";
}

}  // namespace gravlab
