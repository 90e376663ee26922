#include "sim/forces/bonds/bond_rows.h"

#include "sim/api/errors.h"

#include <algorithm>

namespace gravlab {

BondRows rowsOf(const Bonds& bonds, std::span<const std::uint32_t> ids) {
    const BondList& list = bonds.list();
    BodyPlaces places(ids);
    std::vector<std::uint32_t> left(list.size()), right(list.size());
    BondRows rows{std::vector<std::uint32_t>(ids.size() + 1), {}, {}};
    for (std::size_t k = 0; k < list.size(); ++k) {
        left[k] = places.find(list.first[k]), right[k] = places.find(list.second[k]);
        if (left[k] == BodyPlaces::kMissing || right[k] == BodyPlaces::kMissing) {
            left[k] = BodyPlaces::kMissing;
            continue;
        }
        ++rows.first[left[k] + 1], ++rows.first[right[k] + 1];
    }
    for (std::size_t i = 0; i < ids.size(); ++i) rows.first[i + 1] += rows.first[i];
    rows.other.resize(rows.first.back());
    rows.bond.resize(rows.first.back());
    std::vector<std::uint32_t> next(rows.first.begin(), rows.first.end() - 1);
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (left[k] == BodyPlaces::kMissing) continue;
        const bool broken = bonds.isBroken(k);
        const auto put = [&](std::uint32_t row, std::uint32_t other) {
            rows.bond[next[row]] = static_cast<std::uint32_t>(k);
            rows.other[next[row]++] = broken ? row : other;
        };
        put(left[k], right[k]);
        put(right[k], left[k]);
    }
    return rows;
}

RowLengths lengthsOf(const BondRows& rows) {
    RowLengths lengths;
    std::size_t filled = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        lengths.longest = std::max(lengths.longest, rows.length(i));
        filled += rows.length(i) > 0;
    }
    if (filled > 0) lengths.mean = static_cast<double>(rows.entries()) / static_cast<double>(filled);
    return lengths;
}

std::uint32_t hybridWidth(const BondRows& rows) {
    std::vector<std::size_t> atLeast(lengthsOf(rows).longest + 2);
    for (std::size_t i = 0; i < rows.rows(); ++i) ++atLeast[rows.length(i)];
    const std::size_t filled = rows.rows() - atLeast[0];
    std::uint32_t width = 0;
    std::size_t longer = filled;  // rows of at least `length` entries
    for (std::uint32_t length = 1; length < atLeast.size() && 3 * longer >= filled && longer > 0; ++length) {
        width = length;
        longer -= atLeast[length];
    }
    return width;
}

BondColours coloursOf(const Bonds& bonds, std::span<const std::uint32_t> ids) {
    const BondList& list = bonds.list();
    BodyPlaces places(ids);
    std::vector<std::uint64_t> used(ids.size());
    std::vector<std::uint8_t> colour(list.size(), BondColours::kMost);
    BondColours groups{std::vector<std::uint32_t>(BondColours::kMost + 1), {}, {}, {}};
    std::size_t colours = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const std::uint32_t i = places.find(list.first[k]), j = places.find(list.second[k]);
        if (i == BodyPlaces::kMissing || j == BodyPlaces::kMissing) continue;
        const auto free = static_cast<std::size_t>(std::countr_one(used[i] | used[j]));
        if (free >= BondColours::kMost)
            throw UsageError("'bonds-symmetric' cannot run: bodies " + std::to_string(list.first[k]) + " and " +
                             std::to_string(list.second[k]) + " have bonds of all " + std::to_string(BondColours::kMost) +
                             " colours, and each colour takes a launch; take 'bonds-per-row', or 'bonds-hybrid' on a GPU");
        used[i] |= std::uint64_t{1} << free;
        used[j] |= std::uint64_t{1} << free;
        colour[k] = static_cast<std::uint8_t>(free);
        ++groups.first[free + 1];
        colours = std::max(colours, free + 1);
    }
    groups.first.resize(colours + 1);
    for (std::size_t c = 0; c < colours; ++c) groups.first[c + 1] += groups.first[c];
    groups.left.resize(groups.first.back());
    groups.right.resize(groups.first.back());
    groups.bond.resize(groups.first.back());
    std::vector<std::uint32_t> next(groups.first);
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (colour[k] == BondColours::kMost) continue;
        const std::uint32_t at = next[colour[k]]++, i = places.find(list.first[k]);
        groups.left[at] = i;
        groups.right[at] = bonds.isBroken(k) ? i : places.find(list.second[k]);
        groups.bond[at] = static_cast<std::uint32_t>(k);
    }
    return groups;
}

}  // namespace gravlab
