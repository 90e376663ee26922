// Checkpoints are restored bit by bit, other programs' Gadget files are read, and damaged or false files are refused.
#if defined(GRAVLAB_HAS_HDF5)
#include "sim/api/errors.h"
#include "sim/core/work_watch.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/formats.h"
#include "sim/io/snapshot.h"
#include "tests/unit/io_support.h"

#include <gmock/gmock.h>
#include <hdf5.h>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

namespace gravlab {
namespace {

using io_test::fullCheckpoint;
using io_test::refused;
using io_test::sameBits;
using io_test::sameBodies;
using io_test::sameSnapshot;
using io_test::sample;
using io_test::TempFolder;
using ::testing::HasSubstr;

Snapshot decodedHdf5(std::string_view bytes, const ReadOptions& options = {}) {
    return decodeSnapshot(bytes, "t.hdf5", options);
}

TEST(Gadget, ACheckpointComesBackToTheBit) {
    const TempFolder folder;
    for (std::size_t bodies : {1u, 2u, 1000u, 70001u}) {
        const Snapshot snapshot = fullCheckpoint(bodies);
        writeSnapshot(folder / "run.hdf5", snapshot);
        for (const Snapshot& back : {readSnapshot(folder / "run.hdf5"), decodedHdf5(encodeSnapshot(snapshot, "hdf5"))}) {
            EXPECT_TRUE(sameSnapshot(back, snapshot));
            EXPECT_TRUE(back.isCheckpoint());
            EXPECT_TRUE(back.knowsIds && back.knowsGroups == (bodies > 1) && back.knowsVelocities);
            EXPECT_TRUE(back.notes.empty());
        }
    }
}

TEST(Gadget, partsHaveTheBodiesOfTheWholeInTheSameUnits) {
    const Snapshot written = fullCheckpoint(70001);
    for (ReadOptions options : {ReadOptions{}, ReadOptions{.gravity = 3.0}, ReadOptions{.part = {.every = 3}}}) {
        const std::string bytes = encodeSnapshot(written, "hdf5");
        const Snapshot whole = decodedHdf5(bytes, options);
        std::size_t seen = 0;
        std::int64_t told = 0;
        options.keepsState = false;
        options.parts = [&](const Snapshot& part, std::uint64_t first) {
            ASSERT_EQ(first, seen);
            EXPECT_EQ(part.fileUnits, whole.fileUnits);
            for (std::size_t i = 0; i < part.bodies.size(); ++i, ++seen)
                ASSERT_TRUE(sameBits(part.bodies.position[i], whole.bodies.position[seen]) &&
                            sameBits(part.bodies.velocity[i], whole.bodies.velocity[seen]) &&
                            part.bodies.group[i] == whole.bodies.group[seen]);
        };
        const WorkWatch progress([&](const char*, std::int64_t done, std::int64_t) { told = done; });
        const WorkWatch silent({}, {}, [] { return false; });
        const Snapshot rest = decodedHdf5(bytes, options);
        EXPECT_EQ(seen, whole.bodies.size());
        EXPECT_EQ(rest.bodies.id, whole.bodies.id);
        EXPECT_EQ(told, 70001) << "a watch without a listener hides no progress";
        ASSERT_EQ(rest.state.size(), whole.state.size());
        for (const StateArray& array : rest.state) EXPECT_TRUE(array.values.empty() || !options.part.whole());
    }
}

TEST(Gadget, WhatIsUnknownStaysUnknown) {
    const Snapshot back = decodedHdf5(encodeSnapshot(sample(3), "hdf5"));
    EXPECT_FALSE(back.step || back.time || back.timeStep || back.stepOrigin || back.timeOrigin || back.softening ||
                 back.seed);
    EXPECT_FALSE(back.isCheckpoint());
    EXPECT_TRUE(back.state.empty());
}

TEST(Gadget, SameStateSameBytesAndFloatsTakeHalf) {
    const std::string doubles = encodeSnapshot(fullCheckpoint(5000), "hdf5");
    EXPECT_EQ(doubles, encodeSnapshot(fullCheckpoint(5000), "hdf5"));
    const Snapshot floats = sample(5000, true);
    const std::string bytes = encodeSnapshot(floats, "hdf5");
    EXPECT_LT(bytes.size(), 5000u * 40);
    EXPECT_TRUE(sameBodies(decodedHdf5(bytes).bodies, floats.bodies));
}

TEST(Gadget, BlocksOfOneValueTakeNoBytes) {
    constexpr std::size_t kBodies = 200000, kOthers = 1000;
    Snapshot many = sample(kBodies, true);
    for (std::size_t i = kOthers; i < kBodies; ++i) many.bodies.position[i].w = 0.25, many.bodies.group[i] = 2;
    const std::string bytes = encodeSnapshot(many, "hdf5");
    EXPECT_LT(bytes.size(), kBodies * 28 + (std::size_t{5} << 16) + 20000) << "six numbers, an id, and one block of masses";
    EXPECT_EQ(bytes, encodeSnapshot(many, "hdf5"));
    EXPECT_TRUE(sameBodies(decodedHdf5(bytes).bodies, many.bodies));
}

TEST(Gadget, CutAnywhereIsRefused) {
    const std::string bytes = encodeSnapshot(fullCheckpoint(3), "hdf5");
    for (std::size_t cut = 0; cut < bytes.size(); ++cut)
        EXPECT_THROW(decodedHdf5(std::string_view(bytes).substr(0, cut)), InputError) << cut << " of " << bytes.size();
    EXPECT_THROW(decodedHdf5(bytes + "x"), InputError);
    // Also through a file, where the library itself reads.
    const TempFolder folder;
    for (std::size_t cut = 0; cut < bytes.size(); cut += 97) {
        put(folder / "cut", bytes.substr(0, cut));
        EXPECT_THROW(readSnapshot(folder / "cut"), InputError) << cut;
    }
}

TEST(Gadget, EveryFlippedBitIsRefused) {
    const std::string bytes = encodeSnapshot(fullCheckpoint(3), "hdf5");
    std::string flipped = bytes;
    for (std::size_t bit = 0; bit < bytes.size() * 8; bit += bit < 4096 ? 1 : 3) {
        const char mask = static_cast<char>(1 << bit % 8);
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ mask);
        EXPECT_THROW(decodedHdf5(flipped), InputError) << bit;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ mask);
    }
    EXPECT_TRUE(sameSnapshot(decodedHdf5(flipped), fullCheckpoint(3))) << "the loop must leave the bytes as they were";
}

