// Rules for every format: round trips, recognition by content, refusals that leave nothing behind, bounded memory.
#include "sim/api/errors.h"
#include "sim/backends/few_body.h"
#include "sim/forces/law.h"
#include "sim/io/formats/byte_order.h"
#include "sim/io/snapshot.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/paths.h"
#include "tests/unit/io_support.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <set>
#include <span>

namespace gravlab {
namespace {

using io_test::refused;
using io_test::sameBodies;
using io_test::sample;
using io_test::TempFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

bool usable(const FileFormat& format) { return format.unavailable().empty(); }

TEST(FileFormats, TheTableIsWhole) {
    std::set<std::string_view> names, extensions;
    for (const FileFormat& format : fileFormats()) {
        EXPECT_TRUE(names.insert(format.name).second) << format.name;
        EXPECT_FALSE(format.idea.empty());
        EXPECT_TRUE(format.read || format.write);
        ASSERT_FALSE(format.extensions.empty());
        for (std::string_view extension : format.extensions) {
            EXPECT_TRUE(extensions.insert(extension).second) << extension;
            EXPECT_EQ(hasSnapshotExtension(std::string("a").append(extension)), format.read != nullptr);
        }
    }
    for (const char* needed : {".csv", ".tab", ".tipsy", ".hdf5", ".ply", ".gadget", ".gadget1"})
        EXPECT_TRUE(extensions.contains(needed)) << needed;
    EXPECT_EQ(&fileFormat("csv"), &formatForWriting("x.CSV"));
    EXPECT_THROW(fileFormat("cvs"), UsageError);
    for (const char* bad : {"x", "x.", "x.xyz", ".csv", "", "csv"}) EXPECT_THROW(formatForWriting(bad), UsageError) << bad;
}

TEST(Snapshot, EveryFormatRoundTripsUnderAnyName) {
    const TempFolder folder;
    for (const FileFormat& format : fileFormats()) {
        if (!usable(format) || !format.write || !format.read) continue;
        for (std::size_t bodies : {1u, 3u, 1000u}) {
            Snapshot snapshot = sample(bodies, true);
            const auto path = folder / ("a b" + std::string(format.extensions.front()));
            writeSnapshot(path, snapshot);
            std::filesystem::rename(path, folder / "no-extension \xc3\xa4");
            Snapshot back = readSnapshot(folder / "no-extension \xc3\xa4");
            if (format.name == "tipsy" || format.name.starts_with("gadget")) back.bodies.group.assign(bodies, 0);
            EXPECT_TRUE(sameBodies(back.bodies, snapshot.bodies)) << format.name;
            EXPECT_EQ(back.format, format.name == "tab" ? "csv" : format.name == "gadget1" ? "gadget" : format.name);
            EXPECT_EQ(encodeSnapshot(snapshot, format.name), contentOf(folder / "no-extension \xc3\xa4"));
        }
    }
}

TEST(Snapshot, RadiiAndSpinsAreKeptOrNamed) {
    Snapshot snapshot = sample(6, true);
    snapshot.bodies.surface.resize(6);
    for (std::size_t i = 1; i < 6; ++i) snapshot.bodies.surface[i] = {0.1 * static_cast<double>(i), {0.3, -1.0 / 3, 7}};
    for (const FileFormat& format : fileFormats()) {
        if (!usable(format) || !format.write || !format.read) continue;
        const std::string bytes = encodeSnapshot(snapshot, format.name);
        const bool named = !lostIn(format, snapshot).empty() && lostIn(format, snapshot).front() == "the radii and spins";
        ReadOptions half{.part = {.every = 2}};
        const Snapshot back = decodeSnapshot(bytes, "back"), part = decodeSnapshot(bytes, "back", half);
        if (named) {
            EXPECT_TRUE(back.bodies.surface.empty()) << format.name;
            continue;
        }
        EXPECT_EQ(back.bodies.surface, snapshot.bodies.surface) << format.name;
        ASSERT_EQ(part.bodies.surface.size(), 3u) << format.name;
        EXPECT_EQ(part.bodies.surface[2], snapshot.bodies.surface[4]) << format.name;
        EXPECT_THAT(part.notes, ::testing::Contains(HasSubstr("3 of 6 bodies, with their own masses and radii")));
    }
    snapshot.state = {{"contact.totals", {0, 1, 2}}};
    EXPECT_THAT(lostIn(fileFormat("csv"), snapshot), ::testing::ElementsAre("the totals of contacts"));
    snapshot.bodies.surface[3].radius = HUGE_VAL;
    EXPECT_THROW(encodeSnapshot(snapshot, "csv"), IoError);
}

// The comparison above must be able to fail.
TEST(Snapshot, TheComparisonBites) {
    const Snapshot a = sample(3);
    for (double Double4::*field : {&Double4::x, &Double4::y, &Double4::z, &Double4::w}) {
        Snapshot b = a, c = a;
        b.bodies.position[2].*field = std::nextafter(b.bodies.position[2].*field, 100);
        c.bodies.velocity[0].*field = std::nextafter(c.bodies.velocity[0].*field, 100);
        EXPECT_FALSE(sameBodies(a.bodies, b.bodies));
        EXPECT_FALSE(sameBodies(a.bodies, c.bodies));
    }
    Snapshot d = a;
    std::swap(d.bodies.id[0], d.bodies.id[1]);
    EXPECT_FALSE(sameBodies(a.bodies, d.bodies));
}

TEST(Snapshot, PlyIsAPointCloud) {
    Snapshot snapshot = sample(2, true);
    snapshot.bodies.position[1] = {1.5, -2, 3, 4};
    snapshot.bodies.group[1] = 9;
    const std::string bytes = encodeSnapshot(snapshot, "ply");
    EXPECT_THAT(bytes,
                AllOf(HasSubstr("ply\nformat binary_"), HasSubstr("element vertex 2\n"), HasSubstr("property float vz\n")));
    const std::size_t data = bytes.find("end_header\n") + 11;
    ASSERT_EQ(bytes.size(), data + 2 * 29);
    float second[7];
    std::memcpy(second, bytes.data() + data + 29, sizeof second);
    EXPECT_EQ(second[0], 1.5f);
    EXPECT_EQ(second[1], -2.0f);
    EXPECT_EQ(second[6], 4.0f);
    EXPECT_EQ(bytes.back(), 9);
    EXPECT_THAT(refused([&] { decodeSnapshot(bytes, "a.ply"); }), HasSubstr("only written"));
}

TEST(Snapshot, OtherFilesAreNamed) {
    using namespace std::string_view_literals;
    const struct {
        std::string_view bytes;
        const char* says;
    } cases[] = {
        {""sv, "empty"},
        {"\x1f\x8b\x08\x00 and more"sv, "gzip"},
        {"PK\x03\x04"sv, "zip"},
        {"SIMPLE  =                    T"sv, "FITS"},
        {"\xff\xfem\0,\0"sv, "UTF-16"},
        {"\x00\x01\x00\x00\x00\x00"sv, "Gadget-1"},
        {"\x89PNG\r\n"sv, "picture"},
        {"\x7f\x45LF\x02"sv, "program"},
        {"\x01\x02\x03\x04"sv, "none of the formats"},
        {"\0"sv, "none of the formats"},
    };
    for (const auto& test : cases)
        EXPECT_THAT(refused([&] { decodeSnapshot(test.bytes, "thing"); }), AllOf(HasSubstr(test.says), HasSubstr("thing")));
}

/// The bytes that numpy.save() writes.
std::string npy(const std::string& type, bool byColumns, const std::string& shape, std::span<const double> values) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': " + (byColumns ? "True" : "False") + ", 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    header += '\n';
    std::string bytes = "\x93NUMPY\x01";
    append<std::uint8_t>(bytes, std::uint8_t{0}, false);
    append<std::uint16_t>(bytes, static_cast<std::uint16_t>(header.size()), false);
    bytes += header;
    for (const double value : values) {
        if (type.ends_with("f4"))
            append<std::uint32_t>(bytes, static_cast<float>(value), type.starts_with('>'));
        else
            append<std::uint64_t>(bytes, value, type.starts_with('>'));
    }
    return bytes;
}

TEST(Snapshot, ArraysOfNumpyAreRowsOfBodies) {
    const double rows[] = {10, 1, 2, 3, 4, 5, 6, 0.5, -1, -2, -3, -4, -5, -6};
    double columns[std::size(rows)];
    for (std::size_t k = 0; k < std::size(rows); ++k) columns[k] = rows[k % 2 * 7 + k / 2];
    for (const char* type : {"<f8", ">f8", "<f4", ">f4"})
        for (const bool byColumns : {false, true}) {
            const Snapshot s = decodeSnapshot(npy(type, byColumns, "2, 7", byColumns ? columns : rows), "a.npy");
            ASSERT_EQ(s.bodies.size(), 2u) << type;
            EXPECT_EQ(s.bodies.position[0], (Double4{1, 2, 3, 10}));
            EXPECT_EQ(s.bodies.velocity[1], (Double4{-4, -5, -6, 1}));
        }
    const Snapshot places = decodeSnapshot(npy("<f8", false, "4, 3", std::span(rows).first(12)), "a.npy");
    EXPECT_EQ(places.bodies.position[1], (Double4{3, 4, 5, 0.25}));
    EXPECT_THAT(places.notes, Contains(HasSubstr("no masses: each body has 1/N")));
    EXPECT_FALSE(places.knowsVelocities);
    const auto refusal = [&](const std::string& bytes) { return refused([&] { decodeSnapshot(bytes, "a.npy"); }); };
    EXPECT_THAT(refusal(npy("<i8", false, "2, 7", rows)), HasSubstr("save floats"));
    EXPECT_THAT(refusal(npy("<f8", false, "14,", rows)), HasSubstr("a row of bodies has 3 numbers"));
    EXPECT_THAT(refusal(npy("<f8", false, "3, 7", rows)), HasSubstr("cut short?"));
    EXPECT_THAT(refusal(npy("<f8", false, "99999999999999999999, 7", rows)), HasSubstr("a row of bodies has 3 numbers"));
    const std::string whole = npy("<f8", false, "2, 7", rows);
    for (std::size_t length = 6; length < whole.size(); ++length)
        EXPECT_THAT(refusal(whole.substr(0, length)), Not(testing::IsEmpty())) << length;
}

TEST(Snapshot, BadPathsAreRefusedAtOnce) {
    const TempFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::filesystem::create_symlink("loop", folder / "loop");
    put(folder / "file", "x");
    const struct {
        std::filesystem::path path;
        const char* says;
    } cases[] = {
        {folder / "pipe", "a pipe"},
        {folder.path(), "a folder"},
        {folder / "none.csv", "No such file"},
        {folder / "file/none.csv", "Not a directory"},
        {folder / "loop", "symbolic link"},
        {folder / std::string(5000, 'n'), "too long"},
        {"/dev/null", "a device"},
        {"/dev/zero", "a device"},
        {"/proc/self/status", "proc"},
        {"/proc/self/mem", "no file of bytes"},
        {"", "empty"},
        {std::string("a\0b", 3), "zero byte"},
    };
    for (const auto& test : cases) EXPECT_THAT(refused([&] { readSnapshot(test.path); }), HasSubstr(test.says)) << test.path;
}

TEST(Snapshot, NothingIsWrittenOnFailure) {
    const TempFolder folder;
    const Snapshot good = sample(10);
    for (const FileFormat& format : fileFormats()) {
        if (!usable(format) || !format.write) continue;
        const auto path = folder / ("keep" + std::string(format.extensions.front()));
        put(path, "old");
        Snapshot bad = good;
        bad.bodies.velocity[9].z = std::nan("");
        EXPECT_THROW(writeSnapshot(path, bad), IoError);
        EXPECT_THROW(writeSnapshot(path, Snapshot{}), UsageError);
        bad = good;
        bad.time = HUGE_VAL;
        EXPECT_THROW(writeSnapshot(path, bad), IoError);
        EXPECT_EQ(contentOf(path), "old");
        std::filesystem::remove(path);
    }
    EXPECT_THROW(writeSnapshot(folder / "a.unknown", good), UsageError);
    EXPECT_THROW(writeSnapshot(folder / "none/a.csv", good), IoError);
    EXPECT_THROW(writeSnapshot("/dev/full", good, {.format = "csv"}), IoError);
    EXPECT_EQ(folder.entries(), 0u);
    Snapshot crooked = good;
    crooked.bodies.id.pop_back();
    EXPECT_THROW(encodeSnapshot(crooked, "csv"), std::logic_error);
    for (const char* name : {"", ".", "..", "a/b", "a b"}) {
        Snapshot named = good;
        named.state = {{name, {1}}};
        EXPECT_THROW(encodeSnapshot(named, "csv"), std::logic_error) << name;
    }
}

TEST(Snapshot, KeepsThePreviousFile) {
    const TempFolder folder;
    writeSnapshot(folder / "a.csv", sample(1));
    writeSnapshot(folder / "a.csv", sample(2), {.keepPrevious = true});
    EXPECT_EQ(readSnapshot(folder / "a.csv").bodies.size(), 2u);
    EXPECT_EQ(readSnapshot(folder / "a_prev.csv").bodies.size(), 1u);
}

TEST(Snapshot, WritesATableToStandardOutput) {
    const TempFolder folder;
    ::fflush(stdout);
    const int saved = ::dup(STDOUT_FILENO);
    const int file = ::open((folder / "out").c_str(), O_CREAT | O_WRONLY, 0600);
    ::dup2(file, STDOUT_FILENO);
    writeSnapshot("-", sample(4));
    ::dup2(saved, STDOUT_FILENO);
    ::close(saved);
    ::close(file);
    EXPECT_TRUE(sameBodies(readSnapshot(folder / "out").bodies, sample(4).bodies));
}

// ---- memory
// -----------------------------------------------------------------------------------------------------------------

/// Peak resident memory of a child that tries to read `path`, less that of a child that reads nothing, in MiB; -1 if it was
/// accepted.
double growthInMiB(const std::filesystem::path& path) {
    long peak[2] = {0, 0};
    for (int attempt = 0; attempt < 2; ++attempt) {
        const pid_t child = ::fork();
        if (child == 0) {
            int code = 0;
            if (attempt == 1) {
                try {
                    readSnapshot(path);
                    code = 1;
                } catch (const InputError&) {
                } catch (...) {
                    code = 2;
                }
            }
            ::_exit(code);
        }
        int status = 0;
        rusage used{};
        ::wait4(child, &status, 0, &used);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return -1;
        peak[attempt] = used.ru_maxrss;
    }
    return static_cast<double>(peak[1] - peak[0]) / 1024;
}

void append(std::string& to, std::uint32_t word) { to.append(reinterpret_cast<const char*>(&word), sizeof word); }

TEST(Snapshot, HostileCountsCostNoMemory) {
    const TempFolder folder;
    const std::uint32_t counts[] = {0, 1, 0x7fffffff, 0x80000000u, 0xffffffffu, 28u, 1000000000u};
    for (std::uint32_t count : counts) {
        std::string tipsy(8, '\0');
        for (std::uint32_t word : {count, 3u, 0u, count, 0u, 0u}) append(tipsy, word);
        put(folder / "t", tipsy + std::string(100, 'x'));
        const double growth = growthInMiB(folder / "t");
        EXPECT_GE(growth, 0) << count;
        EXPECT_LT(growth, 64) << count;
    }
    // A table with a single line without an end.
    put(folder / "line", "m,x,y,z\n" + std::string(20 << 20, '1'));
    EXPECT_LT(growthInMiB(folder / "line"), 8);
    EXPECT_GE(growthInMiB(folder / "line"), 0);
    // A file that declares a terabyte and has it, as a hole: text readers stop at once, tipsy refuses a count of 0.
    put(folder / "hole", "m,x,y,z\n1,2,3,4\n");
    ASSERT_EQ(::truncate((folder / "hole").c_str(), off_t{1} << 40), 0);
    EXPECT_LT(growthInMiB(folder / "hole"), 8);
    EXPECT_GE(growthInMiB(folder / "hole"), 0);
}

// Exact continuation under every law, with charges of both signs and individual responses: a file keeps everything that the
// engine for few bodies needs.

ParticleSet charges() {
    ParticleSet bodies = io_test::sample(9).bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (i % 2) bodies.position[i].w *= -1;
        bodies.velocity[i].w = 1.0 / static_cast<double>(i + 2);
    }
    return bodies;
}

