// Bodies that a writer reads in pieces, where they are.
#pragma once
#include "sim/api/bodies.h"

#include <cstddef>

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

}  // namespace gravlab