// ---- files of other programs
// ------------------------------------------------------------------------------------------------

/// Writes what a test needs and nothing else. Handles are closed in the destructor of the file by the library's strong
/// close.
class Foreign {
public:
    explicit Foreign(const std::filesystem::path& path) {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
        file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
        H5Pclose(access);
    }
    ~Foreign() { H5Fclose(file_); }
    Foreign(const Foreign&) = delete;
    Foreign& operator=(const Foreign&) = delete;

    hid_t file() const { return file_; }
    hid_t group(const char* name) const { return H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT); }
    template <class Value>
    void attribute(hid_t at, const char* name, hid_t type, hid_t memory, const std::vector<Value>& values) const {
        const hsize_t n = values.size();
        const hid_t space = H5Screate_simple(1, &n, nullptr);
        const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, memory, values.data());
        H5Aclose(attribute);
        H5Sclose(space);
    }
    void attribute(hid_t at, const char* name, double value) const {
        attribute<double>(at, name, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, {value});
    }
    void counts(hid_t header, const std::vector<std::int64_t>& values, hid_t type = H5T_STD_I32BE) const {
        attribute(header, "NumPart_ThisFile", type, H5T_NATIVE_INT64, values);
    }
    void set(hid_t at, const char* name, hid_t type, const std::vector<hsize_t>& extent, const std::vector<double>& values,
             hid_t layout = H5P_DEFAULT) const {
        const hid_t space = H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
        const hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
        if (!values.empty()) H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Dclose(set);
        H5Sclose(space);
    }

private:
    hid_t file_;
};

std::vector<double> ramp(std::size_t n, double from) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = from + 0.5 * static_cast<double>(i);
    return values;
}

