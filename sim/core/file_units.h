// What the numbers of a file are given in, and how they became G = 1: enough to write them back as they were.
#pragma once
#include <string>

namespace gravlab {

struct FileUnits {
    /// As a header has them ("kpc"), fit to be read again; empty: they have no names that are known.
    std::string length{}, mass{}, velocity{};
    /// A file's length / lengthBy = [L], its mass * massBy = [M], its velocity / velocityBy = [L/T].
    double lengthBy = 1, massBy = 1, velocityBy = 1;
    /// One [L], [M] and [L/T] in m, kg and m/s; 0: not known.
    double metres = 0, kilograms = 0, metresASecond = 0;

    bool named() const { return !length.empty(); }
    /// Whether the file's numbers are those of a run.
    bool plain() const { return lengthBy == 1 && massBy == 1 && velocityBy == 1; }
    bool operator==(const FileUnits&) const = default;
};

}  // namespace gravlab
