// Users' data: units that are restored, names that stay, tables packed with gzip, and a question where units are missing.
#include "sim/api/errors.h"
#include "sim/io/checkpoint.h"
#include "sim/io/formats/units.h"
#include "sim/io/snapshot.h"
#include "tests/unit/io_support.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace gravlab {
namespace {

using io_test::refused;
using io_test::sample;
using io_test::TempFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kGalaxy =
    "Name,X [kpc],Y [kpc],Z [kpc],VX [km/s],VY [km/s],VZ [km/s],Mass [Msun],tag\n"
    "core,0.1,0.2,0.3,1,2,3,1e10,bulge\n"
    "\"far, \"\"lone\"\" one\",8.1,-3.3,0.7,150.5,-99.25,12.125,2.5e9,disc\n"
    ",1e-3,7,-2,3,4,5,12345678.9,disc\n";

std::string packed(const std::string& text, int level = 6) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<unsigned>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<unsigned>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

/// The largest difference of two sets, in units of the last place.
double unitsInTheLastPlace(const ParticleSet& a, const ParticleSet& b) {
    double most = a.size() == b.size() ? 0 : INFINITY;
    const auto look = [&](double x, double y) {
        if (x == y) return;
        const double ulp = std::nextafter(std::abs(x), INFINITY) - std::abs(x);
        most = std::max(most, std::abs(x - y) / ulp);
    };
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const Double4 &p = a.position[i], &q = b.position[i], &v = a.velocity[i], &w = b.velocity[i];
        look(p.x, q.x), look(p.y, q.y), look(p.z, q.z), look(p.w, q.w);
        look(v.x, w.x), look(v.y, w.y), look(v.z, w.z), look(v.w, w.w);
    }
    return most;
}

TEST(OwnUnits, AreWrittenAsTheyWere) {
    const Snapshot read = decodeSnapshot(kGalaxy, "my.csv");
    EXPECT_EQ(read.fileUnits.length, "kpc");
    EXPECT_EQ(read.fileUnits.mass, "Msun");
    EXPECT_EQ(read.fileUnits.velocity, "km/s");
    EXPECT_NEAR(read.bodies.position[0].w, 43009.17, 0.01);
    const std::string text = encodeSnapshot(read, "csv");
    EXPECT_THAT(text, StartsWith("m [Msun],x [kpc],y [kpc],z [kpc],vx [km/s],vy [km/s],vz [km/s],name,tag\n"));
    const Snapshot again = decodeSnapshot(text, "back.csv");
    EXPECT_LE(unitsInTheLastPlace(read.bodies, again.bodies), 2.0);
    // It contains the user's own numbers.
    EXPECT_THAT(text, HasSubstr("150.5,-99.25,12.125"));
    ReadOptions plain{.units = "nbody"};
    const Snapshot numbers = decodeSnapshot(text, "back.csv", plain);
    EXPECT_NEAR(numbers.bodies.position[0].w / 1e10, 1, 1e-15);
}

TEST(OwnUnits, OfEverySystemComeBack) {
    for (const UnitSystem& system : unitSystems()) {
        ReadOptions options{.units = std::string(system.name)};
        const Snapshot read = decodeSnapshot(encodeSnapshot(sample(40), "csv"), "t.csv", options);
        for (const char* format : {"csv", "tab"}) {
            const std::string text = encodeSnapshot(read, format);
            const Snapshot again = decodeSnapshot(text, "back");
            EXPECT_LE(unitsInTheLastPlace(read.bodies, again.bodies), 8.0) << system.name << " " << format << "\n"
                                                                           << text.substr(0, 200);
        }
        const Snapshot exact = decodeSnapshot(encodeSnapshot(read, "hdf5"), "back.hdf5");
        EXPECT_EQ(unitsInTheLastPlace(read.bodies, exact.bodies), 0.0) << system.name;
        EXPECT_EQ(exact.fileUnits, read.fileUnits) << system.name;
    }
}