TEST(Gadget, ReadsAForeignFile) {
    const TempFolder folder;
    {
        const Foreign f(folder / "snap");
        const hid_t header = f.group("Header");
        f.counts(header, {2, 0, 0, 0, 3, 0});
        f.attribute<double>(header, "MassTable", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {0.25, 0, 0, 0, 0, 0});
        f.attribute(header, "Time", 0.5);
        const hid_t gas = f.group("PartType0"), stars = f.group("PartType4");
        f.set(gas, "Coordinates", H5T_IEEE_F32BE, {2, 3}, ramp(6, 1));
        f.set(gas, "Velocities", H5T_IEEE_F32LE, {2, 3}, ramp(6, 10));
        f.set(gas, "ParticleIDs", H5T_STD_U64LE, {2}, {8, 9});
        const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
        const hsize_t chunk[2] = {2, 3};
        H5Pset_chunk(chunked, 2, chunk);
        H5Pset_shuffle(chunked);
        H5Pset_deflate(chunked, 4);
        f.set(stars, "Coordinates", H5T_IEEE_F64LE, {3, 3}, ramp(9, 100), chunked);
        f.set(stars, "Velocities", H5T_IEEE_F64BE, {3, 3}, ramp(9, 200));
        f.set(stars, "Masses", H5T_IEEE_F32LE, {3}, ramp(3, 4));
        f.set(stars, "ParticleIDs", H5T_STD_U32BE, {3}, {1, 2, 3});
        H5Pclose(chunked);
    }
    const Snapshot s = readSnapshot(folder / "snap");
    ASSERT_EQ(s.bodies.size(), 5u);
    EXPECT_EQ(s.time, 0.5);
    EXPECT_EQ(s.bodies.group, (std::vector<std::uint8_t>{0, 0, 4, 4, 4}));
    EXPECT_EQ(s.bodies.id, (std::vector<std::uint32_t>{8, 9, 1, 2, 3}));
    EXPECT_TRUE(io_test::sameBits(s.bodies.position[1], {2.5, 3, 3.5, 0.25}));
    EXPECT_TRUE(io_test::sameBits(s.bodies.velocity[1], {11.5, 12, 12.5, 1}));
    EXPECT_TRUE(io_test::sameBits(s.bodies.position[4], {103, 103.5, 104, 5}));
    EXPECT_TRUE(io_test::sameBits(s.bodies.velocity[2], {200, 200.5, 201, 1}));
    EXPECT_THAT(s.notes, ::testing::Contains(HasSubstr("states no units")));
    EXPECT_NEAR(readSnapshot(folder / "snap", {.units = "gadget"}).bodies.position[0].w, 0.25 * 43007.1, 1e-6);
}

/// A valid file with one type and `bodies` bodies; `change` may damage it.
template <class Change>
void makeForeign(const std::filesystem::path& path, const Change& change, std::int64_t claimed = 4) {
    const Foreign f(path);
    const hid_t header = f.group("Header");
    f.counts(header, {0, claimed}, H5T_STD_I64LE);
    const hid_t halo = f.group("PartType1");
    change(f, header, halo);
}
const auto kGood = [](const Foreign& f, hid_t, hid_t halo) {
    f.set(halo, "Coordinates", H5T_IEEE_F64LE, {4, 3}, ramp(12, 1));
    f.set(halo, "Velocities", H5T_IEEE_F64LE, {4, 3}, ramp(12, 1));
    f.set(halo, "Masses", H5T_IEEE_F64LE, {4}, ramp(4, 1));
};

TEST(Gadget, StatedUnitsAreConverted) {
    const TempFolder folder;
    makeForeign(folder / "a", [](const Foreign& f, hid_t header, hid_t halo) {
        kGood(f, header, halo);
        const hid_t units = f.group("Parameters");
        f.attribute(units, "UnitLength_in_cm", 3.085678e21);
        f.attribute(units, "UnitMass_in_g", 1.989e43);
        f.attribute(units, "UnitVelocity_in_cm_per_s", 1e5);
    });
    EXPECT_NEAR(readSnapshot(folder / "a").bodies.position[0].w / 43009, 1, 1e-3);
    makeForeign(folder / "b", [](const Foreign& f, hid_t header, hid_t halo) {
        kGood(f, header, halo);
        const hid_t units = f.group("Units");
        f.attribute(units, "Unit length in cgs (U_L)", 3.085678e21);
        f.attribute(units, "Unit mass in cgs (U_M)", 1.989e43);
        f.attribute(units, "Unit time in cgs (U_t)", 3.085678e16);
    });
    EXPECT_NEAR(readSnapshot(folder / "b").bodies.position[0].w / 43009, 1, 1e-3);
}

