// A ball cut out of an expanding universe: from Hubble flow and small density fluctuations, gravity alone makes the web of
// galaxies. Method: Zel'dovich 1970 in an Einstein-de Sitter universe; white noise is shaped by a power law of wavenumbers.
#include "sim/scenes/scene_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace gravlab::scenes {
namespace {

using Complex = std::complex<double>;
constexpr double kBox = 2.2;  // side of the periodic box from which the ball of radius 1 is cut

constexpr SceneParameter kParameters[] = {
    {"contrast", "Contrast", "", "rms of the density contrast at the start; a larger one makes structure earlier", 0.35, 0,
     2},
    {"slope", "Slope", "", "slope of the power spectrum: -3 gives only large structures, 0 as much on small scales", -1.6,
     -3, 0},
    {"expansion", "Expansion", "", "speed in units of the escape speed; below 1 the ball falls back", 1, 0, 1.5},
};

/// Fourier transform in place; the length is a power of two. `sign` -1: forward, 1: back; no factor. Cooley & Tukey 1965.
void transform(std::vector<Complex>& line, int sign) {
    const std::size_t n = line.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(line[i], line[j]);
    }
    for (std::size_t length = 2; length <= n; length *= 2) {
        const Complex step = std::polar(1.0, sign * 2 * std::numbers::pi / static_cast<double>(length));
        for (std::size_t first = 0; first < n; first += length) {
            Complex turn = 1;
            for (std::size_t k = 0; k < length / 2; ++k) {
                const Complex even = line[first + k], odd = turn * line[first + k + length / 2];
                line[first + k] = even + odd;
                line[first + k + length / 2] = even - odd;
                turn *= step;
            }
        }
    }
}

struct Grid {
    explicit Grid(std::size_t size) : side(size), cells(size * size * size) {}
    std::size_t side;
    std::vector<Complex> cells;
    Complex& at(std::size_t x, std::size_t y, std::size_t z) { return cells[(x * side + y) * side + z]; }

    void transformAll(int sign) {
        std::vector<Complex> line(side);
        for (int axis = 0; axis < 3; ++axis)
            for (std::size_t a = 0; a < side; ++a)
                for (std::size_t b = 0; b < side; ++b) {
                    const auto cell = [&](std::size_t i) -> Complex& {
                        return axis == 0 ? at(i, a, b) : axis == 1 ? at(a, i, b) : at(a, b, i);
                    };
                    for (std::size_t i = 0; i < side; ++i) line[i] = cell(i);
                    transform(line, sign);
                    for (std::size_t i = 0; i < side; ++i) cell(i) = line[i];
                }
    }
};

/// Displacements whose divergence is minus the density contrast.
class Lumps {
public:
    Lumps(std::uint64_t seed, std::size_t side, double contrast, double slope) : side_(side) {
        Grid noise(side);
        for (std::size_t i = 0; i < noise.cells.size(); ++i) {
            Random random(seed, ~std::uint64_t{i});
            noise.cells[i] = random.normal();
        }
        noise.transformAll(-1);
        const auto wave = [side](std::size_t i) {
            const auto k = static_cast<double>(i);
            return 2 * i < side ? k : 2 * i == side ? 0 : k - static_cast<double>(side);
        };
        // Shape the noise; its rms is then scaled to the contrast.
        double power = 0;
        for (std::size_t x = 0; x < side; ++x)
            for (std::size_t y = 0; y < side; ++y)
                for (std::size_t z = 0; z < side; ++z) {
                    const double k2 = wave(x) * wave(x) + wave(y) * wave(y) + wave(z) * wave(z);
                    const double weight =
                        k2 > 0 ? std::pow(k2, 0.25 * slope) * std::exp(-8 * k2 / static_cast<double>(side * side)) : 0;
                    noise.at(x, y, z) *= weight;
                    power += std::norm(noise.at(x, y, z));
                }
        const double cells = static_cast<double>(noise.cells.size());
        const double scale = power > 0 ? contrast * cells / std::sqrt(power) : 0;
        for (int axis = 0; axis < 3; ++axis) {
            Grid moved(side);
            for (std::size_t x = 0; x < side; ++x)
                for (std::size_t y = 0; y < side; ++y)
                    for (std::size_t z = 0; z < side; ++z) {
                        const double k[3] = {wave(x), wave(y), wave(z)};
                        const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
                        if (!(k2 > 0)) continue;
                        const double factor = scale / cells * k[axis] / k2 * kBox / (2 * std::numbers::pi);
                        moved.at(x, y, z) = Complex(0, factor) * noise.at(x, y, z);
                    }
            moved.transformAll(1);
            auto& values = displacement_[static_cast<std::size_t>(axis)];
            values.resize(moved.cells.size());
            std::transform(moved.cells.begin(), moved.cells.end(), values.begin(),
                           [](const Complex& c) { return c.real(); });
        }
    }

