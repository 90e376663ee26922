// The memory of a run is computed before it starts; a machine without it refuses in one sentence.
#include "sim/backends/memory_need.h"
#include "app/bench/benchmark_text.h"
#include "app/lab/lab.h"
#include "sim/api/errors.h"
#include "sim/backends/cpu/backend_cpu.h"
#include "sim/backends/groups.h"
#include "sim/backends/memory_probe.h"
#include "sim/core/pages.h"
#include "sim/core/text.h"
#include "sim/core/validation.h"
#include "sim/core/work_watch.h"
#include "sim/forces/law.h"
#include "sim/io/snapshot.h"
#include "sim/measure/diagnostics.h"
#include "sim/measure/profile.h"
#include "sim/run/simulation.h"
#include "sim/tree/properties.h"
#include "tests/files.h"
#include "tests/memory_suite.h"
#include "tests/on_backend.h"
#include "tests/scarce_memory.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace gravlab {
namespace {

constexpr double kNobodyKnows = std::numeric_limits<double>::infinity();

std::string refusalOf(const MemoryNeed& need, const MemoryNeed& free) {
    try {
        requireMemory(need, free, 100'000'000);
    } catch (const OutOfMemoryError& error) {
        return error.what();
    }
    return "";
}

TEST(MemoryNeed, isRefusedInOneSentenceWithAllNumbers) {
    const MemoryNeed both{.host = 15.9e9, .device = 25.71e9}, hostOnly{.host = 40e9};
    EXPECT_EQ(needText({15.9e9, 25.71e9, 11e9}, 100),
              "100 bodies need 25.7 GB on the device, 11 GB on each helper and 15.9 GB here");
    EXPECT_EQ(refusalOf(both, {.host = 64e9, .device = 12e9}),
              "100000000 bodies need 25.7 GB on the device and 15.9 GB here; free are 12 GB there and 64 GB here: ask for "
              "fewer bodies; 46000000 fit");
    EXPECT_EQ(refusalOf(both, {.host = 8e9, .device = 140e9}),
              "100000000 bodies need 25.7 GB on the device and 15.9 GB here; free are 140 GB there and 8 GB here: ask for "
              "fewer bodies; 50000000 fit");
    EXPECT_EQ(
        refusalOf(both, {.host = 64e9, .device = 12e9, .where = "on device 1"}),
        "100000000 bodies need 25.7 GB on the device and 15.9 GB here; free are 12 GB on device 1 and 64 GB here: ask for "
        "fewer bodies; 46000000 fit");
    EXPECT_EQ(refusalOf(hostOnly, {.host = 24.4e9, .device = kNobodyKnows}),
              "100000000 bodies need 40 GB here; free are 24.4 GB here: ask for fewer bodies; 61000000 fit");
    EXPECT_EQ(refusalOf(both, {.host = 15.9e9, .device = 25.71e9}), "");
    EXPECT_EQ(refusalOf(both, {.host = kNobodyKnows, .device = kNobodyKnows}), "");
    EXPECT_EQ(refusalOf(both, {.host = kNobodyKnows, .device = 1e9}),
              "100000000 bodies need 25.7 GB on the device and 15.9 GB here; free are 1 GB there: ask for fewer bodies; "
              "3800000 fit");
}

TEST(MemoryNeed, countsBytesBeyondTheRangeOfIntegers) {
    // 2^31 - 1 bodies need hundreds of gigabytes: a number that must not wrap.
    const std::size_t most = 2147483647;
    for (const BackendRow& row : backends()) {
        const MemoryNeed few = sumOf(memoryRows(row, {1'000'000, {}, {.allowedError = 1e-3}}));
        const MemoryNeed many = sumOf(memoryRows(row, {most, {}, {.allowedError = 1e-3}}));
        if (!row.onDevice) {
            EXPECT_GT(few.host, 100e6) << row.name;
        }
        EXPECT_GE(few.device, 0) << row.name;
        EXPECT_NEAR((many.host + many.device) / (few.host + few.device + 1e-9) / 2147.5,
                    few.host + few.device > 0 ? 0.85 : 0, 0.2)
            << row.name;
    }
    // A tree needs more memory than pairs do.
    EXPECT_GT(sumOf(memoryRows(hostBackend(), {1'000'000, {}, {.allowedError = 1e-3}})).host,
              sumOf(memoryRows(hostBackend(), {1'000'000, {}, {}})).host);
    // Block steps need a level, an index, a position and a sum for each body: 1, 4, 12 and 12 bytes. Sources are not copied.
    const StepProgram blocks = integrator("block-leapfrog").program;
    EXPECT_EQ(sumOf(memoryRows(hostBackend(), {1'000'000, {}, {}, blocks})).host,
              sumOf(memoryRows(hostBackend(), {1'000'000, {}, {}, usualIntegrator().program})).host + 29e6);
    if (sumOf(memoryRows(deviceBackend(), {1'000'000, {}, {}})).device > 0)
        for (const KernelChoice& kernel : {KernelChoice{}, KernelChoice{.kernel = "tree", .allowedError = 1e-3}}) {
            EXPECT_GE(sumOf(memoryRows(deviceBackend(), {1'000'000, {}, kernel, blocks})).device,
                      sumOf(memoryRows(deviceBackend(), {1'000'000, {}, kernel, usualIntegrator().program})).device + 5e6);
        }
}

TEST(MemoryNeed, aTreeOfManyBodiesTakesLittleOnADevice) {
    for (const BackendRow& row : backends()) {
        if (!row.onDevice) continue;
        for (const std::size_t bodies : {1'048'576, 10'485'760, 104'857'600}) {
            const double tree = sumOf(memoryRows(row, {bodies, {}, {.allowedError = 1e-3}})).device,
                         pairs = sumOf(memoryRows(row, {bodies, {}, {.kernel = "tiled"}})).device;
            EXPECT_LE(tree - pairs, 106.0 * static_cast<double>(bodies)) << row.name << ' ' << bodies;
            if (pairs > 0) {
                EXPECT_GT(tree - pairs, 80.0 * static_cast<double>(bodies)) << row.name << ' ' << bodies;
            }
        }
    }
}

TEST(MemoryNeed, countsNodesOfBodiesWithMassAlone) {
    const std::size_t bodies = 1'000'000;
    const auto ofTree = [&](std::size_t sources) {
        return sumOf(memoryRows(deviceBackend(), {bodies, {}, {.kernel = "tree"}, {}, sources})).device -
               sumOf(memoryRows(deviceBackend(), {bodies, {}, {.kernel = "tiled"}})).device;
    };
    if (sumOf(memoryRows(deviceBackend(), {bodies, {}, {}})).device == 0) GTEST_SKIP() << "this build has no CUDA";
    EXPECT_EQ(ofTree(bodies), ofTree(MassiveBodies{}.count));
    // Without nodes: place and sorted body, two lengths, keys and indices, sorted keys, the search, and groups.
    EXPECT_NEAR(ofTree(2), (20.0 + 8 + 12 + 8 + 14.5 + 4.6) * static_cast<double>(bodies), 2e6);
    EXPECT_LT(ofTree(10'000), ofTree(bodies) - 20.0 * static_cast<double>(bodies));
    // Scenes say how many of their bodies have mass.
    for (const Scene& scene : sceneTable()) {
        if (scene.massive == 0) continue;
        const ParticleSet made = scene.build({.bodies = scene.bodiesCpu, .seed = 1});
        EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(made.position, [](const Double4& x) { return x.w != 0; })),
                  scene.massive)
            << scene.name;
    }
}

TEST(MemoryNeed, countsScratchSlotsAndTheCopyOfMixedPrecision) {
    constexpr std::size_t kBodies = 1'048'576;
    const auto n = static_cast<double>(kBodies);
    const auto need = [&](const BackendRow& row, const char* program, Precision precision, const char* kernel) {
        const MemoryNeed found =
            sumOf(memoryRows(row, {kBodies, {.precision = precision}, {.kernel = kernel}, integrator(program).program}));
        return (found.host + found.device) / n;
    };
    constexpr Precision kSingle = Precision::fp32, kMixed = Precision::mixed, kDouble = Precision::fp64;
    EXPECT_EQ(need(hostBackend(), "rk4", kSingle, "simd") - need(hostBackend(), "leapfrog", kSingle, "simd"), 48);
    EXPECT_EQ(need(hostBackend(), "rk4", kDouble, "simd") - need(hostBackend(), "leapfrog", kDouble, "simd"), 96);
    if (need(deviceBackend(), "leapfrog", kSingle, "tiled") == 0) GTEST_SKIP() << "this build has no CUDA";
    EXPECT_EQ(need(deviceBackend(), "rk4", kSingle, "tiled") - need(deviceBackend(), "leapfrog", kSingle, "tiled"), 64);
    EXPECT_EQ(need(deviceBackend(), "leapfrog", kMixed, "tiled"), need(deviceBackend(), "leapfrog", kDouble, "tiled") + 32);
    // 16 slots of targets, 32 of partners and the diagonal, of three numbers each; and six times three sums in double.
    const double slots = 3 * 4 * (16 + 32 + 1) + 6 * 3 * 8;
    EXPECT_EQ(need(deviceBackend(), "leapfrog", kSingle, "symmetric") - need(deviceBackend(), "leapfrog", kSingle, "tiled"),
              slots);
    EXPECT_EQ(sumOf(memoryRows(deviceBackend(), {kBodies, {}, {}})).device,
              sumOf(memoryRows(deviceBackend(), {kBodies, {}, {.kernel = "symmetric"}})).device)
        << "what auto takes";
    EXPECT_EQ(sumOf(memoryRows(deviceBackend(), {kBodies, {}, {}, {}, 3})).device,
              sumOf(memoryRows(deviceBackend(), {kBodies, {}, {.kernel = "tiled"}})).device);
}

TEST(MemoryNeed, countsTheDipolesOfCharges) {
    const std::size_t bodies = 1'000'000;
    const ForceSettings charges{.law = kLaw<Coulomb>, .softening = 0.02}, gravity{.softening = 0.02};
    const double dipoles = 4.0 * sizeof(float) * static_cast<double>(mostTreeNodes(bodies));
    for (const BackendRow& row : backends()) {
        const auto more = [&](const KernelChoice& kernel) {
            const MemoryNeed with = sumOf(memoryRows(row, {bodies, charges, kernel})),
                             without = sumOf(memoryRows(row, {bodies, gravity, kernel}));
            return with.host + with.device - without.host - without.device;
        };
        const MemoryNeed all = sumOf(memoryRows(row, {bodies, gravity, {.allowedError = 1e-3}}));
        if (row.usesCores || all.device > 0) {
            EXPECT_EQ(more({.allowedError = 1e-3}), dipoles) << row.name;
        }
        EXPECT_EQ(more({}), 0) << row.name << ": pairs need none";
    }
}

TEST(MemoryNeed, ARunSaysItBeforeItTakesItAndIsRefusedBeforeItMakesBodies) {
    std::vector<std::string> said;
    bool made = false;
    const WorkWatch watch([&](const char*, std::int64_t, std::int64_t) { made = true; },
                          [&](const std::string& sentence) { said.push_back(sentence); });
    // More than any machine has: 2^31 - 1 bodies are 300 GB.
    EXPECT_THROW(Simulation({.scene = "plummer", .bodies = 2147483647, .backend = "cpu"}), OutOfMemoryError);
    EXPECT_FALSE(made);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_THAT(said[0], testing::MatchesRegex("2147483647 bodies need [0-9.e+]+ GB here"));
    const Simulation small({.scene = "plummer", .bodies = 1000, .backend = "cpu"});
    EXPECT_EQ(said.size(), 1u) << "few bodies are not worth a word";
    EXPECT_TRUE(made);
}

TEST(MemoryList, isWhatARunOnTheCpuTakes) {
    testing_support::MemorySuite suite(hostBackend(), test::heldBytes);
    suite.rows();
    suite.integrators();
    suite.terms();
    for (const std::size_t helpers : {1, 3}) suite.helpers(helpers);
}

TEST(MemoryList, whatReadsManyBodiesNeedsLittleBesideThem) {
    constexpr std::size_t kBodies = 200'000;
    constexpr double kRoom = 1.5e6 / kBodies;
    Snapshot state;
    state.bodies = sceneNamed("plummer").build({.bodies = kBodies, .seed = 1});
    const ParticleSet& bodies = state.bodies;
    const auto perBody = [](const auto& call) { return test::mostBytesIn(call) / kBodies; };
    const double length = linkingLength(bodies, {.mean = 0.02});
    FoundGroups found;
    for (const char* name : {"union-grid", "union-tree"}) {
        const GroupRow& row = groupRow("cpu", name);
        const double needed = perBody([&] { found = findGroups(row, bodies, length, {}); });
        EXPECT_NEAR(needed, row.bytes(kBodies) / kBodies, kRoom) << name;
        EXPECT_LE(needed, 40 + kRoom) << name;
    }
    EXPECT_LE(perBody([&] { EXPECT_EQ(checkGroups(bodies, length, found.labels).failure, ""); }), kRoom);
    EXPECT_LE(perBody([&] { groupTable(bodies, found.labels, 10); }), 4 + kRoom);
    EXPECT_LE(perBody([&] { measureProfile(bodies, {}, {.sample = 2048}); }), kRoom);
    EXPECT_LE(perBody([&] { lagrangianRadii(bodies); }), 16 + kRoom);
    const ParticleSet fewer = sceneNamed("plummer").build({.bodies = 6000, .seed = 1});
    for (const KernelChoice& kernel : {KernelChoice{.kernel = "tree", .allowedError = 1e-3}, KernelChoice{}}) {
        const MemoryRows rows = memoryRows(backend("cpu"), {.bodies = fewer.size(), .kernel = kernel});
        const double needed = test::mostBytesIn([&] {
            const ParticleSet copy = fewer;
            measureSystem(copy, termsOf({}), 0, kernel.kernel ? pairsByTree(1e-3) : nullptr);
        });
        EXPECT_NEAR(needed, rows.back().bytes, 0.15 * needed) << rows.back().array;
        EXPECT_EQ(rows.back().when, "a measurement");
    }
    const ScratchFolder folder;
    state.state = {{"force.lengths", std::vector<double>(4 * kBodies, 0.5)}};
    writeSnapshot(folder / "state.hdf5", state);
    std::size_t seen = 0;
    const ReadOptions inParts{.keepsState = false, .parts = [&](const Snapshot& part, std::uint64_t first) {
                                  EXPECT_EQ(first, seen);
                                  seen += part.bodies.size();
                              }};
    EXPECT_LE(perBody([&] { readSnapshot(folder / "state.hdf5", inParts); }), 60) << "ids, and blocks of 9 MB";
    EXPECT_EQ(seen, kBodies);
}

std::string lineOf(const MemoryRow& row, std::size_t bodies) {
    return "| " + std::string(row.array) + " | " + formatted("%.1f", row.bytes / static_cast<double>(bodies)) + " | " +
           (row.onHelper   ? "each helper"
            : row.onDevice ? "device"
                           : "host") +
           " | " + (row.when.empty() ? "always" : std::string(row.when)) + (row.counted ? "" : " (not counted)") + " |\n";
}

/// A table of docs/memory.md.
std::string tableOf(const MemoryRows& rows, std::size_t bodies) {
    std::string text = "| array | bytes per body | where | when |\n| --- | ---: | --- | --- |\n";
    const auto perBody = [&](double bytes) { return formatted("%.1f", bytes / static_cast<double>(bodies)); };
    for (const MemoryRow& row : rows) text += lineOf(row, bodies);
    const MemoryNeed sum = sumOf(rows);
    if (sum.device > 0) text += "| **sum on the device** | **" + perBody(sum.device) + "** | device | |\n";
    return text + "| **sum on the host** | **" + perBody(sum.host) + "** | host | |\n";
}

TEST(MemoryList, hasItsRowsInThePage) {
    const std::string page = contentOf(std::filesystem::path(GRAVLAB_SOURCE_DIR) / "docs/memory.md");
    constexpr std::size_t kBodies = 104'857'600, kBillion = std::size_t{1} << 30;
    const auto expect = [&](const BackendRow& row, const RunSize& run) {
        MemoryRows rows = memoryRows(row, run);
        for (const MemoryRow& host : hostRows(run.bodies, row.onDevice)) rows.push_back(host);
        EXPECT_THAT(page, testing::HasSubstr(tableOf(rows, run.bodies))) << row.name;
        return sumOf(rows).device / static_cast<double>(run.bodies);
    };
    RunSize run{.bodies = kBodies, .force = {.softening = 0.02}, .program = usualIntegrator().program};
    for (const BackendRow& row : backends())
        for (const KernelChoice& kernel : {KernelChoice{.allowedError = 1e-3}, KernelChoice{}}) {
            if (row.exact || (row.onDevice && !testing_support::isBuilt(row.name))) continue;
            run.kernel = kernel;
            expect(row, run);
        }
    if (!testing_support::isBuilt("cuda")) return;
    for (const KernelChoice& kernel : {KernelChoice{.allowedError = 1e-3}, KernelChoice{}})
        for (const bool ranks : {false, true}) {
            run.kernel = kernel, run.helpers = 1, run.ranks = ranks;
            for (const MemoryRow& row : memoryRows(backend("cuda"), run)) {
                if (row.array.find("helper") == std::string::npos && row.array.find("ranks") == std::string::npos) continue;
                EXPECT_THAT(page, testing::HasSubstr(lineOf(row, kBodies)));
            }
        }
    run = {kBillion, run.force, {.allowedError = 1e-3}, run.program};
    run.oneState = true;
    EXPECT_LE(expect(backend("cuda"), run), 128);
}

/// Free memory of the host while it exists, in place of the machine's.
class FreeMemory {
public:
    explicit FreeMemory(double bytes) {
        std::filesystem::create_directories(folder_ / "proc");
        put(folder_ / "proc/meminfo", "MemAvailable: " + std::to_string(static_cast<long>(bytes / 1024)) + " kB\n");
        systemRoot() = folder_.path().string();
    }
    ~FreeMemory() { systemRoot().clear(); }

private:
    ScratchFolder folder_;
};

TEST(MemoryNeed, WhatTheHostHasNoRoomForIsRefusedByEveryGuard) {
    const ParticleSet bodies = sceneNamed("plummer").build({.bodies = 20000, .seed = 1}),
                      others = sceneNamed("plummer").build({.bodies = 20001, .seed = 1});
    Snapshot whole;
    whole.bodies = bodies;
    const std::string file = encodeSnapshot(whole, "tipsy");
    const std::unique_ptr<Backend> cpu = backend("cpu").make({});
    cpu->load(bodies);
    cpu->configure({}, {.kernel = "simd-threads"});
    const auto all = [&](const auto& expect) {
        bool made = false;
        const WorkWatch watch([&](const char*, std::int64_t, std::int64_t) { made = true; }, {});
        expect("a run", [] { Simulation({.scene = "plummer", .bodies = 20000, .backend = "cpu"}); });
        expect("a new kernel", [&] { cpu->configure({}, {.kernel = "symmetric-threads"}); });
        expect("bodies of a backend", [&] { cpu->load(others); });
        expect("groups", [&] { findGroups(groupRow("cpu", "union-tree"), bodies, 0.01, {}); });
        return made;
    };
    const auto refused = [](const char* what, const auto& work) { EXPECT_THROW(work(), OutOfMemoryError) << what; };
    const auto done = [](const char* what, const auto& work) { EXPECT_NO_THROW(work()) << what; };
    {
        const FreeMemory little(100000);
        EXPECT_FALSE(all(refused)) << "a run makes no bodies before it is refused";
        EXPECT_EQ(cpu->activeKernel().name, "simd-threads");
        EXPECT_EQ(cpu->size(), bodies.size());
        EXPECT_NO_THROW(cpu->load(bodies)) << "as many as before";
        EXPECT_THAT([&] { decodeSnapshot(file, "many.tipsy"); },
                    testing::ThrowsMessage<InputError>(testing::HasSubstr("many.tipsy: its bodies need")));
    }
    const FreeMemory enough(1e9);
    EXPECT_TRUE(all(done));
    EXPECT_EQ(decodeSnapshot(file, "many.tipsy").bodies.size(), bodies.size());
}

// Times of memories: the ring that a chain of reads follows, pieces of memory at a stride, and the rows of a probe.

using testing::HasSubstr;

TEST(MemoryProbe, aRingVisitsEveryPlaceOnceBeforeItReturns) {
    for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{128}, std::uint64_t{1} << 16}) {
        std::vector<bool> seen(count);
        std::uint64_t at = 0;
        for (std::uint64_t step = 0; step < count; ++step) {
            ASSERT_FALSE(seen[at]) << at << " of " << count;
            seen[at] = true;
            at = nextInRing(at, count);
        }
        EXPECT_EQ(at, 0u);
    }
}