TEST(Gadget, UnitsAreOverHubbleParamUnlessItIsIgnored) {
    const TempFolder folder;
    makeForeign(folder / "h", [](const Foreign& f, hid_t header, hid_t halo) {
        kGood(f, header, halo);
        f.attribute(header, "HubbleParam", 0.7);
    });
    ReadOptions options{.units = "gadget"};
    const Snapshot over = readSnapshot(folder / "h", options);
    EXPECT_NEAR(over.fileUnits.metres / 3.0856775814913673e19, 1 / 0.7, 1e-9);
    EXPECT_THAT(over.notes, testing::Contains(testing::HasSubstr("HubbleParam = 0.7: lengths are read as kpc/0.7")));
    const SceneUnits shown = shownUnits(over.fileUnits);
    EXPECT_EQ(shown.length, "kpc");
    EXPECT_NEAR(shown.lengthScale, 1 / 0.7, 1e-9);
    options.ignoreHubble = true;
    const Snapshot plain = readSnapshot(folder / "h", options);
    EXPECT_NEAR(plain.fileUnits.metres / 3.0856775814913673e19, 1, 1e-9);
    EXPECT_EQ(plain.bodies.position[0].w, over.bodies.position[0].w) << "G = 1 is the same in both";

    // Bodies written in those units are read as the same bodies.
    TempFolder out;
    writeSnapshot(out / "h.csv", over);
    const Snapshot again = readSnapshot(out / "h.csv");
    EXPECT_NEAR(again.bodies.position[0].w / over.bodies.position[0].w, 1, 1e-6);
    EXPECT_NEAR(again.fileUnits.metres / over.fileUnits.metres, 1, 1e-9);
    // GADGET-4 has its parameters in a group of their own.
    makeForeign(folder / "four", [](const Foreign& f, hid_t header, hid_t halo) {
        kGood(f, header, halo);
        f.attribute(header, "Time", 1.0);
        f.attribute(f.group("Parameters"), "HubbleParam", 0.5);
    });
    options.ignoreHubble = false;
    EXPECT_NEAR(readSnapshot(folder / "four", options).fileUnits.metres / 3.0856775814913673e19, 2, 1e-9);
    EXPECT_THAT(readSnapshot(folder / "four").notes,
                testing::Contains(testing::HasSubstr("HubbleParam = 0.5: with --units")));
    makeForeign(folder / "wrong", [](const Foreign& f, hid_t header, hid_t halo) {
        kGood(f, header, halo);
        f.attribute(header, "HubbleParam", -1.0);
    });
    EXPECT_THROW(readSnapshot(folder / "wrong"), InputError);
}

/// File `number` of a snapshot in three: 4, 0 and 4 bodies.
void makePart(const std::filesystem::path& path, int number, std::int64_t whole = 8, double time = 2) {
    const Foreign f(path);
    const hid_t header = f.group("Header");
    const std::int64_t here = number == 1 ? 0 : 4;
    f.counts(header, {0, here}, H5T_STD_I32LE);
    f.attribute<double>(header, "NumPart_Total", H5T_STD_U32LE, H5T_NATIVE_DOUBLE, {0, static_cast<double>(whole)});
    f.attribute(header, "NumFilesPerSnapshot", 3);
    f.attribute(header, "Time", time);
    if (here == 0) return;
    const hid_t halo = f.group("PartType1");
    f.set(halo, "Coordinates", H5T_IEEE_F64LE, {4, 3}, ramp(12, 100 * number));
    f.set(halo, "Velocities", H5T_IEEE_F64LE, {4, 3}, ramp(12, 1));
    f.set(halo, "Masses", H5T_IEEE_F64LE, {4}, ramp(4, 1));
    f.set(halo, "ParticleIDs", H5T_STD_U32LE, {4}, {10.0 * number, 10.0 * number + 1, 10.0 * number + 2, 10.0 * number + 3});
}

