// The work that a step of each CUDA row enqueues, on any machine: launches and copies per step, and bytes per body, compared
// with tests/data/launches.csv. Slices leave nothing out.
#include "app/bench/row_fingerprints.h"
#include "sim/core/text.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

namespace gravlab {
namespace {

/// "launches,copies,shown_launches,bytes_a_body" by "kernel,law,precision,integrator,bodies"; copies only where they do not
/// depend on a clock.
using LaunchTable = std::map<std::string, std::string>;

LaunchTable measuredTable() {
    LaunchTable table;
    printRows({.backend = "cuda", .bodies = {257}}, [&](const RowPrint& row) {
        if (row.law != "gravity" && row.law != "coulomb 1" && row.law != "lennard-jones 1") return;
        // Trees and cells read their counts back when 20 ms have passed since the last time.
        const KernelRow& kernelRow = kernel("cuda", row.kernel);
        const bool byClock = kernelRow.approximates || kernelRow.byCutOff;
        const std::string costs =
            formatted("%g,%g,%g,%.0f", row.launches, byClock ? 0 : row.copies, row.shownLaunches, row.bytes);
        table[row.kernel + "," + row.law + "," + row.precision + "," + row.integrator + "," + std::to_string(row.bodies)] =
            costs;
        if (!row.sliced.empty()) {
            EXPECT_EQ(row.sliced, "same") << row.kernel;
        }
        EXPECT_EQ(row.check, "passed") << row.kernel << ": its check never came";
    });
    return table;
}

TEST(LaunchTable, aStepEnqueuesWhatItDid) {
    const std::string path = std::string(GRAVLAB_SOURCE_DIR) + "/tests/data/launches.csv";
    const LaunchTable measured = measuredTable();
    EXPECT_GT(measured.size(), 500u);
    if (std::getenv("GRAVLAB_WRITE_LAUNCHES")) {
        std::ofstream file(path);
        for (const auto& [key, costs] : measured) file << key << ',' << costs << '\n';
    }
    LaunchTable wanted;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::size_t comma = 0;
        for (int cell = 0; cell < 5; ++cell) comma = line.find(',', comma) + 1;
        wanted[line.substr(0, comma - 1)] = line.substr(comma);
    }
    for (const auto& [key, costs] : measured)
        EXPECT_EQ(costs, wanted[key]) << key << ": launches, copies, launches with a picture, bytes a body; "
                                      << "GRAVLAB_WRITE_LAUNCHES=1 writes the table anew";
    for (const auto& [key, costs] : wanted) EXPECT_TRUE(measured.contains(key)) << key << " is gone";
}

}  // namespace
}  // namespace gravlab