TEST(OwnUnits, OfAGravityAloneComeBack) {
    ReadOptions options{.gravity = 4.30091727e-6};
    const Snapshot read = decodeSnapshot(encodeSnapshot(sample(10), "csv"), "t.csv", options);
    const std::string text = encodeSnapshot(read, "csv");
    EXPECT_THAT(text, StartsWith("# G = 4.30091727e-06\nm,x,y,z"));
    EXPECT_LE(unitsInTheLastPlace(read.bodies, decodeSnapshot(text, "b.csv").bodies), 2.0);
    EXPECT_THAT(refused([] { decodeSnapshot("# G = -1\nm,x,y,z\n1,0,0,0\n", "t.csv"); }), HasSubstr("line 1"));
}

TEST(OwnUnits, AreWhatPeopleSee) {
    const LoadedStart start = startFrom(decodeSnapshot(kGalaxy, "my.csv"), "my.csv");
    const SceneUnits& units = start.request.start->row.units;
    EXPECT_EQ(units.length, "kpc");
    EXPECT_EQ(units.mass, "Msun");
    EXPECT_EQ(units.speed, "km/s");
    EXPECT_EQ(units.time, "Myr");
    EXPECT_NEAR(units.lengthScale, 1, 1e-12);
    EXPECT_NEAR(units.speedScale, 1, 1e-12);
    EXPECT_NEAR(units.timeScale, 977.79, 0.01);
    EXPECT_NEAR(units.massScale, 232508.5, 10);
    const LoadedStart plain = startFrom(sample(10), "plain.csv");
    EXPECT_TRUE(plain.request.start->row.units.length.empty());
}

TEST(OwnUnits, OfAFileOfOursAreNotGivenAgain) {
    ReadOptions options{.units = "cluster"};
    const std::string ours = encodeSnapshot(decodeSnapshot(kGalaxy, "my.csv"), "hdf5");
    EXPECT_THROW(decodeSnapshot(ours, "ours.hdf5", options), UsageError);
    // Bodies whose units nobody has named may still get them.
    EXPECT_EQ(decodeSnapshot(encodeSnapshot(sample(4), "hdf5"), "ours.hdf5", options).fileUnits.length, "pc");
}

TEST(OwnUnits, RadiiBeyondTheNearestBodyAreRemarked) {
    const auto notes = [](const char* unit) {
        const std::string text =
            std::string("m [Msun],x [pc],y [pc],z [pc],radius [") + unit + "]\n1,0,0,0,1\n1,0.5,0,0,1\n";
        return startFrom(decodeSnapshot(text, "stars.csv"), "stars.csv").notes;
    };
    EXPECT_THAT(
        notes("pc"),
        ::testing::Contains(HasSubstr("of 2 bodies 2 have radii beyond the nearest body: are radii and places both in pc")));
    EXPECT_THAT(notes("Rsun"), ::testing::Not(::testing::Contains(HasSubstr("radii beyond"))));
}

TEST(OwnUnits, ThatMakeNoSenseInAFileOfOursAreRefused) {
    for (const char* text :
         {"length = \"\\n\"\n", "length_by = -1\n", "mass_by = nan\n", "length = \"kpc\"\n", "metres = 1e400\n"})
        EXPECT_FALSE(fileUnitsFrom(text)) << text;
    EXPECT_EQ(fileUnitsFrom(""), FileUnits{});
}

TEST(OwnNames, StayThroughEveryFormatThatKeepsThem) {
    const Snapshot read = decodeSnapshot(kGalaxy, "my.csv");
    EXPECT_EQ(read.names->nameOf(0), "core");
    EXPECT_EQ(read.names->nameOf(1), "far, \"lone\" one");
    EXPECT_EQ(read.names->tagOf(2), "disc");
    for (const char* format : {"csv", "hdf5"}) {
        const Snapshot again = decodeSnapshot(encodeSnapshot(read, format), "back");
        EXPECT_EQ(*again.names, *read.names) << format;
    }
    EXPECT_THAT(lostIn(fileFormat("tipsy"), read), ::testing::Contains("the names of bodies"));
}