TEST(Gadget, SeveralFilesAreReadWhole) {
    const TempFolder folder;
    const auto part = [&](int number) { return folder / ("snap_007." + std::to_string(number) + ".hdf5"); };
    for (int number = 0; number < 3; ++number) makePart(part(number), number);
    for (int number = 0; number < 3; ++number) {
        const Snapshot s = readSnapshot(part(number));
        ASSERT_EQ(s.bodies.size(), 8u) << "whichever of them is opened";
        EXPECT_EQ(s.bodies.id, (std::vector<std::uint32_t>{0, 1, 2, 3, 20, 21, 22, 23}));
        EXPECT_EQ(s.bodies.position[4].x, 200);
        EXPECT_EQ(s.time, 2);
        EXPECT_THAT(s.notes, ::testing::Contains(HasSubstr("3 in all")));
    }
    for (int number = 0; number < 3; ++number)
        EXPECT_THROW(AtomicFile{part(number)}, UsageError) << "all of them are read: " << number;
    std::filesystem::rename(part(1), folder / "elsewhere");
    EXPECT_THAT(io_test::refused([&] { readSnapshot(part(2)); }), HasSubstr("missing beside it: snap_007.1.hdf5"));
    std::filesystem::rename(folder / "elsewhere", part(1));
    std::filesystem::copy_file(part(2), folder / "alone.hdf5");
    EXPECT_THAT(io_test::refused([&] { readSnapshot(folder / "alone.hdf5"); }),
                HasSubstr("does not show which the others are"));
    std::filesystem::remove(part(2));
    makePart(part(2), 2, 8, 3);
    EXPECT_THAT(io_test::refused([&] { readSnapshot(part(0)); }), HasSubstr("does not belong to the files before it"));
    std::filesystem::remove(part(2));
    makePart(part(2), 1);
    EXPECT_THAT(io_test::refused([&] { readSnapshot(part(0)); }), HasSubstr("hold 4 bodies, and their headers count 8"));
    std::filesystem::remove(part(2));
    std::ofstream(part(2)) << "m,x,y,z\n1,0,0,0\n";
    EXPECT_THAT(io_test::refused([&] { readSnapshot(part(0)); }), HasSubstr("is not an HDF5 file"));
    std::filesystem::remove(part(2));
    for (int how = 0; how < 3; ++how) {  // a link, another name, a copy
        if (how == 0) std::filesystem::create_symlink(part(0), part(2));
        if (how == 1) std::filesystem::create_hard_link(part(0), part(2));
        if (how == 2) std::filesystem::copy_file(part(0), part(2));
        EXPECT_THAT(io_test::refused([&] { readSnapshot(part(0)); }),
                    HasSubstr("snap_007.2.hdf5: has the bodies of another file of its snapshot"));
        std::filesystem::remove(part(2));
    }
    std::filesystem::create_symlink("/dev/zero", part(2));
    EXPECT_THAT(io_test::refused([&] { readSnapshot(part(0)); }), HasSubstr("a device"));
}