/// Writes a checkpoint and reads it back.
Snapshot stored(const FewBody& system, const ParticleSet& like) {
    Snapshot snapshot;
    snapshot.bodies = like;
    system.store(snapshot.bodies);
    snapshot.state = system.state();
    snapshot.signedSources = true;
    snapshot.settings = "seed = 1\n";
    return decodeSnapshot(encodeSnapshot(snapshot, "hdf5"), "laws");
}

TEST(ResumeOf, everyLawAndIntegratorOfFewBodies) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ParticleSet start = charges();
    int compared = 0;
    for (const LawRow& lawRow : laws())
        for (const Integrator& integratorRow : integrators()) {
            if (needsJerk(integratorRow.program) && lawRow.law != Law::gravity) continue;
            SCOPED_TRACE(std::string(lawRow.name) + " " + std::string(integratorRow.name));
            const ForceSettings force{.law = lawRow.law, .precision = Precision::fp64, .softening = 0.5, .exponent = 1.5};
            const double timeStep = 1e-3;
            FewBody whole, first, second;
            for (FewBody* system : {&whole, &first}) {
                system->configure(force);
                system->load(start);
            }
            whole.advance(integratorRow.program, timeStep, {.steps = 20});
            first.advance(integratorRow.program, timeStep, {.steps = 11});
            const Snapshot saved = stored(first, start);
            second.configure(force);
            second.load(saved.bodies);
            if (!saved.state.empty()) {
                EXPECT_TRUE(second.restore(saved.state));
            }
            EXPECT_EQ(saved.state.empty(), !isAdaptive(integratorRow.program));
            second.advance(integratorRow.program, timeStep, {.steps = 9});
            ParticleSet got = start, want = start;
            second.store(got);
            whole.store(want);
            EXPECT_TRUE(io_test::sameBodies(got, want));
            ++compared;
        }
    EXPECT_GE(compared, 30);
}