TEST(OwnNames, FollowIdsAndSkipWhatIsDropped) {
    ReadOptions options{.sanitize = true};
    const Snapshot read =
        decodeSnapshot("id,m,x,y,z,name\n30,1,0,0,0,c\n10,nan,0,0,1,bad\n20,1,0,0,2,b\n", "t.csv", options);
    ASSERT_EQ(read.bodies.size(), 2u);
    EXPECT_EQ(read.names->nameOf(30), "c");
    EXPECT_EQ(read.names->nameOf(20), "b");
    EXPECT_EQ(read.names->size(), 2u);
    const std::string text = encodeSnapshot(read, "csv");
    EXPECT_THAT(text, StartsWith("m,x,y,z,vx,vy,vz,id,name\n"));
    const Snapshot again = decodeSnapshot(text, "b.csv");
    EXPECT_EQ(again.bodies.id, read.bodies.id);
    EXPECT_EQ(*again.names, *read.names);
}

TEST(OwnNames, ThatAreHostileStayPrintable) {
    // The first bytes distinguish a table from other files; the following bytes may be anything.
    std::string text = "m,x,y,z,name\n#" + std::string(5000, '-') + "\n";
    text += "1,0,0,0,\x01\x02\n1,0,0,1,\"a\x7f\x1b]0;t\x07\"\n1,0,0,3,\xe2\x80\xae\xff\n";
    text += "1,0,0,2," + std::string(60000, 'n') + "\n";
    const Snapshot read = decodeSnapshot(text, "t.csv");
    for (std::size_t i = 0; i < read.names->size(); ++i) {
        const std::string_view name = read.names->row(i).name;
        EXPECT_LE(name.size(), BodyNames::kMostBytes);
        for (const char c : name) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    }
    EXPECT_THAT(refused([] { decodeSnapshot("m,x,y,z,name\n1,0,0,0," + std::string(10'000'000, 'n') + "\n", "t.csv"); }),
                HasSubstr("line 2 is longer than"));
}

TEST(PackedTable, ReadsAsItsText) {
    const Snapshot plain = decodeSnapshot(kGalaxy, "my.csv");
    const std::string bytes = packed(kGalaxy);
    EXPECT_EQ(unitsInTheLastPlace(plain.bodies, decodeSnapshot(bytes, "my.csv.gz").bodies), 0.0);
    const TempFolder folder;
    std::ofstream(folder / "my.csv.gz", std::ios::binary) << bytes;
    const Snapshot read = readSnapshot(folder / "my.csv.gz");
    EXPECT_EQ(unitsInTheLastPlace(plain.bodies, read.bodies), 0.0);
    EXPECT_EQ(*read.names, *plain.names);
    EXPECT_TRUE(hasSnapshotExtension("my.csv.gz"));
    EXPECT_FALSE(hasSnapshotExtension("my.hdf5.gz"));
    // Many blocks, several members, and zeros behind them.
    std::string large = "m,x,y,z\n";
    for (int i = 0; i < 60000; ++i) large += "1," + std::to_string(i * 0.123456) + "," + std::to_string(i % 977) + ",0\n";
    const std::string half = large.substr(0, large.size() / 2), rest = large.substr(half.size());
    std::ofstream(folder / "large.csv.gz", std::ios::binary) << packed(half) << packed(rest) << std::string(512, '\0');
    EXPECT_EQ(readSnapshot(folder / "large.csv.gz").bodies.size(), 60000u);
}

TEST(PackedTable, ThatIsDamagedIsRefused) {
    const std::string bytes = packed(kGalaxy);
    EXPECT_THAT(refused([&] { decodeSnapshot(bytes.substr(0, bytes.size() - 9), "t.gz"); }), HasSubstr("cut short"));
    EXPECT_THAT(refused([&] { decodeSnapshot(bytes.substr(0, 5), "t.gz"); }), HasSubstr("cut short"));
    EXPECT_THAT(refused([&] { decodeSnapshot(bytes + "more", "t.gz"); }), HasSubstr("after the end"));
    std::string turned = bytes;
    turned[bytes.size() - 6] ^= 1;  // its check sum
    EXPECT_THAT(refused([&] { decodeSnapshot(turned, "t.gz"); }), HasSubstr("damaged"));
    EXPECT_THAT(refused([&] { decodeSnapshot(packed(bytes), "t.gz"); }), HasSubstr("twice"));
    EXPECT_THAT(refused([&] { decodeSnapshot(packed(encodeSnapshot(sample(9), "hdf5")), "t.gz"); }),
                HasSubstr("only tables are read packed"));
    EXPECT_THAT(refused([&] { decodeSnapshot(packed(""), "t.gz"); }), HasSubstr("is empty"));
}

