// Bodies that are read in pieces, where they are.
#pragma once
#include "sim/api/bodies.h"
#include "sim/core/work_watch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gravlab {

/// Arrays of a set of bodies.
enum BodyArraysRead : unsigned { kReadPositions = 1, kReadVelocities = 2, kReadLabels = 4, kReadAll = 7 };

class BodyPieces {
public:
    virtual ~BodyPieces() = default;
    virtual std::size_t count() const = 0;  ///< 0 where bodies have radii, which pieces lack
    /// Fills these arrays of a set, which has its size, with the bodies from `first` on.
    virtual void readPiece(std::size_t first, ParticleSet& out, unsigned arrays) = 0;
};

/// Bodies of a set or, where there are pieces, those of them. Both outlive it.
class BodySource {
public:
    BodySource(const ParticleSet& bodies, BodyPieces* pieces = nullptr) : bodies_(bodies), pieces_(pieces) {}
    std::size_t size() const { return pieces_ ? pieces_->count() : bodies_.size(); }
    /// Calls use(set, first) for parts of all bodies, which have these arrays: body i is at i - first.
    template <class Use>
    void overParts(unsigned arrays, const Use& use) const {
        if (!pieces_) return use(bodies_, std::size_t{0});
        constexpr std::size_t kPart = std::size_t{1} << 20;
        ParticleSet part;
        for (std::size_t first = 0; first < size(); first += kPart) {
            part.resize(std::min(kPart, size() - first));
            pieces_->readPiece(first, part, arrays);
            use(part, first);
            WorkWatch::report("bodies", static_cast<std::int64_t>(first + part.size()), static_cast<std::int64_t>(size()));
        }
    }

private:
    const ParticleSet& bodies_;
    BodyPieces* pieces_;
};

}  // namespace gravlab
