// The matrix of all pair forces |F_ij| as a picture: what N*N means, cell by cell. For up to 4,096 bodies; beyond 1,024 a
// cell shows the strongest pair of a block of neighbours. Painted by the device where it can store into OpenGL's memory,
// else computed on the host.
#pragma once
#include "render/image_texture.h"
#include "render/value_colours.h"
#include "sim/backends/pair_matrix.h"
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

class Backend;
class ParticleBuffer;

class PairMatrix {
public:
    static constexpr std::size_t kMostBodies = kMatrixBodies, kMostCells = kMatrixCells;
    static constexpr float kDecades = kMatrixDecades;  ///< of force between the darkest and the brightest cell

    /// The pair of a cell under the pointer: the strongest of its block.
    struct Cell {
        std::size_t i = 0, j = 0;
        double force = 0, distance = 0;  ///< [M L/T^2], [L]
        double value = 0;                ///< of what is shown, with its sign
    };

    PairMatrix();
    ~PairMatrix();

    /// What its cells show from the next compute() or paint() on.
    void show(PairValue value) { value_ = value; }
    /// What they show now.
    PairValue shown() const { return shown_; }

    /// Computes all cells in single precision on all cores. Nothing for no or too many bodies.
    void compute(std::span<const Double4> positions, const ForceSettings& force);
    /// Lets the backend's device paint into a texture: no body comes to the host. False where it cannot; path() says why.
    /// Needs a current context.
    bool paint(Backend& backend, int device);
    /// Takes up what the device has found since. Call once a frame.
    void poll(Backend& backend);
    /// The pointer rests on a cell. `across`, `down`: 0..1 of the picture. Its pair comes with the next paint().
    void point(double across, double down);
    /// It rests on a cell whose pair the device has not been asked for.
    bool wantsPair() const { return painted_ && wanted_ != asked_; }

    /// The next frame has more to show: the device has not answered yet.
    bool waiting() const { return painted_ && (running_ || wantsPair()); }

    std::size_t bodies() const { return count_; }
    /// Cells a side, and bodies a cell.
    std::size_t cells() const { return cells_; }
    std::size_t stride() const { return stride_; }
    /// The strongest force of all pairs; 0 when there is none.
    float strongest() const { return strongest_; }
    /// Packed RGBA rows, i down, j to the right; empty where the device paints.
    std::span<const std::uint8_t> picture() const { return rgba_; }
    /// In double precision. `across`, `down`: 0..1 of the picture; empty outside of it, and while the device looks for it.
    std::optional<Cell> at(double across, double down) const;
    /// One sentence: who computes the cells, how fast, and why not the device.
    const std::string& path() const { return path_; }

    /// Hands the picture to OpenGL; needs a current context. The texture's name is 0 before.
    void upload();
    unsigned texture() const { return texture_ ? texture_->id() : 0; }
    /// Lets go of all that is OpenGL's, with its context still current; the next upload() or paint() makes it anew.
    void forgetTexture();

private:
    struct Place {
        std::uint32_t row = 0, column = 0;
        bool operator==(const Place&) const = default;
    };
    std::optional<Place> placeOf(double across, double down) const;

    std::vector<Double4> bodies_;  ///< of the host's way
    ForceSettings force_;
    PairValue value_ = PairValue::force, shown_ = PairValue::force, coloured_ = PairValue::force;
    std::size_t count_ = 0, cells_ = 0, stride_ = 1;
    float strongest_ = 0;
    std::vector<std::uint8_t> rgba_;
    std::optional<ImageTexture> texture_;
    std::string path_, refusal_;

    bool painted_ = false;                    ///< by the device
    bool running_ = false;                    ///< its numbers have not been taken yet
    std::unique_ptr<ParticleBuffer> levels_;  ///< of the device's way
    std::optional<ValueColours> colours_;
    Place wanted_;  ///< the cell under the pointer
    Place asked_;
    std::optional<MatrixPair> found_;
};

/// The colour of a force `below` decades under the strongest: RGBA, red in the lowest byte.
std::uint32_t matrixColour(float below);
/// The colour of a level, see matrixLevel().
std::uint32_t levelColour(PairValue value, float level);

}  // namespace gravlab