TEST(PackedTable, ThatIsABombIsRefused) {
    // A compression of a thousand to one: equal lines of a table, and remarks that are no bodies.
    std::string rows = "m,x,y,z\n", remarks = "m,x,y,z\n";
    while (rows.size() < 8'000'000) rows += "1,0,0,0\n";
    while (remarks.size() < 8'000'000) remarks += "#\n";
    for (const std::string* text : {&rows, &remarks}) {
        const std::string bytes = packed(*text, 9);
        ASSERT_LT(bytes.size() * 200, text->size());
        EXPECT_THAT(refused([&] { decodeSnapshot(bytes, "bomb.csv.gz"); }), HasSubstr("more than 200 times its size"));
    }
}

TEST(OwnCheckpoint, KeepsThatItsBackendWasOpen) {
    RunRequest request{.scene = "figure-eight"};
    Simulation simulation(request);
    Snapshot saved = checkpointOf(simulation);
    EXPECT_THAT(saved.settings, HasSubstr("backend_asked = \"auto\""));
    const LoadedStart start = startFrom(std::move(saved), "end.hdf5");
    EXPECT_THAT(start.notes, ::testing::Each(Not(HasSubstr("backend_asked"))));
    EXPECT_EQ(start.request.backend, simulation.configuration().backend);
    EXPECT_TRUE(start.request.backendOpen);
    Simulation again(start.request);
    EXPECT_THAT(again.backendWhy(), HasSubstr("where it ran until now"));
    EXPECT_THAT(checkpointOf(again).settings, HasSubstr("backend_asked = \"auto\"")) << "and still does";
    request.backend = "reference";
    Simulation asked(request);
    EXPECT_THAT(checkpointOf(asked).settings, Not(HasSubstr("backend_asked")));
    EXPECT_THAT(asked.backendWhy(), HasSubstr("as chosen"));
}

/// A ball in balance with numbers in these units, as a table that does not name them.
Snapshot ballIn(std::string_view units) {
    const UnitSystem& system = unitSystem(units);
    Snapshot ball;
    ball.bodies = sceneNamed("plummer").build({.bodies = 3000, .seed = 4, .parameters = {}});
    for (std::size_t i = 0; i < ball.bodies.size(); ++i) {
        ball.bodies.position[i].w *= system.length * system.velocity * system.velocity / system.gravity;
        for (double Double4::*axis : {&Double4::x, &Double4::y, &Double4::z}) {
            ball.bodies.position[i].*axis *= system.length;
            ball.bodies.velocity[i].*axis *= system.velocity;
        }
    }
    ball.units = "G = 1";
    return ball;
}

TEST(UnitsInDoubt, AreAskedAboutWhereBodiesAreFarFromBalance) {
    for (const char* units : {"galactic", "cluster", "si", "gadget"}) {
        const UnitsDoubt doubt = unitsDoubt(ballIn(units));
        EXPECT_EQ(doubt.units, units) << doubt.question;
        EXPECT_THAT(doubt.question, HasSubstr(std::string("--units ") + units));
    }
    EXPECT_THAT(unitsDoubt(ballIn("galactic")).question, StartsWith("far from balance (kinetic/potential 2"));
    EXPECT_THAT(unitsDoubt(ballIn("galactic")).question, HasSubstr("are these kpc, km/s, Msun?"));
}

TEST(UnitsInDoubt, AreNotWhereTheyAreSaidOrRight) {
    EXPECT_EQ(unitsDoubt(ballIn("nbody")).question, "");
    Snapshot said = ballIn("galactic");
    said.units = "kiloparsecs, said by the user";
    EXPECT_EQ(unitsDoubt(said).question, "");
    Snapshot charged = ballIn("galactic");
    charged.bodies.position[0].w *= -1;
    EXPECT_EQ(unitsDoubt(charged).question, "");
    Snapshot resting = ballIn("galactic");
    for (Double4& v : resting.bodies.velocity) v = {0, 0, 0, 1};
    EXPECT_EQ(unitsDoubt(resting).question, "") << "at rest is a start like another";
    Snapshot one;
    one.bodies.resize(1);
    EXPECT_EQ(unitsDoubt(one).question, "");
}

}  // namespace
}  // namespace gravlab