/// 32 lanes read 128 bytes: four sectors side by side, and a sector each from a stride of eight numbers on.
TEST(MemoryProbe, countsThePiecesOfAStride) {
    const int sectors[] = {4, 8, 12, 16, 32, 32, 32};
    for (std::size_t k = 0; k < std::size(kStrides); ++k) EXPECT_EQ(unitsOfStride(kStrides[k], 32), sectors[k]);
    EXPECT_EQ(unitsOfStride(1, 64), 2);
    EXPECT_EQ(unitsOfStride(16, 64), 32);
}

TEST(MemoryProbe, measuresOneRowACallAndPrintsAllOfThem) {
    const std::unique_ptr<MemoryProbe> probe = memoryProbe("cpu", {});
    MemoryTimes times;
    std::size_t calls = 1;
    for (; probe->measure(times); ++calls)
        ASSERT_EQ(times.latencies.size() + times.strides.size() + times.passes.size(), calls);
    EXPECT_EQ(calls, probe->rows());
    EXPECT_EQ(times.strides.size(), std::size(kStrides));
    const auto isTime = [](double value) { return std::isfinite(value) && value > 0; };
    for (const MemoryLatency& row : times.latencies) EXPECT_TRUE(isTime(row.nanoseconds)) << row.from;
    for (const StridedRead& row : times.strides) {
        EXPECT_TRUE(isTime(row.useful)) << row.stride;
        EXPECT_NEAR(row.moved / row.useful, row.units * times.unitBytes / 128, 1e-6 * row.moved / row.useful) << row.stride;
    }
    const std::string text = memoryText(times);
    for (const MemoryLatency& row : times.latencies) EXPECT_THAT(text, HasSubstr(std::string(row.from)));
    EXPECT_THAT(text, HasSubstr("lines of 64 B for 32 reads"));
    const auto json = nlohmann::json::parse(memoryJson(times));
    EXPECT_EQ(json["latencies"].size(), times.latencies.size());
    EXPECT_EQ(json["strides"].back()["stride"], 32);
    EXPECT_EQ(json["device"], times.device);
}

