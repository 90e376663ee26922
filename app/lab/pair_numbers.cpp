#include "app/lab/pair_numbers.h"

#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/api/vectors.h"
#include "sim/forces/law.h"
#include "sim/io/file/atomic_file.h"

#include <bit>
#include <cstdio>

namespace gravlab {
namespace {

static_assert(std::endian::native == std::endian::little, "'<f8' is what is in memory");

/// The head of a file of NumPy's format 1.0: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
std::string npyHead(std::size_t n) {
    const std::string shape = std::to_string(n);
    std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + ", " + shape + "), }";
    constexpr std::size_t kBefore = 10, kAlignment = 64;
    while ((kBefore + head.size() + 1) % kAlignment != 0) head += ' ';
    head += '\n';
    std::string all("\x93NUMPY\x01\x00", 8);
    all += static_cast<char>(head.size() & 255);
    all += static_cast<char>(head.size() >> 8);
    return all + head;
}

}  // namespace

std::vector<double> pairRow(std::span<const Double4> positions, const ForceSettings& force, PairValue value, std::size_t i) {
    std::vector<double> row(positions.size());
    withLaw<double>(force, [&](const auto& law) {
        const Double4& a = positions[i];
        for (std::size_t j = 0; j < positions.size(); ++j) {
            if (i == j) continue;
            const Double4& b = positions[j];
            const double dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
            row[j] = valueOfPair(value, law, a.w * b.w, dx, dx * dx + dy * dy + dz * dz);
        }
    });
    return row;
}

void requirePairFile(const std::string& path) {
    if (!path.ends_with(".csv") && !path.ends_with(".npy"))
        throw UsageError("'" + path + "': expected FILE.csv or FILE.npy");
}

void writePairNumbers(const std::string& path, std::span<const Double4> positions, const ForceSettings& force,
                      PairValue value) {
    requirePairFile(path);
    if (positions.size() > kMatrixBodies)
        throw UsageError("a matrix has at most " + std::to_string(kMatrixBodies) + " bodies; there are " +
                         std::to_string(positions.size()));
    const bool numpy = path.ends_with(".npy");
    AtomicFile file(path);
    if (numpy) file.write(npyHead(positions.size()));
    std::string line;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        InterruptWatch::check();
        const std::vector<double> row = pairRow(positions, force, value, i);
        if (numpy) {
            file.write(row.data(), row.size() * sizeof(double));
            continue;
        }
        line.clear();
        for (const double number : row) line += formatted(line.empty() ? "%.9g" : ",%.9g", number);
        file.write(line + "\n");
    }
    file.commit();
}

}  // namespace gravlab
