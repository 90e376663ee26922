// The one gate for bodies from files: it checks every number. Rule: no unchecked number enters a ParticleSet.
#pragma once
#include "sim/io/snapshot.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gravlab {

/// One body as a file states it.
struct BodyRow {
    double x = 0, y = 0, z = 0, vx = 0, vy = 0, vz = 0;
    double mass = 0;
    double response = 1;
    double radius = 0, spinX = 0, spinY = 0, spinZ = 0;
    std::uint64_t id = 0;
    std::uint8_t group = 0;
};

class BodyCollector {
public:
    /// `name`: the file's name, for messages.
    BodyCollector(std::string name, const ReadOptions& options, bool allowSigns)
        : name_(std::move(name)), options_(options), allowSigns_(allowSigns || options.allowSigns) {}

    /// Announces a count that agrees with the file's size. Throws InputError beyond maxBodies or memory.
    void expect(std::uint64_t count);

    /// Adds one body. `where` is called only for a bad body and returns "line 7" or "byte 96". Throws InputError with file,
    /// place, body and field. With `sanitize` it drops and counts the body instead. Returns whether the body was kept.
    template <class Where>
    bool add(const BodyRow& row, const Where& where) {
        // One sum finds every NaN and infinity: times 0, both become NaN.
        const double probe = 0 * row.x + 0 * row.y + 0 * row.z + 0 * row.vx + 0 * row.vy + 0 * row.vz + 0 * row.mass +
                             0 * row.response + 0 * row.radius + 0 * row.spinX + 0 * row.spinY + 0 * row.spinZ;
        const bool good = probe == 0 && !(row.mass < 0 && !allowSigns_) && !(row.radius < 0);
        const bool kept = good && wanted(row);
        if (kept)
            store(row);
        else if (!good)
            refuse(row, where());
        ++seen_;
        return kept;
    }
    /// Names the last kept body.
    void name(std::string_view name, std::string_view tag);

    std::uint64_t seen() const { return seen_; }  ///< bodies read so far: the index of the next one

    /// Calls use(bodies, first) with the bodies since the last call, of which only the ids stay here.
    template <class Use>
    void passOn(const Use& use) {
        use(bodies_, ids_.size());
        ids_.insert(ids_.end(), bodies_.id.begin(), bodies_.id.end());
        bodies_.resize(0);
    }

    /// Moves the bodies to the snapshot. `hasIds`: the rows had ids; they are kept when they are unique and fit 32 bits.
    /// Throws InputError when there are no bodies.
    void finish(Snapshot& snapshot, bool hasIds, bool hasGroups);

private:
    /// Whether the body is in the part that the options name.
    bool wanted(const BodyRow& row) const {
        const FilePart& part = options_.part;
        if (part.whole()) return true;
        if (seen_ % part.every != 0) return false;
        if (!part.region) return true;
        const double place[3] = {row.x, row.y, row.z};
        for (int axis = 0; axis < 3; ++axis)
            if (place[axis] < part.region->low[axis] || place[axis] > part.region->high[axis]) return false;
        return true;
    }
    void refuse(const BodyRow& row, const std::string& where);
    void store(const BodyRow& row);
    void requireRoom(std::size_t bodies) const;
    void leaveOutTheWhole(Snapshot& snapshot) const;

    std::string name_;
    const ReadOptions& options_;
    bool allowSigns_;
    ParticleSet bodies_;
    std::vector<std::uint32_t> ids_;  ///< of bodies that were passed on
    std::uint64_t seen_ = 0;
    std::uint64_t dropped_ = 0;
    bool idsFit_ = true;
    BodyNames names_;  ///< by the index of their bodies
    bool namesFull_ = false;
};

}  // namespace gravlab
