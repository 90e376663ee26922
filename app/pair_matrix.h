// The matrix of all pair forces |F_ij| as a picture: what N*N means, cell by cell. For up to 4,096 bodies; beyond 1,024 a
// cell stands for the first pair of a block of neighbours.
#pragma once
#include "render/image_texture.h"
#include "sim/particles.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

class PairMatrix {
public:
    static constexpr std::size_t kMostBodies = 4096, kMostCells = 1024;
    static constexpr float kDecades = 7;  ///< of force between the darkest and the brightest cell

    /// One cell under the pointer.
    struct Cell {
        std::size_t i = 0, j = 0;
        double force = 0, distance = 0;  ///< [M L/T^2], [L]
    };

    /// Computes all cells in single precision on all cores. Nothing for no or too many bodies. Softening [L].
    void compute(std::span<const Double4> positions, double softening);
    std::size_t bodies() const { return bodies_.size(); }
    /// Cells a side, and bodies a cell.
    std::size_t cells() const { return cells_; }
    std::size_t stride() const { return stride_; }
    /// The strongest force between two cells' bodies; 0 when there is none.
    float strongest() const { return strongest_; }
    /// Packed RGBA rows, i down, j to the right.
    std::span<const std::uint8_t> picture() const { return rgba_; }
    /// In double precision. `across`, `down`: 0..1 of the picture; empty outside of it.
    std::optional<Cell> at(double across, double down) const;

    /// Hands the picture to OpenGL; needs a current context. The texture's name is 0 before.
    void upload();
    /// Lets go of the texture, with its context still current; the next upload() makes a new one.
    void forgetTexture() { texture_.reset(); }
    unsigned texture() const { return texture_ ? texture_->id() : 0; }

private:
    std::vector<Double4> bodies_;
    double softening_ = 0;
    std::size_t cells_ = 0, stride_ = 1;
    float strongest_ = 0;
    std::vector<float> force_;
    std::vector<std::uint8_t> rgba_;
    std::optional<ImageTexture> texture_;
};

/// The colour of a force `below` decades under the strongest: RGBA, red in the lowest byte.
std::uint32_t matrixColour(float below);

}  // namespace gravlab