TEST(ResumeOf, stateThatDoesNotFitIsLeftOut) {
    FewBody system;
    system.load(charges());
    system.advance(integrator("radau15").program, 0.01, {.steps = 2});
    const std::vector<StateArray> good = system.state();
    EXPECT_TRUE(system.restore(good));
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::vector<StateArray> bad = good;
        bad[i].values.pop_back();
        EXPECT_FALSE(system.restore(bad)) << bad[i].name;
        bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(system.restore(bad)) << "without " << good[i].name;
    }
    std::vector<StateArray> endless = good;
    endless.back().values[0] = 0;
    EXPECT_FALSE(system.restore(endless)) << "a step of no length never ends";
    system.advance(integrator("radau15").program, 0.01, {.steps = 1});
}

// Every input that a fuzzer found or started from, replayed in each run of the tests. Files of earlier builds stay readable.

TEST(Corpus, EveryInputKeepsThePromises) {
    for (const fuzz::Target& target : fuzz::kTargets) {
        const std::filesystem::path folder = std::filesystem::path(GRAVLAB_SOURCE_DIR) / "tests/fuzz/corpus" / target.name;
        int inputs = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            SCOPED_TRACE(entry.path());
            const std::string bytes = contentOf(entry.path());
            target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
            ++inputs;
        }
        EXPECT_GT(inputs, 0) << folder;
    }
}

