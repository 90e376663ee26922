// The units of the numbers in a file, and the factors that converted them to G = 1: enough to write the file's own numbers
// back. And the part of its bodies that is read.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace gravlab {

/// A part of the bodies of a file, in the numbers of the file.
struct FilePart {
    /// A box with both ends of each axis inside.
    struct Region {
        double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
        bool operator==(const Region&) const = default;
    };
    std::optional<Region> region{};
    std::uint64_t every = 1;  ///< read bodies 0, every, 2 every, and so on
    bool whole() const { return !region && every == 1; }
    bool operator==(const FilePart&) const = default;
};

struct FileUnits {
    /// Names as they stand in a header ("kpc"), which can be read again; empty: unknown.
    std::string length{}, mass{}, velocity{};
    /// A file's length / lengthBy = [L], its mass * massBy = [M], its velocity / velocityBy = [L/T].
    double lengthBy = 1, massBy = 1, velocityBy = 1;
    /// One [L], [M] and [L/T] in m, kg and m/s; 0: unknown.
    double metres = 0, kilograms = 0, metresPerSecond = 0;

    bool named() const { return !length.empty(); }
    /// Whether the file uses the units of the run.
    bool plain() const { return lengthBy == 1 && massBy == 1 && velocityBy == 1; }
    bool operator==(const FileUnits&) const = default;
};

}  // namespace gravlab
