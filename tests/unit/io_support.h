// Helpers for tests of files: folders that vanish, sets of bodies that show every mix-up, comparison bit by bit.
#pragma once
#include "sim/api/errors.h"
#include "sim/io/snapshot.h"
#include "tests/files.h"

#include <gtest/gtest.h>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace gravlab::io_test {

/// A new empty folder, removed at the end.
class TempFolder {
public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "gravlab-io-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
    }

private:
    std::filesystem::path path_;
};

/// The message of a refused input; a failure when it is accepted.
template <class Action>
std::string refused(const Action& action) {
    try {
        action();
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ExitCode::badInput);
        return error.what();
    }
    ADD_FAILURE() << "accepted";
    return {};
}

/// Every number differs, in fp64 or in numbers that a float holds exactly.
inline Snapshot sample(std::size_t bodies, bool floats = false) {
    Snapshot snapshot;
    snapshot.bodies.resize(bodies);
    std::mt19937_64 random(7 + bodies);
    const auto number = [&] {
        const double value = (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 20;
        return floats ? static_cast<double>(static_cast<float>(value)) : value;
    };
    for (std::size_t i = 0; i < bodies; ++i) {
        snapshot.bodies.position[i] = {number(), number(), number(), std::abs(number())};
        snapshot.bodies.velocity[i] = {number(), number(), number(), 1};
        snapshot.bodies.id[i] = static_cast<std::uint32_t>(i);
        snapshot.bodies.group[i] = 0;
    }
    return snapshot;
}

/// Everything that a checkpoint can hold.
inline Snapshot fullCheckpoint(std::size_t bodies) {
    Snapshot snapshot = sample(bodies);
    for (std::size_t i = 0; i < bodies; ++i) {
        snapshot.bodies.id[i] = static_cast<std::uint32_t>(4000000000u - 3 * i);
        snapshot.bodies.group[i] = static_cast<std::uint8_t>(i % 3);
        snapshot.bodies.velocity[i].w = 1.0 / static_cast<double>(i + 3);
        if (i % 2) snapshot.bodies.position[i].w *= -1;
    }
    snapshot.step = (std::int64_t{1} << 53) + 1;
    snapshot.time = 1e9 + 1.0 / 3;
    snapshot.timeStep = -1e-3 / 7;
    snapshot.stepOrigin = -5;
    snapshot.timeOrigin = 0.1;
    snapshot.softening = 0.01;
    snapshot.seed = ~std::uint64_t{0} - 1;
    snapshot.settings = "scene = \"collision\" # \xc3\xa4\nbodies = 8\n";
    snapshot.units = "kpc, Msun";
    snapshot.signedSources = true;
    snapshot.state = {{"hermite.jerk", {0.1, -0.2, 1e-300}}, {"next-dt", {}}};
    return snapshot;
}

inline bool sameBits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
inline bool sameBits(const Double4& a, const Double4& b) {
    return sameBits(a.x, b.x) && sameBits(a.y, b.y) && sameBits(a.z, b.z) && sameBits(a.w, b.w);
}

inline ::testing::AssertionResult sameBodies(const ParticleSet& a, const ParticleSet& b) {
    if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " bodies against " << b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!sameBits(a.position[i], b.position[i])) return ::testing::AssertionFailure() << "position of body " << i;
        if (!sameBits(a.velocity[i], b.velocity[i])) return ::testing::AssertionFailure() << "velocity of body " << i;
        if (a.id[i] != b.id[i]) return ::testing::AssertionFailure() << "id of body " << i;
        if (a.group[i] != b.group[i]) return ::testing::AssertionFailure() << "group of body " << i;
    }
    return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult sameSnapshot(const Snapshot& a, const Snapshot& b) {
    const auto bits = [](const std::optional<double>& v) {
        return v ? std::optional(std::bit_cast<std::uint64_t>(*v)) : std::nullopt;
    };
    if (a.step != b.step || a.stepOrigin != b.stepOrigin || a.seed != b.seed)
        return ::testing::AssertionFailure() << "step, its origin or seed";
    if (bits(a.time) != bits(b.time) || bits(a.timeStep) != bits(b.timeStep) || bits(a.timeOrigin) != bits(b.timeOrigin) ||
        bits(a.softening) != bits(b.softening))
        return ::testing::AssertionFailure() << "time, time step, its origin or softening";
    if (a.settings != b.settings || a.units != b.units || a.signedSources != b.signedSources || a.state != b.state)
        return ::testing::AssertionFailure() << "settings, units, signs or state";
    return sameBodies(a.bodies, b.bodies);
}

}  // namespace gravlab::io_test
