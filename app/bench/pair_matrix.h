// The matrix of all pair forces |F_ij| as a picture, cell by cell. For up to 4,096 bodies; beyond 1,024 a cell shows the
// strongest pair of a block of neighbours. The device paints it when it can write into OpenGL's memory, else the host
// computes it.
#pragma once
#include "render/image_texture.h"
#include "render/value_colours.h"
#include "sim/api/law.h"
#include "sim/backends/pair_matrix.h"
#include "sim/core/particles.h"

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
    static constexpr std::size_t kMostBodies = kMatrixBodies;
    static constexpr float kDecades = kMatrixDecades;  ///< of force between the darkest and the brightest cell

    /// The pair of a cell under the pointer: the strongest of its block.
    struct Cell {
        std::size_t i = 0, j = 0;
        double force = 0, distance = 0;  ///< [M L/T^2], [L]
        double value = 0;                ///< of the shown quantity, with its sign
    };

    PairMatrix();
    ~PairMatrix();

    /// Sets the quantity for the next compute() or paint().
    void show(PairValue value) { value_ = value; }
    /// The quantity that the picture shows.
    PairValue shown() const { return shown_; }

    /// Computes all cells in single precision on all cores. Does nothing for no bodies or too many.
    void compute(std::span<const Double4> positions, const ForceSettings& force);
    /// Lets the backend's device paint into a texture: no body is copied to the host. False when it cannot; path() says why.
    /// Needs a current context.
    bool paint(Backend& backend, int device);
    /// Reads new results of the device. Call it once a frame.
    void poll(Backend& backend);
    /// The pointer is on a cell whose pair has not been requested from the device.
    void point(double across, double down);
    bool wantsPair() const { return painted_ && wanted_ != enqueued_; }

    /// The device has not finished, so the next frame will show more.
    bool waiting() const { return painted_ && (running_ || wantsPair()); }

    std::size_t bodies() const { return count_; }
    /// Cells per side, and bodies per cell.
    std::size_t cells() const { return cells_; }
    std::size_t stride() const { return stride_; }
    /// The strongest force of all pairs; 0 when there are no pairs.
    float strongest() const { return strongest_; }
    /// Packed RGBA rows, i down, j to the right; empty when the device paints.
    std::span<const std::uint8_t> picture() const { return rgba_; }
    /// The pair in double precision. `across`, `down`: 0..1 of the picture; empty outside of it, and while the device
    /// searches for it.
    std::optional<Cell> at(double across, double down) const;
    /// One sentence: what computes the cells, how fast, and why not the device.
    const std::string& path() const { return path_; }

    /// Copies the picture to OpenGL; needs a current context. Before, the texture's name is 0.
    void upload();
    unsigned texture() const { return texture_ ? texture_->id() : 0; }
    /// Deletes everything in OpenGL, with its context still current; the next upload() or paint() makes it anew.
    void forgetTexture();

private:
    struct Place {
        std::uint32_t row = 0, column = 0;
        bool operator==(const Place&) const = default;
    };
    std::optional<Place> placeOf(double across, double down) const;

    std::vector<Double4> bodies_;  ///< for the host's method
    ForceSettings force_;
    PairValue value_ = PairValue::force, shown_ = PairValue::force, coloured_ = PairValue::force;
    std::size_t count_ = 0, cells_ = 0, stride_ = 1;
    float strongest_ = 0;
    std::vector<std::uint8_t> rgba_;
    std::optional<ImageTexture> texture_;
    std::string path_, refusal_;

    bool painted_ = false;                    ///< by the device
    bool running_ = false;                    ///< its numbers have not been read yet
    std::unique_ptr<ParticleBuffer> levels_;  ///< for the device's method
    std::optional<ValueColours> colours_;
    Place wanted_;  ///< the last requested cell
    Place enqueued_;
    std::optional<MatrixPair> found_;
};

/// The colour of a force `below` decades under the strongest: RGBA, red in the lowest byte.
std::uint32_t matrixColour(float below);
/// The colour of a level, see matrixLevel().
std::uint32_t levelColour(PairValue value, float level);

}  // namespace gravlab
