// Pair forces, coloured by their logarithm.
#include "app/bench/pair_matrix.h"

#include "app/system/host_clock.h"
#include "app/tables/format.h"
#include "render/particle_buffer.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace gravlab {
namespace {

constexpr std::size_t kRowsPerPiece = 16;
constexpr float kLog10Of2 = 0.30103f;

/// A logarithm that is linear between powers of two: the error is below 0.09, which no colour shows.
float roughLog2(float value) { return static_cast<float>(std::bit_cast<std::int32_t>(value)) * (1.0f / (1 << 23)) - 127; }

using Colours = std::array<std::uint32_t, 256>;  // packed RGBA, weakest first

/// The colour at `part` of the way from one to the other.
std::uint32_t packedBetween(const float (&from)[3], const float (&to)[3], float part) {
    std::uint32_t packed = 0xff000000u;
    for (std::size_t c = 0; c < 3; ++c)
        packed |= static_cast<std::uint32_t>(from[c] + part * (to[c] - from[c]) + 0.5f) << (8 * c);
    return packed;
}

Colours makeColours() {
    // Dark blue, violet, orange, pale yellow: lightness rises throughout.
    constexpr float kStops[4][3] = {{8, 10, 30}, {110, 30, 120}, {240, 120, 50}, {252, 250, 190}};
    Colours colours{};
    for (std::size_t k = 0; k < colours.size(); ++k) {
        const float t = 3 * static_cast<float>(k) / static_cast<float>(colours.size() - 1);
        const auto low = std::min<std::size_t>(static_cast<std::size_t>(t), 2);
        colours[k] = packedBetween(kStops[low], kStops[low + 1], t - static_cast<float>(low));
    }
    return colours;
}

/// Blue for forces to the left, orange to the right, dark near zero.
Colours makeSignedColours() {
    constexpr float kLeft[3] = {70, 150, 255}, kMiddle[3] = {12, 12, 18}, kRight[3] = {255, 150, 60};
    Colours colours{};
    for (std::size_t k = 0; k < colours.size(); ++k) {
        const float part = 2 * static_cast<float>(k) / static_cast<float>(colours.size() - 1) - 1;
        colours[k] = packedBetween(kMiddle, part < 0 ? kLeft : kRight, std::abs(part));
    }
    return colours;
}

const Colours& colourTable(PairValue value = PairValue::force) {
    static const Colours kSizes = makeColours(), kSigned = makeSignedColours();
    return value == PairValue::component ? kSigned : kSizes;
}

/// A vertex is four numbers, so its buffer can hold levels.
class LevelSink final : public FloatSink {
public:
    explicit LevelSink(VertexSink& buffer) : buffer_(buffer) {}
    MemorySpace space() const override { return buffer_.space(); }
    float* open(std::size_t count, void* stream) override {
        constexpr std::size_t kLevels = sizeof(ParticleVertex) / sizeof(float);
        return reinterpret_cast<float*>(buffer_.open((count + kLevels - 1) / kLevels, stream).data);
    }
    void close(void* stream) override { buffer_.close(stream); }

private:
    VertexSink& buffer_;
};

struct Planes {
    std::vector<float> x, y, z, w;
};

/// Strongest forces of the cells of one row of blocks, up to the diagonal: F_ij and F_ji are one force.
template <class PairLaw>
void strongestOfRow(const Planes& p, std::size_t row, std::size_t stride, const PairLaw& law, float* cells) {
    const std::size_t n = p.x.size(), end = std::min(n, (row + 1) * stride);
    std::vector<float> force(end);
    for (std::size_t i = row * stride; i < end; ++i) {
        for (std::size_t j = 0; j < end; ++j) {
            const float dx = p.x[j] - p.x[i], dy = p.y[j] - p.y[i], dz = p.z[j] - p.z[i];
            const float squared = dx * dx + dy * dy + dz * dz;
            force[j] = std::abs(p.w[i] * p.w[j] * law.forceOverDistance(squared)) * std::sqrt(squared);
        }
        for (std::size_t j = 0; j < end; ++j) cells[j / stride] = std::max(cells[j / stride], force[j]);
    }
}

/// The same for another value, with its sign, in rows up to the diagonal.
template <class PairLaw>
void largestOfRow(PairValue value, const Planes& p, std::size_t row, std::size_t stride, const PairLaw& law, float* cells) {
    const std::size_t n = p.x.size(), end = std::min(n, (row + 1) * stride);
    for (std::size_t i = row * stride; i < end; ++i)
        for (std::size_t j = 0; j < end; ++j) {
            if (i == j) continue;
            const float dx = p.x[j] - p.x[i], dy = p.y[j] - p.y[i], dz = p.z[j] - p.z[i];
            const float of = valueOfPair(value, law, p.w[i] * p.w[j], dx, dx * dx + dy * dy + dz * dz);
            float& cell = cells[j / stride];
            if (std::abs(of) > std::abs(cell) && std::isfinite(of)) cell = of;
        }
}

}  // namespace