TEST(Gadget, LyingFilesAreRefused) {
    using Change = std::function<void(const Foreign&, hid_t, hid_t)>;
    const auto rest = [](const Foreign& f, hid_t halo) {
        f.set(halo, "Velocities", H5T_IEEE_F64LE, {4, 3}, ramp(12, 1));
        f.set(halo, "Masses", H5T_IEEE_F64LE, {4}, ramp(4, 1));
    };
    const TempFolder folder;
    const struct {
        const char* says;
        std::int64_t claimed;
        Change change;
    } cases[] = {
        {"not 5 rows", 5, kGood},
        {"holds no bodies", 0, kGood},
        {"negative", -1, kGood},
        {"not 2147483647 rows", 2147483647, kGood},
        {"more than the", 2147483648, kGood},
        {"more than the", std::int64_t{1} << 62, kGood},
        {"no Coordinates", 4, [&](const Foreign& f, hid_t, hid_t halo) { rest(f, halo); }},
        {"no Masses", 4,
         [](const Foreign& f, hid_t, hid_t halo) {
             f.set(halo, "Coordinates", H5T_IEEE_F64LE, {4, 3}, ramp(12, 1));
         }},
        {"not 4 rows of 3", 4,
         [&](const Foreign& f, hid_t, hid_t halo) {
             f.set(halo, "Coordinates", H5T_IEEE_F64LE, {4, 2}, ramp(8, 1));
             rest(f, halo);
         }},
        {"stores only 0", 4,
         [&](const Foreign& f, hid_t, hid_t halo) {
             f.set(halo, "Coordinates", H5T_IEEE_F64LE, {4, 3}, {});
             rest(f, halo);
         }},
        {"claims 2400000000 bytes", 100000000,
         [](const Foreign& f, hid_t, hid_t halo) {  // a hundred million rows of which no byte is stored
             const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
             const hsize_t chunk[2] = {1000, 3};
             H5Pset_chunk(layout, 2, chunk);
             f.set(halo, "Coordinates", H5T_IEEE_F64LE, {100000000, 3}, {}, layout);
             H5Pclose(layout);
         }},
        {"another file", 4,
         [&](const Foreign& f, hid_t, hid_t halo) {
             const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
             H5Pset_external(layout, "/etc/passwd", 0, 96);
             f.set(halo, "Coordinates", H5T_IEEE_F64LE, {4, 3}, {}, layout);
             H5Pclose(layout);
             rest(f, halo);
         }},
        {"link to another place", 4,
         [&](const Foreign&, hid_t, hid_t halo) {
             H5Lcreate_external("/etc/passwd", "/x", halo, "Coordinates", H5P_DEFAULT, H5P_DEFAULT);
         }},
        {"link to another place", 4,
         [&](const Foreign& f, hid_t, hid_t halo) {
             kGood(f, 0, halo);
             H5Ldelete(halo, "Masses", H5P_DEFAULT);
             H5Lcreate_soft("/PartType1/Coordinates", halo, "Masses", H5P_DEFAULT, H5P_DEFAULT);
         }},
        {"one of several files", 4,
         [&](const Foreign& f, hid_t header, hid_t halo) {
             kGood(f, header, halo);
             f.attribute(header, "NumFilesPerSnapshot", 2);
         }},
        {"one of several files", 4,
         [&](const Foreign& f, hid_t header, hid_t halo) {
             kGood(f, header, halo);
             f.attribute<double>(header, "NumFilesPerSnapshot", H5T_STD_I32LE, H5T_NATIVE_DOUBLE, {1, 4});
         }},
        {"one of several files", 4,
         [&](const Foreign& f, hid_t header, hid_t halo) {
             kGood(f, header, halo);
             f.attribute<double>(header, "NumPart_Total", H5T_STD_U32LE, H5T_NATIVE_DOUBLE, {0, 4000});
         }},
        {"one of several files", 4,
         [&](const Foreign& f, hid_t header, hid_t halo) {
             kGood(f, header, halo);
             f.attribute<double>(header, "NumPart_Total", H5T_STD_U32LE, H5T_NATIVE_DOUBLE, {0, 4});
             f.attribute<double>(header, "NumPart_Total_HighWord", H5T_STD_U32LE, H5T_NATIVE_DOUBLE, {0, 1});
         }},
        {"NumFilesPerSnapshot is no whole number", 4,
         [&](const Foreign& f, hid_t header, hid_t halo) {
             kGood(f, header, halo);
             f.attribute(header, "NumFilesPerSnapshot", 1.5);
         }},
        {"not above 0", 4,
         [&](const Foreign& f, hid_t header, hid_t halo) {
             kGood(f, header, halo);
             f.attribute(header, "UnitLength_in_cm", -3e21);
             f.attribute(header, "UnitMass_in_g", 2e43);
             f.attribute(header, "UnitVelocity_in_cm_per_s", 1e5);
         }},
        {"finite", 4,
         [&](const Foreign& f, hid_t header, hid_t halo) {
             kGood(f, header, halo);
             f.attribute(header, "Time", std::nan(""));
         }},
        {"does not hold numbers", 4,
         [&](const Foreign& f, hid_t, hid_t halo) {
             const hid_t text = H5Tcopy(H5T_C_S1);
             H5Tset_size(text, 8);
             f.set(halo, "Coordinates", text, {4, 3}, {});
             H5Tclose(text);
             rest(f, halo);
         }},
    };
    for (const auto& test : cases) {
        makeForeign(folder / "bad", test.change, test.claimed);
        EXPECT_THAT(refused([&] { readSnapshot(folder / "bad"); }), HasSubstr(test.says));
    }
    makeForeign(folder / "good", kGood);
    EXPECT_EQ(readSnapshot(folder / "good").bodies.size(), 4u) << "the plain file must be accepted, or nothing is shown";
    EXPECT_FALSE(readSnapshot(folder / "good").knowsIds);
    { const Foreign nothing(folder / "nothing"); }
    EXPECT_THAT(refused([&] { readSnapshot(folder / "nothing"); }), HasSubstr("no group Header"));
}