    /// The displacement between grid points, linear and periodic.
    Vec3d at(const Vec3d& place) const {
        const double p[3] = {place.x, place.y, place.z};
        std::size_t low[3], high[3];
        double part[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double cell = (p[axis] / kBox + 0.5) * static_cast<double>(side_);
            const double whole = std::floor(cell);
            low[axis] = static_cast<std::size_t>(whole) % side_;
            high[axis] = (low[axis] + 1) % side_;
            part[axis] = cell - whole;
        }
        double sum[3] = {0, 0, 0};
        for (int corner = 0; corner < 8; ++corner) {
            std::size_t at[3];
            double weight = 1;
            for (int axis = 0; axis < 3; ++axis) {
                const bool up = corner >> axis & 1;
                at[axis] = up ? high[axis] : low[axis];
                weight *= up ? part[axis] : 1 - part[axis];
            }
            for (std::size_t axis = 0; axis < 3; ++axis)
                sum[axis] += weight * displacement_[axis][(at[0] * side_ + at[1]) * side_ + at[2]];
        }
        return {sum[0], sum[1], sum[2]};
    }

private:
    std::size_t side_;
    std::array<std::vector<double>, 3> displacement_;
};

ParticleSet buildExpanding(const SceneRequest& request) {
    const std::size_t side = request.bodies < 65536 ? 32 : 64;
    const Lumps lumps(request.seed, side, request.value(kParameters[0]), request.value(kParameters[1]));
    // A ball of mass 1 and radius 1 at the limit between expansion and collapse: (dR/dt)^2 = 2 / R.
    const double hubble = request.value(kParameters[2]) * std::sqrt(2.0);
    const double mass = 1 / static_cast<double>(request.bodies);
    return centred(makeBodies(request.bodies, request.seed, [&](std::size_t i, Random&) {
        // An even filling for any number of points, without the noise of random places: multiples of the powers of 1 /
        // 1.2207..., the root of x^4 = x + 1 (M. Roberts 2018).
        constexpr double kRoot = 1.2207440846057596;
        const auto even = [i](double step) {
            const double x = 0.5 + static_cast<double>(i + 1) * step;
            return x - std::floor(x);
        };
        const double r = std::cbrt(even(1 / kRoot)), z = 2 * even(1 / (kRoot * kRoot)) - 1;
        const double angle = 2 * std::numbers::pi * even(1 / (kRoot * kRoot * kRoot)), flat = r * std::sqrt(1 - z * z);
        const Vec3d q{flat * std::cos(angle), flat * std::sin(angle), r * z};
        const Vec3d d = lumps.at(q);
        // The growing mode: fluctuations move with the flow and grow as fast as it does.
        return Body{{q.x + d.x, q.y + d.y, q.z + d.z},
                    {hubble * (q.x + 2 * d.x), hubble * (q.y + 2 * d.y), hubble * (q.z + 2 * d.z)},
                    mass};
    }));
}

// Version 2: structure is visible at the start.
constexpr SceneParameter kWebParameters[] = {
    {"contrast", "Contrast", "", "rms of the density contrast at the start; a larger one makes structure earlier", 1.3, 0,
     2},
    kParameters[1],
    kParameters[2],
};

}  // namespace

std::span<const Scene> expandingScenes() {
    static const Scene rows[] = {
        {.name = "expanding-box",
         .group = SceneGroup::clusters,
         .idea = "a ball cut out of an expanding universe",
         .caption = "Space grows eightfold until t = 10; small lumps become filaments and clusters.",
         .source = "Zel'dovich 1970; Peebles 1980",
         .bodiesGpu = 131072,
         .bodiesCpu = 16384,
         .story = {10, 40},
         .softening = 0.03,
         .farField = kCollisionless,
         .view = {.distance = 9, .elevation = 0.4, .pointSize = 0.025, .speedScale = 1.6},
         .build = buildExpanding,
         .parameters = kParameters},
        {.name = "expanding-box",
         .group = SceneGroup::clusters,
         .idea = "a ball cut out of an expanding universe",
         .caption = "Sheets and filaments exist from the start; they flow into clusters while space grows eightfold.",
         .source = "Zel'dovich 1970; Peebles 1980",
         .version = 2,
         .bodiesGpu = 131072,
         .bodiesCpu = 16384,
         .story = {10, 40},
         .softening = 0.03,
         .farField = kCollisionless,
         .view = {.distance = 4.2, .elevation = 0.4, .pointSize = 0.014, .speedScale = 1.8, .colour = "density"},
         .build = [](const SceneRequest& request) { return buildExpanding(withUsual(request, kWebParameters)); },
         .parameters = kWebParameters},
    };
    return rows;
}

}  // namespace gravlab::scenes
