// assets/cuda_rows.inl has the rows of CUDA for builds without CUDA, which compile nothing of sim/backends/cuda. In a build
// with CUDA this test compares it with the tables, and GRAVLAB_WRITE_CUDA_ROWS=1 writes it anew.
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/backends/groups.h"
#include "sim/core/names.h"
#include "tests/files.h"
#include "tests/on_backend.h"
#include "tests/paths.h"

#include <gmock/gmock.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {
namespace {

std::string inQuotes(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) quoted += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    return quoted + '"';
}
std::string listText(std::span<const int> values) {
    return "of<" + joined(values, [](int value) { return std::to_string(value); }) + ">";
}
std::string numberText(double number) {
    char text[32];
    return {text, std::to_chars(std::begin(text), std::end(text), number).ptr};
}

/// The members that differ from those of a plain row, which a build without CUDA cannot derive.
std::string rowText(const KernelRow& row) {
    // A new member does not compile here until it is recorded. Code, `keeps` and `refuses`, is of builds that can run a row.
    const auto& [backend, term, name, idea, blocks, blockSizes, unrolls, bodiesPerThread, splits, usual, cut, deterministic,
                 equalMasses, approximates, byCutOff, byOpening, issued, slots64, source, trap, keeps, refuses, listed] =
        row;
    const KernelRow plain;
    std::string text = ".backend = kBackend.name";
    const auto add = [&](bool differs, std::string_view member, const std::string& value) {
        if (differs) text += ", ." + std::string(member) + " = " + value;
    };
    const auto rangeText = [](Range range) {
        return "{" + std::to_string(range.first) + ", " + std::to_string(range.last) + "}";
    };
    const auto differ = [](Range a, Range b) { return a.first != b.first || a.last != b.last; };
    const auto flag = [&](bool value, bool usually, std::string_view member) {
        add(value != usually, member, value ? "true" : "false");
    };
    add(term != plain.term, "term", inQuotes(term));
    add(true, "name", inQuotes(name));
    add(true, "idea", inQuotes(idea));
    add(differ(blocks, plain.blocks), "blocks", rangeText(blocks));
    add(!blockSizes.empty(), "blockSizes", listText(blockSizes));
    add(!unrolls.empty(), "unrolls", listText(unrolls));
    add(!bodiesPerThread.empty(), "bodiesPerThread", listText(bodiesPerThread));
    add(differ(splits, plain.splits), "splits", rangeText(splits));
    const int launch[] = {usual.block, usual.unroll, usual.bodiesPerThread, usual.split};
    add(usual != plain.usual, "usual", "{" + joined(launch, [](int value) { return std::to_string(value); }) + "}");
    constexpr const char* kSplits[] = {"targets", "tilePairs", "keyRanges", "none"};
    add(cut != plain.cut, "cut", std::string("Split::") + kSplits[static_cast<int>(cut)]);
    flag(deterministic, plain.deterministic, "deterministic");
    flag(equalMasses, plain.equalMasses, "equalMasses");
    flag(approximates, plain.approximates, "approximates");
    flag(byCutOff, plain.byCutOff, "byCutOff");
    flag(byOpening, plain.byOpening, "byOpening");
    add(issued > 0, "issuedPerDirectedPair", numberText(issued));
    add(slots64 > 0, "slots64PerDirectedPair", numberText(slots64));
    add(!source.empty(), "source", inQuotes(source));
    add(!trap.empty(), "trap", inQuotes(trap));
    flag(listed, plain.listed, "listed");
    return "    recorded({" + text + "}),\n";
}

/// The whole file.
std::string recordOf(const BackendRow& device) {
    std::string kernelRows, termRows, traps, groups, depths;
    for (const KernelRow* row : listedKernels())
        if (row->backend == device.name) (row->term == kPairLawTerm ? kernelRows : termRows) += rowText(*row);
    for (const KernelRow& row : trapKernels()) traps += rowText(row);
    for (const GroupRow& row : groupRows())
        if (row.backend == device.name)
            groups += "    {kBackend.name, " + inQuotes(row.name) + ", " + inQuotes(row.idea) + ", groupBytes, nullptr},\n";
    for (const DepthRow& row : depthRows())
        if (row.backend == device.name)
            depths += "    {kBackend.name, " + inQuotes(row.name) + ", " + inQuotes(row.idea) + ", nullptr},\n";
    return "// The rows of the CUDA backend for builds without CUDA; sim/backends/without_cuda.cpp says more. Written by a "
           "build with "
           "CUDA:\n// GRAVLAB_WRITE_CUDA_ROWS=1 build/tests/gravlab_unit_tests --gtest_filter=CudaRows.*\n"
           "constexpr BackendRow kBackend{.name = " +
           inQuotes(device.name) + ", .idea = " + inQuotes(device.idea) +
           ", .unavailable = nullptr, .make = nullptr, .devices = nullptr, .onDevice = true, .mostStudied = " +
           std::to_string(device.mostStudied) + "};\nconstexpr KernelRow kKernels[] = {\n" + kernelRows +
           "};\nconstexpr KernelRow kTermKernels[] = {\n" + termRows + "};\nconstexpr KernelRow kTraps[] = {\n" + traps +
           "};\nconstexpr GroupRow kGroups[] = {\n" + groups + "};\nconstexpr DepthRow kDepths[] = {\n" + depths + "};\n";
}

TEST(CudaRows, buildsWithoutCudaHaveThem) {
    const std::string path = GRAVLAB_SOURCE_DIR "/assets/cuda_rows.inl", record = recordOf(deviceBackend());
    if (std::getenv("GRAVLAB_WRITE_CUDA_ROWS")) std::ofstream(path) << record;
    EXPECT_EQ(contentOf(path), record) << "in a build with CUDA, GRAVLAB_WRITE_CUDA_ROWS=1 writes it anew";
}

/// A build without CUDA knows their names, and refuses all of them for that reason.
TEST(CudaRows, areRefusedForTheFirstTrueReason) {
    const BackendRow& device = deviceBackend();
    const bool built = testing_support::isBuilt(device.name);
    std::size_t rows = 0;
    for (const KernelRow* row : listedKernels()) {
        if (row->backend != device.name) continue;
        ++rows;
        EXPECT_EQ(findKernel(row->backend, row->name, row->term)->idea, row->idea);
        const Reason reason = refusal(*row, {});
        EXPECT_EQ(reason.find("cannot run: this build has no CUDA") != std::string::npos, !built)
            << row->name << ": " << reason;
    }
    EXPECT_GE(rows, 40u);
    if (!built) {
        EXPECT_THROW(device.make({}), NoDeviceError);
    }
}

}  // namespace
}  // namespace gravlab