TEST(Gadget, NumbersAreNeitherClippedNorRounded) {
    const TempFolder folder;
    {
        const Foreign f(folder / "fraction");
        const hid_t header = f.group("Header");
        f.attribute<double>(header, "NumPart_ThisFile", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {0, 4.7});
        kGood(f, header, f.group("PartType1"));
    }
    EXPECT_THAT(refused([&] { readSnapshot(folder / "fraction"); }), HasSubstr("no whole number"));
    makeForeign(folder / "ids", [](const Foreign& f, hid_t header, hid_t halo) {
        kGood(f, header, halo);
        f.set(halo, "ParticleIDs", H5T_STD_I64LE, {4}, {1, -5, 3, 7});
    });
    const Snapshot negative = readSnapshot(folder / "ids");
    EXPECT_FALSE(negative.knowsIds);
    EXPECT_THAT(negative.notes, ::testing::Contains(HasSubstr("below 0")));
    makeForeign(folder / "own", [](const Foreign& f, hid_t header, hid_t halo) {
        kGood(f, header, halo);
        f.set(halo, "Group", H5T_STD_I32LE, {4}, {0, 300, -1, 2});
        const hid_t own = f.group("Gravlab");
        f.attribute<double>(own, "Version", H5T_STD_I32LE, H5T_NATIVE_DOUBLE, {1});
    });
    EXPECT_THAT(refused([&] { readSnapshot(folder / "own"); }), HasSubstr("Group is 300, expected 0 to 255"));
    for (const char* name : {"Version", "Step", "Seed"}) {
        makeForeign(folder / "part", [&](const Foreign& f, hid_t header, hid_t halo) {
            kGood(f, header, halo);
            const hid_t own = f.group("Gravlab");
            if (std::string(name) != "Version") f.attribute<double>(own, "Version", H5T_STD_I32LE, H5T_NATIVE_DOUBLE, {1});
            f.attribute(own, name, 1.5);
        });
        EXPECT_THAT(refused([&] { readSnapshot(folder / "part"); }), HasSubstr(name)) << name;
    }
}

TEST(Gadget, MassesBesideAnotherMassTableAreNoted) {
    const TempFolder folder;
    for (const double other : {7.0, -7.0}) {
        makeForeign(folder / "two", [&](const Foreign& f, hid_t header, hid_t halo) {
            kGood(f, header, halo);
            f.attribute<double>(header, "MassTable", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {0, other});
        });
        const Snapshot snapshot = readSnapshot(folder / "two");
        EXPECT_EQ(snapshot.bodies.position[0].w, 1);
        EXPECT_THAT(snapshot.notes, ::testing::Contains(HasSubstr("Masses are used"))) << other;
    }
}

TEST(Gadget, BadNumbersAreRefusedWithPlaceAndBody) {
    const TempFolder folder;
    for (std::size_t body : {0u, 1u, 3u})
        for (std::size_t field = 0; field < 7; ++field)
            for (double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
                makeForeign(folder / "bad", [&](const Foreign& f, hid_t, hid_t halo) {
                    std::vector<double> x = ramp(12, 1), v = ramp(12, 1), m = ramp(4, 1);
                    (field == 0 ? m[body] : field < 4 ? x[3 * body + field - 1] : v[3 * body + field - 4]) = bad;
                    f.set(halo, "Coordinates", H5T_IEEE_F64LE, {4, 3}, x);
                    f.set(halo, "Velocities", H5T_IEEE_F64LE, {4, 3}, v);
                    f.set(halo, "Masses", H5T_IEEE_F64LE, {4}, m);
                });
                EXPECT_THAT(refused([&] { readSnapshot(folder / "bad"); }),
                            HasSubstr("PartType1 row " + std::to_string(body) + ", body " + std::to_string(body)));
                EXPECT_EQ(readSnapshot(folder / "bad", {.sanitize = true}).bodies.size(), 3u);
            }
}

