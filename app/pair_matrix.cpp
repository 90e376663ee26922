// Pair forces, coloured by their logarithm.
#include "app/pair_matrix.h"

#include "sim/parallel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace gravlab {
namespace {

constexpr std::size_t kRowsAPiece = 64;
constexpr std::size_t kColours = 256;
constexpr float kLog10Of2 = 0.30103f;

/// Between the powers of two on straight lines: off by less than 0.09, which no colour shows.
float roughLog2(float value) { return static_cast<float>(std::bit_cast<std::int32_t>(value)) * (1.0f / (1 << 23)) - 127; }

std::array<std::uint32_t, kColours> makeColours() {
    // Dark blue, violet, orange, pale yellow: lightness rises all the way.
    constexpr float kStops[4][3] = {{8, 10, 30}, {110, 30, 120}, {240, 120, 50}, {252, 250, 190}};
    std::array<std::uint32_t, kColours> colours{};
    for (std::size_t k = 0; k < kColours; ++k) {
        const float t = 3 * static_cast<float>(k) / static_cast<float>(kColours - 1);
        const auto low = std::min<std::size_t>(static_cast<std::size_t>(t), 2);
        const float part = t - static_cast<float>(low);
        std::uint32_t packed = 0xff000000u;
        for (std::size_t c = 0; c < 3; ++c)
            packed |= static_cast<std::uint32_t>(kStops[low][c] + part * (kStops[low + 1][c] - kStops[low][c]) + 0.5f)
                      << (8 * c);
        colours[k] = packed;
    }
    return colours;
}

}  // namespace

std::uint32_t matrixColour(float below) {
    static const std::array<std::uint32_t, kColours> kTable = makeColours();
    const float part = std::clamp(1 - below / PairMatrix::kDecades, 0.f, 1.f);
    return kTable[static_cast<std::size_t>(part * static_cast<float>(kColours - 1) + 0.5f)];
}

void PairMatrix::compute(std::span<const Double4> positions, double softening) {
    const std::size_t n = positions.size();
    if (n == 0 || n > kMostBodies) {
        bodies_.clear();
        cells_ = 0;
        return;
    }
    bodies_.assign(positions.begin(), positions.end());
    softening_ = softening;
    stride_ = (n + kMostCells - 1) / kMostCells;
    cells_ = (n + stride_ - 1) / stride_;
    std::vector<float> x(cells_), y(cells_), z(cells_), m(cells_);
    for (std::size_t k = 0; k < cells_; ++k) {
        const Double4& body = bodies_[k * stride_];
        x[k] = static_cast<float>(body.x);
        y[k] = static_cast<float>(body.y);
        z[k] = static_cast<float>(body.z);
        m[k] = static_cast<float>(body.w);
    }
    force_.resize(cells_ * cells_);
    rgba_.resize(4 * force_.size());
    std::vector<float> strongestOf(cells_);
    const auto squaredSoftening = static_cast<float>(std::max(softening * softening, 1e-20));
    parallelFor(cells_, 0, kRowsAPiece, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            float* const row = &force_[i * cells_];
            float strongest = 0;
            for (std::size_t j = 0; j < cells_; ++j) {
                const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
                const float squared = dx * dx + dy * dy + dz * dz, soft = squared + squaredSoftening;
                row[j] = std::abs(m[i] * m[j]) * std::sqrt(squared) / (soft * std::sqrt(soft));
                strongest = std::max(strongest, row[j]);
            }
            strongestOf[i] = strongest;
        }
    });
    strongest_ = *std::max_element(strongestOf.begin(), strongestOf.end());
    const float top = strongest_ > 0 ? roughLog2(strongest_) : 0;
    parallelFor(cells_, 0, kRowsAPiece, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first * cells_; k < last * cells_; ++k) {
            const std::uint32_t colour =
                force_[k] > 0 ? matrixColour(kLog10Of2 * (top - roughLog2(force_[k]))) : matrixColour(kDecades);
            std::memcpy(&rgba_[4 * k], &colour, 4);
        }
    });
}

std::optional<PairMatrix::Cell> PairMatrix::at(double across, double down) const {
    if (cells_ == 0 || !(across >= 0 && across < 1 && down >= 0 && down < 1)) return std::nullopt;
    const auto body = [this](double part) {
        return std::min(static_cast<std::size_t>(part * static_cast<double>(cells_)), cells_ - 1) * stride_;
    };
    Cell cell{.i = body(down), .j = body(across)};
    const Double4 &a = bodies_[cell.i], &b = bodies_[cell.j];
    cell.distance = std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    const double soft = cell.distance * cell.distance + softening_ * softening_;
    cell.force = soft > 0 ? std::abs(a.w * b.w) * cell.distance / (soft * std::sqrt(soft)) : 0;
    return cell;
}

void PairMatrix::upload() {
    if (cells_ == 0) return;
    if (!texture_) texture_.emplace();
    texture_->update(static_cast<int>(cells_), static_cast<int>(cells_), rgba_);
}

}  // namespace gravlab