std::uint32_t levelColour(PairValue value, float level) {
    const Colours& table = colourTable(value);
    return table[static_cast<std::size_t>(std::clamp(level, 0.f, 1.f) * static_cast<float>(table.size() - 1) + 0.5f)];
}

std::uint32_t matrixColour(float below) {
    const float part = std::clamp(1 - below / PairMatrix::kDecades, 0.f, 1.f);
    return colourTable()[static_cast<std::size_t>(part * static_cast<float>(colourTable().size() - 1) + 0.5f)];
}

PairMatrix::PairMatrix() = default;
PairMatrix::~PairMatrix() = default;

void PairMatrix::compute(std::span<const Double4> positions, const ForceSettings& force) {
    const double start = hostClock();
    painted_ = running_ = false;
    count_ = positions.size();
    if (count_ == 0 || count_ > kMostBodies) {
        count_ = cells_ = 0;
        return;
    }
    bodies_.assign(positions.begin(), positions.end());
    force_ = force;
    shown_ = value_;
    const bool forces = shown_ == PairValue::force;
    stride_ = matrixStride(count_);
    cells_ = matrixCells(count_);
    Planes planes;
    for (const Double4& body : bodies_) {
        planes.x.push_back(static_cast<float>(body.x));
        planes.y.push_back(static_cast<float>(body.y));
        planes.z.push_back(static_cast<float>(body.z));
        planes.w.push_back(static_cast<float>(body.w));
    }
    std::vector<float> strongest(cells_ * cells_);
    // Row k has k cells: folding the triangle gives every piece the same work.
    parallelFor((cells_ + 1) / 2, 0, kRowsPerPiece, [&](std::size_t first, std::size_t last) {
        withLaw<float>(force, [&](const auto& law) {
            const auto row = [&](std::size_t k) {
                if (forces)
                    strongestOfRow(planes, k, stride_, law, &strongest[k * cells_]);
                else
                    largestOfRow(shown_, planes, k, stride_, law, &strongest[k * cells_]);
            };
            for (std::size_t k = first; k < last; ++k) {
                row(k);
                if (const std::size_t mirror = cells_ - 1 - k; mirror != k) row(mirror);
            }
        });
    });
    strongest_ = 0;
    for (const float cell : strongest) strongest_ = std::max(strongest_, std::abs(cell));
    rgba_.resize(4 * strongest.size());
    const float top = strongest_ > 0 ? roughLog2(strongest_) : 0;
    for (std::size_t row = 0; row < cells_; ++row)
        for (std::size_t column = 0; column <= row; ++column) {
            const float cell = strongest[row * cells_ + column];
            const auto colourOf = [&](float value) {
                return forces ? matrixColour(value > 0 ? kLog10Of2 * (top - roughLog2(value)) : kDecades)
                              : levelColour(shown_, matrixLevel(shown_, value, strongest_));
            };
            // The force of j on i is the opposite of the force of i on j.
            const std::uint32_t colour = colourOf(cell), across = shown_ == PairValue::component ? colourOf(-cell) : colour;
            std::memcpy(&rgba_[4 * (row * cells_ + column)], &colour, 4);
            if (row != column) std::memcpy(&rgba_[4 * (column * cells_ + row)], &across, 4);
        }
    path_ = "Computed on the host in " + formatted("%.2f ms", 1e3 * (hostClock() - start)) + refusal_;
}

