// Straight paths of bodies within a step, and the bodies near them. Rule: cells only limit the search; no result depends on
// them.
#pragma once
#include "sim/contact/touch.h"
#include "sim/core/vec3.h"
#include "sim/forces/cell_grid.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace gravlab {

/// A body on its way through the rest of a step. Times are those since the beginning of the step [T].
struct BodyPath {
    Vec3d end{};  ///< position at the end of the step [L]
    Vec3d way{};  ///< velocity of the path [L/T]; that of the body at the end of the step may differ
    double from = 0;
    double radius = 0;  ///< below 0: no contact any more; it merged into another one, or is not finite
    bool alive() const { return radius >= 0; }
};
constexpr double kGone = -std::numeric_limits<double>::infinity();  ///< radius of such bodies

/// See touchTime().
inline std::optional<double> contactTime(const BodyPath& a, const BodyPath& b, double from, double length, bool resting) {
    const double time = touchTime(a.end - b.end, a.way - b.way, a.radius + b.radius, from, length, resting);
    return time < 0 ? std::nullopt : std::optional(time);
}

/// Cells with the middles of paths. Bodies whose path or radius is longer than half a cell are few, and are compared with
/// all.
class PathCells {
public:
    /// Sorts all living bodies into cells of a suitable size.
    void build(const std::vector<BodyPath>& paths, double length) {
        length_ = length;
        boxes_.assign(paths.size(), {});
        large_.clear();
        entries_.clear();
        std::vector<double> reaches;
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (!paths[i].alive()) continue;
            boxes_[i] = boxOf(paths[i]);
            reaches.push_back(boxes_[i].reach);
        }
        added_ = 0;
        living_ = reaches.size();
        half_ = 0;
        if (living_ > kMostLarge) {
            const auto place = reaches.end() - static_cast<std::ptrdiff_t>(kMostLarge + 1);
            std::nth_element(reaches.begin(), place, reaches.end());
            half_ = kRoom * *place;
        }
        perLength_ = half_ > 0 ? 1 / (2 * half_ * (1 + 1e-5)) : 0;
        std::size_t buckets = 16;
        while (buckets < 2 * living_) buckets *= 2;
        first_.assign(buckets, kNone);
        for (std::size_t i = 0; i < paths.size(); ++i)
            if (paths[i].alive()) place(static_cast<std::uint32_t>(i));
    }
    /// The path of body i changed.
    void move(const std::vector<BodyPath>& paths, std::uint32_t i) {
        const Box before = boxes_[i];
        boxes_[i] = boxOf(paths[i]);
        if (before.large) {
            boxes_[i].large = true;
            return;
        }
        if (boxes_[i].reach <= half_ && keyOf(boxes_[i].middle) == before.key) {
            boxes_[i].key = before.key;
            return;
        }
        place(i);
        added_ += boxes_[i].large;
    }
    /// So many bodies are longer than a cell by now that building the cells anew costs less.
    bool crowded() const { return added_ > kMostLarge + living_ / 256; }

    /// Calls use(k) for every other body whose path may come near that of body i, some of them twice.
    template <class Use>
    void near(std::uint32_t i, const Use& use) const {
        if (boxes_[i].large) {
            for (std::uint32_t k = 0; k < boxes_.size(); ++k)
                if (k != i && nearby(boxes_[i], k)) use(k);
            return;
        }
        for (const std::uint32_t k : large_)
            if (nearby(boxes_[i], k)) use(k);
        const std::uint32_t x = cellPlace(boxes_[i].middle.x, perLength_);
        for (int which = 0; which < kCellRows; ++which)
            for (std::uint32_t cell = x - 1; cell <= x + 1; ++cell)
                inCell(neighbourRow(cellRow(boxes_[i].key), which) << kCellBits | cell, boxes_[i], [&](std::uint32_t k) {
                    if (k != i) use(k);
                });
    }
    /// The same before any move(), for one of the two bodies of each pair.
    template <class Use>
    void pairs(std::uint32_t i, const Use& use) const {
        const Box& box = boxes_[i];
        for (const std::uint32_t k : large_)
            if ((!box.large || i < k) && nearby(box, k)) use(k);
        if (box.large) return;
        // Rows after the own one, and in the own row the cell after the own one.
        const std::uint32_t x = cellPlace(box.middle.x, perLength_);
        const std::uint64_t row = cellRow(box.key);
        inCell(box.key, box, [&](std::uint32_t k) {
            if (i < k) use(k);
        });
        inCell(box.key + 1, box, use);
        for (int which = kCellRows / 2 + 1; which < kCellRows; ++which)
            for (std::uint32_t cell = x - 1; cell <= x + 1; ++cell)
                inCell(neighbourRow(row, which) << kCellBits | cell, box, use);
    }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t kMostLarge = 64;
    static constexpr double kRoom = 1.5;  // a merger of three equal bodies still fits its cell

    struct Box {
        Vec3d middle{};
        double reach = 0;  ///< half the length of the path, and the radius
        std::uint64_t key = 0;
        bool large = false;
    };
    struct Entry {
        std::uint64_t key;
        std::uint32_t body, next;
    };

    bool nearby(const Box& box, std::uint32_t k) const {
        const double reach = box.reach + boxes_[k].reach;
        const Vec3d away = box.middle - boxes_[k].middle;
        return dot(away, away) <= reach * reach * (1 + 1e-9);
    }
    template <class Use>
    void inCell(std::uint64_t key, const Box& box, const Use& use) const {
        for (std::uint32_t at = first_[bucketOf(key)]; at != kNone; at = entries_[at].next) {
            const std::uint32_t k = entries_[at].body;
            if (entries_[at].key == key && boxes_[k].key == key && !boxes_[k].large && nearby(box, k)) use(k);
        }
    }

    Box boxOf(const BodyPath& path) const {
        const double rest = length_ - path.from;
        return {path.end - rest / 2 * path.way, rest / 2 * gravlab::length(path.way) + path.radius};
    }
    std::uint64_t keyOf(const Vec3d& at) const {
        return cellKey(cellPlace(at.x, perLength_), cellPlace(at.y, perLength_), cellPlace(at.z, perLength_));
    }
    std::size_t bucketOf(std::uint64_t key) const {
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 32) & (first_.size() - 1);
    }
    void place(std::uint32_t i) {
        Box& box = boxes_[i];
        if (box.reach > half_ || half_ == 0) {
            box.large = true;
            large_.push_back(i);
            return;
        }
        box.key = keyOf(box.middle);
        std::uint32_t& first = first_[bucketOf(box.key)];
        entries_.push_back({box.key, i, first});
        first = static_cast<std::uint32_t>(entries_.size() - 1);
    }

    double length_ = 0, half_ = 0, perLength_ = 0;  ///< of the step; half a cell; cells per unit length
    std::size_t living_ = 0, added_ = 0;
    std::vector<Box> boxes_;
    std::vector<std::uint32_t> large_, first_;
    std::vector<Entry> entries_;
};

}  // namespace gravlab