/// The lab measures a row a frame, stops when it is cancelled, and keeps what was measured.
TEST(MemoryProbe, isMeasuredByTheLabBesideTheFrames) {
    Lab lab;
    LabSubject subject{.backend = "reference"};
    lab.startMemory(subject);
    ASSERT_TRUE(lab.busy()) << "a backend without memories of its own leaves them to the CPU: " << lab.status();
    int quiet = 0;
    for (int frame = 0; frame < 2; ++frame) lab.advance(0.02, [&] { ++quiet; });
    EXPECT_EQ(quiet, 2);
    EXPECT_EQ(lab.memory().latencies.size(), 2u);
    EXPECT_GT(lab.progress(), 0);
    EXPECT_THAT(lab.status(), HasSubstr("row 2 of"));
    lab.cancel();
    EXPECT_FALSE(lab.busy());
    EXPECT_EQ(lab.memory().latencies.size(), 2u);
}

TEST(MemoryProbe, refusesABackendWithoutMemoriesOfItsOwn) { EXPECT_THROW(memoryProbe("reference", {}), UsageError); }

// Memory for many bodies: touched by all threads, without other changes.

constexpr std::size_t kManyNumbers = (std::size_t{48} << 20) / sizeof(std::uint32_t) + 3;

TEST(Pages, whatIsThereStaysAndTheRestIsZero) {
    std::vector<std::uint32_t> values(1000);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i + 1;
    resizeTouched(values, kManyNumbers);
    ASSERT_EQ(values.size(), kManyNumbers);
    for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(values[i], i + 1);
    EXPECT_TRUE(std::all_of(values.begin() + 1000, values.end(), [](std::uint32_t value) { return value == 0; }));
    // Existing room is not allocated again, and its content is not touched.
    std::fill(values.begin(), values.end(), 7u);
    const std::uint32_t* before = values.data();
    resizeTouched(values, kManyNumbers / 2);
    resizeTouched(values, kManyNumbers - 1);
    EXPECT_EQ(values.data(), before);
    EXPECT_EQ(values.front(), 7u);
    EXPECT_EQ(values[kManyNumbers / 2 - 1], 7u);
    EXPECT_EQ(values[kManyNumbers - 2], 0u);
}

TEST(Pages, nothingBesideTheGivenMemoryIsWritten) {
    std::vector<std::uint8_t> memory(std::size_t{40} << 20, 9);
    const std::size_t from = 12345, bytes = (std::size_t{33} << 20) + 77;
    touchPages(memory.data() + from, bytes);
    for (std::size_t i = 0; i < from; ++i) ASSERT_EQ(memory[i], 9);
    for (std::size_t i = from + bytes; i < memory.size(); ++i) ASSERT_EQ(memory[i], 9);
    EXPECT_TRUE(std::ranges::any_of(memory, [](std::uint8_t value) { return value == 0; }));
    EXPECT_NO_FATAL_FAILURE(touchPages(nullptr, 0));
    std::ranges::fill(memory, std::uint8_t{9});
    dropPages(memory.data() + from, bytes);
    for (std::size_t i = 0; i < from; ++i) ASSERT_EQ(memory[i], 9);
    for (std::size_t i = from + bytes; i < memory.size(); ++i) ASSERT_EQ(memory[i], 9);
    EXPECT_GT(std::ranges::count(memory, 0), std::ssize(memory) / 2) << "pages that the system has taken back";
}

}  // namespace
}  // namespace gravlab