bool PairMatrix::paint(Backend& backend, int device) {
    PairMatrixSource* const job = backend.pairMatrix();
    refusal_.clear();
    if (!job || backend.size() == 0 || backend.size() > kMostBodies) return false;
    if (!levels_) levels_ = makeCudaParticleBuffer(device);
    LevelSink sink(*levels_);
    std::string why = levels_->path();
    try {
        enqueued_ = wanted_;
        if (job->enqueue({.row = enqueued_.row, .column = enqueued_.column, .value = value_}, sink)) {
            const bool first = !painted_;
            painted_ = running_ = true;
            count_ = backend.size();
            stride_ = matrixStride(count_);
            cells_ = matrixCells(count_);
            rgba_.clear();
            bodies_.clear();
            if (first) path_ = "Painted by the GPU straight into the texture";
            if (!texture_) texture_.emplace();
            if (shown_ != value_) found_.reset();
            shown_ = value_;
            if (!colours_ || coloured_ != shown_) colours_.emplace(colourTable(shown_));
            coloured_ = shown_;
            colours_->paint(levels_->frontBuffer(), static_cast<int>(cells_), static_cast<int>(cells_), *texture_);
            return true;
        }
        why = levels_->path();
    } catch (const Error& error) {
        why = error.what();
    }
    refusal_ = ", because the GPU cannot paint it: " + why;
    return false;
}

void PairMatrix::poll(Backend& backend) {
    PairMatrixSource* const job = painted_ ? backend.pairMatrix() : nullptr;
    running_ = running_ && job;
    const std::optional<PairMatrixResult> done = running_ ? job->take() : std::nullopt;
    if (!done) return;
    running_ = false;
    strongest_ = done->strongest;
    found_ = done->pair;
    const std::string edge = std::to_string(done->edge);
    path_ = "Painted by the GPU straight into the texture, in tiles of " + edge + " x " + edge +
            " cells: " + formatted("%.2f ms", 1e3 * done->seconds);
}

std::optional<PairMatrix::Place> PairMatrix::placeOf(double across, double down) const {
    if (cells_ == 0 || !(across >= 0 && across < 1 && down >= 0 && down < 1)) return std::nullopt;
    const auto cellOf = [this](double part) {
        return static_cast<std::uint32_t>(
            std::min(static_cast<std::size_t>(part * static_cast<double>(cells_)), cells_ - 1));
    };
    return Place{cellOf(down), cellOf(across)};
}

void PairMatrix::point(double across, double down) {
    if (const std::optional<Place> place = placeOf(across, down)) wanted_ = *place;
}

std::optional<PairMatrix::Cell> PairMatrix::at(double across, double down) const {
    const std::optional<Place> there = placeOf(across, down);
    if (!there) return std::nullopt;
    const Place place = *there;
    if (painted_) {
        if (!found_ || found_->row != place.row || found_->column != place.column) return std::nullopt;
        return Cell{found_->i, found_->j, found_->force, found_->distance, found_->value};
    }
    Cell best{.i = place.row * stride_, .j = place.column * stride_};
    double strongest = -1;
    withLaw<double>(force_, [&](const auto& law) {
        for (std::size_t i = place.row * stride_; i < std::min(count_, (place.row + 1) * stride_); ++i)
            for (std::size_t j = place.column * stride_; j < std::min(count_, (place.column + 1) * stride_); ++j) {
                const Double4 &a = bodies_[i], &b = bodies_[j];
                const double apart = distance(a, b);
                const double force = std::abs(a.w * b.w * law.forceOverDistance(apart * apart)) * apart;
                const double value = i == j ? 0 : valueOfPair(shown_, law, a.w * b.w, b.x - a.x, apart * apart);
                if (!(std::abs(value) > strongest)) continue;
                strongest = std::abs(value);
                best = {i, j, force, apart, value};
            }
    });
    return best;
}

void PairMatrix::upload() {
    if (cells_ == 0 || painted_) return;
    if (!texture_) texture_.emplace();
    texture_->update(static_cast<int>(cells_), static_cast<int>(cells_), rgba_);
}

void PairMatrix::forgetTexture() {
    texture_.reset();
    colours_.reset();
    levels_.reset();
}

}  // namespace gravlab