TEST(Gadget, TheSealMayNotGoMissing) {
    const TempFolder folder;
    const std::string bytes = encodeSnapshot(fullCheckpoint(3), "hdf5");
    EXPECT_THAT(refused([&] { decodedHdf5(bytes.substr(0, bytes.size() - 24)); }), HasSubstr("seal"));
    EXPECT_THAT(refused([&] {
                    std::string changed = bytes;
                    changed[changed.size() / 2] ^= 1;
                    decodedHdf5(changed);
                }),
                HasSubstr("check sum"));
    // The documented way to change a file on purpose.
    put(folder / "mine", bytes.substr(0, bytes.size() - 24));
    const hid_t file = H5Fopen((folder / "mine").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT_GE(H5Adelete_by_name(file, "Gravlab", "Sealed", H5P_DEFAULT), 0);
    H5Fclose(file);
    EXPECT_TRUE(sameSnapshot(readSnapshot(folder / "mine"), fullCheckpoint(3)));
}

TEST(Gadget, TheFileThatWasOpenedIsTheOneThatIsRead) {
    if (!std::filesystem::exists("/proc/self/fd")) GTEST_SKIP() << "needs names of descriptors";
    const TempFolder folder;
    writeSnapshot(folder / "run.hdf5", fullCheckpoint(3));
    Source source = Source::open(folder / "run.hdf5");
    std::filesystem::rename(folder / "run.hdf5", folder / "elsewhere.hdf5");
    EXPECT_TRUE(sameSnapshot(readGadget(source, {}), fullCheckpoint(3))) << "no file has the name";
    Source again = Source::open(folder / "elsewhere.hdf5");
    std::filesystem::rename(folder / "elsewhere.hdf5", folder / "kept");
    writeSnapshot(folder / "elsewhere.hdf5", fullCheckpoint(4));
    EXPECT_TRUE(sameSnapshot(readGadget(again, {}), fullCheckpoint(3))) << "another file has the name";
}

TEST(Gadget, AFileThatIsWrittenToMeanwhileIsRefused) {
    const TempFolder folder;
    writeSnapshot(folder / "run.hdf5", fullCheckpoint(3));
    Source source = Source::open(folder / "run.hdf5");
    EXPECT_FALSE(source.changed() || source.replaced());
    std::filesystem::last_write_time(folder / "run.hdf5",
                                     std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    EXPECT_TRUE(source.changed() && source.replaced()) << "so that it is read again";
    EXPECT_THAT(refused([&] { readGadget(source, {}); }), HasSubstr("written to"));
    EXPECT_TRUE(sameSnapshot(readSnapshot(folder / "run.hdf5"), fullCheckpoint(3)));
}

TEST(Gadget, TheLibraryStaysSilent) {
    const TempFolder folder;
    put(folder / "bad", std::string("\x89HDF\r\n\x1a\n", 8) + std::string(500, '\x5a'));
    ::testing::internal::CaptureStderr();
    EXPECT_THROW(readSnapshot(folder / "bad"), InputError);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    H5E_auto2_t print = nullptr;
    void* data = nullptr;
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    EXPECT_NE(print, nullptr) << "what other users of the library see is put back";
}

TEST(Gadget, ThreadsTakeTurns) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "a copy of a process whose other threads allocate stands still in this sanitizer's allocator";
#endif
    const Snapshot snapshot = fullCheckpoint(500);
    const std::string expected = encodeSnapshot(snapshot, "hdf5");
    std::vector<std::thread> threads;
    std::array<bool, 4> good{};
    for (bool& mine : good)
        threads.emplace_back([&] {
            mine = true;
            for (int i = 0; i < 10; ++i)
                mine &= encodeSnapshot(snapshot, "hdf5") == expected && sameSnapshot(decodedHdf5(expected), snapshot);
        });
    for (std::thread& thread : threads) thread.join();
    for (bool mine : good) EXPECT_TRUE(mine);
}

}  // namespace
}  // namespace gravlab
#endif