// tests/data/figure-eight.* were written by the first version of these writers.
TEST(StoredFiles, StayReadable) {
    for (const char* extension : {"csv", "tab", "tipsy", "hdf5"}) {
        if (!formatForWriting(std::string("x.") + extension).unavailable().empty()) continue;
        SCOPED_TRACE(extension);
        const auto path =
            std::filesystem::path(GRAVLAB_SOURCE_DIR) / "tests/data" / (std::string("figure-eight.") + extension);
        const Snapshot s = readSnapshot(path);
        const double tolerance = extension == std::string_view("tipsy") ? 1e-7 : 1e-16;
        ASSERT_EQ(s.bodies.size(), 3u);
        EXPECT_NEAR(s.bodies.position[0].x, 0.970004356697333440, tolerance);
        EXPECT_NEAR(s.bodies.position[1].y, 0.243087531535848862, tolerance);
        EXPECT_NEAR(s.bodies.velocity[2].y, -0.864731460921005956, tolerance);
        EXPECT_EQ(s.bodies.position[2].w, 1);
        if (extension != std::string_view("hdf5")) continue;
        EXPECT_EQ(s.step, 1000);
        EXPECT_EQ(s.time, 1.0);
        EXPECT_EQ(s.timeStep, 0.001);
        EXPECT_EQ(s.seed, 1u);
        EXPECT_EQ(s.settings, "scene = \"figure-eight\"\nintegrator = \"leapfrog\"\n");
        EXPECT_EQ(s.state, (std::vector<StateArray>{{"example", {0.5, 0.25}}}));
        EXPECT_EQ(s.bodies.group, (std::vector<std::uint8_t>{0, 0, 1}));
    }
}

}  // namespace
}  // namespace gravlab
