// Tables of numbers: every header form in use, every mistake, in any locale.
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/io/formats/units.h"
#include "sim/io/snapshot.h"
#include "tests/surroundings.h"
#include "tests/unit/io_support.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>
#include <clocale>
#include <cmath>
#include <locale>

namespace gravlab {
namespace {

using io_test::sameBodies;
using io_test::sample;
using io_test::TempFolder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Snapshot decodedTable(std::string_view text, const ReadOptions& options = {}) {
    return decodeSnapshot(text, "t.csv", options);
}

std::string refusedTable(std::string_view text, const ReadOptions& options = {}) {
    try {
        decodedTable(text, options);
    } catch (const InputError& error) {
        return error.what();
    }
    ADD_FAILURE() << "accepted: " << text.substr(0, 200);
    return {};
}

void expectTwoBodies(const Snapshot& snapshot) {
    ASSERT_EQ(snapshot.bodies.size(), 2u);
    const auto& p = snapshot.bodies.position;
    const auto& v = snapshot.bodies.velocity;
    EXPECT_TRUE(io_test::sameBits(p[0], {1, 2, 3, 10}));
    EXPECT_TRUE(io_test::sameBits(v[0], {4, 5, 6, 1}));
    EXPECT_TRUE(io_test::sameBits(p[1], {-1, -2, -3, 0.5}));
    EXPECT_TRUE(io_test::sameBits(v[1], {-4, -5, -6, 1}));
}

TEST(Table, EveryFormInUseGivesTheSameBodies) {
    const std::string_view forms[] = {
        "m,x,y,z,vx,vy,vz\n10,1,2,3,4,5,6\n0.5,-1,-2,-3,-4,-5,-6\n",
        "x,y,z,vx,vy,vz,m\n1,2,3,4,5,6,10\n-1,-2,-3,-4,-5,-6,0.5\n",
        "x,y,z,vx,vy,vz,m,id\n1,2,3,4,5,6,10,0\n-1,-2,-3,-4,-5,-6,0.5,1\n",
        "\xEF\xBB\xBFX, Y, Z, VX, VY, VZ, Mass\r\n1, 2, 3, 4, 5, 6, 10\r\n-1, -2, -3, -4, -5, -6, .5\r\n",
        "10 1 2 3 4 5 6\n0.5 -1 -2 -3 -4 -5 -6\n",
        "\n  10\t1\t2\t3\t4\t5\t6  \n\n# a remark\n+5e-1 -1e0 -2 -3 -4 -5 -6 \n\n",
        "id m x y z vx vy vz\n0 10 1 2 3 4 5 6\n1 0.5 -1 -2 -3 -4 -5 -6\n",
        "0 10 1 2 3 4 5 6\n1 0.5 -1 -2 -3 -4 -5 -6\n",
        "# m x y z vx vy vz\n10 1 2 3 4 5 6\n5D-1 -1d0 -2 -3 -4 -5 -6\n",
        "% made by hand, in columns x y z\n// second remark\n! third\n10 1 2 3 4 5 6\n0.5 -1 -2 -3 -4 -5 -6\n",
        "mass;x;y;z;vx;vy;vz;\n10;1;2;3;4;5;6;\n0.5;-1;-2;-3;-4;-5;-6;\n",
        "#mass,radius,vx,vy,vz,x,y,z\n#mass,length,length / time,length / time,length / time,length,length,length\n"
        "10,99,4,5,6,1,2,3\n0.5,99,-4,-5,-6,-1,-2,-3\n",
        "mass,vx,vy,vz,x,y,z,name\nmass,length * time**-1,length * time**-1,length * time**-1,length,length,length,none\n"
        "10,4,5,6,1,2,3,\"Sun\"\n0.5,-4,-5,-6,-1,-2,-3,\"b\"\n",
        "#AMUSE CSV: 1.0\n#KEY IN COLUMN: -1\n#HEADERS:\n#COL:0:mass:on:1:-1:0:0:0:0:0:0:0:(mass)\n#COL:1:x:on:1:(length)\n"
        "#COL:2:y:on:1:(length)\n#COL:3:z:on:1:(length)\n#COL:4:vx:on:1:(length / time)\n#COL:5:vy:on:1:(length / time)\n"
        "#COL:6:vz:on:1:(length / time)\n#\n10 1 2 3 4 5 6\n0.5 -1 -2 -3 -4 -5 -6\n",
        "\"m\",\"x\",\"y\",\"z\",\"vx\",\"vy\",\"vz\"\n\"10\",1,2,3,4,5,6\n0.5,\"-1\",-2,-3,-4,-5,-6\n",
    };
    for (std::string_view form : forms) {
        SCOPED_TRACE(form);
        expectTwoBodies(decodedTable(form));
    }
}

TEST(Table, ColumnsOptionNamesAnything) {
    expectTwoBodies(decodedTable("1 2 3 4 5 6 10\n-1 -2 -3 -4 -5 -6 .5\n", {.columns = "x,y,z,vx,vy,vz,m"}));
    expectTwoBodies(
        decodedTable("a b c d e f g h\n7 1 2 3 4 5 6 10\n7 -1 -2 -3 -4 -5 -6 .5\n", {.columns = "- x y z vx vy vz mass"}));
    for (const char* bad : {"x,y,z", "x,y,z,m,vx", "x,x,y,z,m", "x,y,z,m,banana", ",,,"})
        EXPECT_THROW(decodedTable("1 2 3 4\n", {.columns = bad}), UsageError) << bad;
    EXPECT_THROW(decodeSnapshot(encodeSnapshot(sample(2), "tipsy"), "a", {.columns = "x,y,z,m"}), UsageError);
}

TEST(Table, IdsGroupsAndRest) {
    const Snapshot a = decodedTable("id,group,m,x,y,z,colour\n4294967295,255,1,1,2,3,9\n7,0,1,1,2,4,9\n");
    EXPECT_TRUE(a.knowsIds);
    EXPECT_TRUE(a.knowsGroups);
    EXPECT_FALSE(a.knowsVelocities);
    EXPECT_EQ(a.bodies.id, (std::vector<std::uint32_t>{4294967295u, 7}));
    EXPECT_EQ(a.bodies.group, (std::vector<std::uint8_t>{255, 0}));
    EXPECT_THAT(a.notes, ::testing::Contains(HasSubstr("'colour' is not used")));
    EXPECT_THAT(a.notes, ::testing::Contains(HasSubstr("at rest")));
    for (const char* ids : {"5\n5", "5\n4294967296"}) {
        std::string text = "m x y z id\n1 1 2 3 " + std::string(ids) + "\n";
        text.replace(text.find("\n", 12), 1, "\n1 1 2 3 ");
        const Snapshot b = decodedTable(text);
        EXPECT_FALSE(b.knowsIds) << text;
        EXPECT_EQ(b.bodies.id, (std::vector<std::uint32_t>{0, 1}));
    }
    EXPECT_EQ(decodedTable("id m x y z\n3.000e+00 1 1 2 3\n").bodies.id[0], 3u);
}

TEST(Table, ErrorsNameTheLineTheBodyAndTheField) {
    const std::string start = "# remark\nm,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n";
    EXPECT_THAT(refusedTable(start + "1,2,abc,4,5,6,7\n"),
                AllOf(HasSubstr("t.csv: line 4: body 1: y is 'abc'"), HasSubstr("no number")));
    EXPECT_THAT(refusedTable(start + "1,2,,4,5,6,7\n"), HasSubstr("line 4: body 1: y is empty"));
    EXPECT_THAT(refusedTable(start + "1,2,3,4,5,6\n"), HasSubstr("line 4: has 6 columns, expected 7 (m,x,y,z,vx,vy,vz)"));
    EXPECT_THAT(refusedTable(start + "1,2,3,4,5,6,7,8\n"), HasSubstr("has 8 columns"));
    EXPECT_THAT(refusedTable(start + "-1,2,3,4,5,6,7\n"), HasSubstr("line 4, body 1: the mass -1"));
    EXPECT_THAT(refusedTable(start + "1,2,3,4,5,6,1e999\n"), HasSubstr("vz is '1e999', outside the range"));
    EXPECT_THAT(refusedTable(start + "1,2,3,4,5,6,0x10\n"), HasSubstr("no number"));
    EXPECT_THAT(refusedTable(start + "1,2,3,4,5,6,7"), HasSubstr("no line end"));
    EXPECT_THAT(refusedTable(start + "1,2,3,4,5,6,7\n" + std::string(70000, ' ')), HasSubstr("longer than"));
    EXPECT_THAT(refusedTable(start + std::string(5000, '\n') + std::string("1,2,3,4,5,6,\0007\n", 15)),
                HasSubstr("zero byte"));
    EXPECT_THAT(refusedTable("m;x;y;z;vx;vy;vz\n1,5;2;3;4;5;6;7\n"), HasSubstr("decimal point, not a comma"));
    EXPECT_THAT(refusedTable("1 2 3\n"), HasSubstr("--columns"));
    EXPECT_THAT(refusedTable("x,y,m\n1,2,3\n"), HasSubstr("no column z"));
    EXPECT_THAT(refusedTable("x,y,z\n1,2,3\n"), HasSubstr("no column m"));
    EXPECT_THAT(refusedTable("m,x,y,z,vx\n1,2,3,4,5\n"), HasSubstr("only some of vx"));
    EXPECT_THAT(refusedTable("m,x,x,z\n1,2,3,4\n"), HasSubstr("x is there twice"));
    EXPECT_THAT(refusedTable("m,x,y,z\n"), HasSubstr("no bodies"));
    EXPECT_THAT(refusedTable("1.5 10 1 2 3 4 5 6\n"), HasSubstr("8 columns without a header are id"));
    EXPECT_THAT(refusedTable("m,x,y,z\na,b,c,d\na,b,c,d\n"), HasSubstr("m is in 'a', which is no known unit"));
    EXPECT_THAT(refusedTable("hello world\n"), HasSubstr("no column x"));
    EXPECT_THAT(refusedTable("m x y z group\n1 2 3 4 256\n"), HasSubstr("0 to 255"));
    EXPECT_THAT(refusedTable("m x y z id\n1 2 3 4 -1\n"), HasSubstr("whole number"));
    std::string wide = "1";
    for (int i = 0; i < 300; ++i) wide += ",1";
    EXPECT_THAT(refusedTable(wide + "\n"), HasSubstr("more than 256 columns"));
    EXPECT_THAT(refusedTable(start + "1,2,\x80\xff,4,5,6,7\n"), HasSubstr("y is '\?\?'")) << "messages stay printable";
    EXPECT_THAT(refusedTable("1 2 3 4 5 6 7\n1 2 3 4 5 6 7\n", {.maxBodies = 1}), HasSubstr("more than the 1"));
}

TEST(Table, NoNumberOutsideTheFiniteGetsIn) {
    for (const char* bad : {"nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e400"})
        for (std::size_t body : {0u, 2u, 4u})
            for (std::size_t field = 0; field < 7; ++field) {
                std::string text = "m,x,y,z,vx,vy,vz\n";
                for (std::size_t i = 0; i < 5; ++i)
                    for (std::size_t c = 0; c < 7; ++c)
                        text += (i == body && c == field ? std::string(bad) : "1.5") + (c < 6 ? "," : "\n");
                EXPECT_THAT(refusedTable(text), HasSubstr("body " + std::to_string(body))) << bad << " field " << field;
                if (bad != std::string_view("1e400")) {
                    const Snapshot rest = decodedTable(text, {.sanitize = true});
                    EXPECT_EQ(rest.bodies.size(), 4u);
                    EXPECT_THAT(rest.notes, ::testing::Contains(HasSubstr("dropped 1 ")));
                }
            }
    EXPECT_THAT(refusedTable("m x y z\nnan 1 2 3\n", {.sanitize = true}), HasSubstr("all of its 1"));
    EXPECT_EQ(decodedTable("m x y z\n-1 1 2 3\n", {.allowSigns = true}).bodies.position[0].w, -1);
}

// A cut inside a line is refused. A format without a count cannot show a cut between lines: the bodies before it are whole.
TEST(Table, CutAnywhereIsRefusedOrWhole) {
    for (const char* format : {"csv", "tab"}) {
        const Snapshot whole = sample(5);
        const std::string text = encodeSnapshot(whole, format);
        int accepted = 0;
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            try {
                const Snapshot part = decodedTable(std::string_view(text).substr(0, cut));
                ++accepted;
                ASSERT_LE(part.bodies.size(), 5u);
                ParticleSet expected = whole.bodies;
                expected.resize(part.bodies.size());
                EXPECT_TRUE(sameBodies(part.bodies, expected)) << cut;
            } catch (const InputError&) {
            }
        }
        EXPECT_EQ(accepted, 5) << "one for each whole line";
    }
}

TEST(Table, WritesSeventeenDigitsUnderTheNamesThatScriptsKnow) {
    Snapshot snapshot = sample(1);
    snapshot.bodies.position[0] = {0.1, -1, 1e-300, 1.0 / 3};
    const std::string csv = encodeSnapshot(snapshot, "csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n')), "m,x,y,z,vx,vy,vz");
    EXPECT_THAT(csv, HasSubstr("\n0.33333333333333331,0.10000000000000001,-1,1e-300,"));
    snapshot.bodies.velocity[0].w = 0.25;
    EXPECT_THAT(encodeSnapshot(snapshot, "csv"), HasSubstr("vz,response\n"));
    EXPECT_TRUE(sameBodies(decodedTable(encodeSnapshot(snapshot, "csv")).bodies, snapshot.bodies));
}

struct DecimalComma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

TEST(Table, TheLocaleDoesNotMatter) {
    // The test makes a German locale, because machines for tests have none.
    const TempFolder folder;
    const std::string command = "localedef -i de_DE -f UTF-8 '" + (folder / "de_DE.UTF-8").string() + "' >/dev/null 2>&1";
    const bool made = std::system(command.c_str()) == 0;
    const char* before = std::setlocale(LC_ALL, nullptr);
    const std::string saved = before ? before : "C";
    const EnvironmentVariable locales("LOCPATH", folder.path());
    const bool german = made && std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
    const std::locale old = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
    if (german) {
        std::setlocale(LC_ALL, "de_DE.UTF-8");
        const std::string text = formatted("%.1f", 1.5);
        EXPECT_EQ(text, "1,5") << "the locale is not in force, so this proves nothing";
    }
    const Snapshot snapshot = sample(20);
    for (const char* format : {"csv", "tab"}) {
        const std::string text = encodeSnapshot(snapshot, format);
        EXPECT_TRUE(sameBodies(decodedTable(text).bodies, snapshot.bodies));
    }
    EXPECT_THAT(refusedTable("m x y z\n-1234.5 1 2 3\n"), HasSubstr("is negative"));
    std::locale::global(old);
    std::setlocale(LC_ALL, saved.c_str());
    if (!german) GTEST_SKIP() << "no localedef here: only the C++ locale was tried";
}

TEST(Table, ComesThroughAPipe) {
    const std::string text = encodeSnapshot(sample(3000), "csv");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t writer = ::fork();
    if (writer == 0) {
        ::close(ends[0]);
        std::size_t done = 0;
        while (done < text.size())
            done += static_cast<std::size_t>(
                ::write(ends[1], text.data() + done, std::min<std::size_t>(777, text.size() - done)));
        ::_exit(0);
    }
    ::close(ends[1]);
    const int saved = ::dup(STDIN_FILENO);
    ::dup2(ends[0], STDIN_FILENO);
    const Snapshot read = readSnapshot("-");
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
    ::close(ends[0]);
    ::waitpid(writer, nullptr, 0);
    EXPECT_TRUE(sameBodies(read.bodies, sample(3000).bodies));
}

// ---- units
// ----------------------------------------------------------------------------------------------------------------

TEST(Units, TheSunAndTheEarthInEveryUnits) {
    // A year must come out as 2 pi sqrt(r^3 / M) [T] in every system.
    const struct {
        const char* system;
        double sun, distance, speed;  // in its units
        double yearInT;
    } cases[] = {
        {"solar", 1, 1, 2 * M_PI, 1},
        {"solar-day", 1, 1, 2 * M_PI / 365.25, 365.25},
        {"si", 1.98841e30, 1.495978707e11, 29784.7, 2 * M_PI},
        {"cgs", 1.98841e33, 1.495978707e13, 2978470, 2 * M_PI},
        {"cluster", 1, 1 / 206264.806, 29.7847, 1.02269e-6},
        {"galactic", 1, 1 / 206264.806e3, 29.7847, 1.02269e-9},
        {"gadget", 1e-10, 1 / 206264.806e3, 29.7847, 1.02269e-9},
    };
    for (const auto& test : cases) {
        const std::string text =
            formatted("m x y z vx vy vz\n%.17g 0 0 0 0 0 0\n0 %.17g 0 0 0 %.17g 0\n", test.sun, test.distance, test.speed);
        const Snapshot s = decodedTable(text, {.units = test.system});
        const double r = s.bodies.position[1].x, v = s.bodies.velocity[1].y, m = s.bodies.position[0].w;
        EXPECT_NEAR(2 * M_PI * std::sqrt(r * r * r / m) / test.yearInT, 1, 2e-4) << test.system;
        EXPECT_NEAR(v * v * r / m, 1, 2e-4) << test.system;
        EXPECT_THAT(s.units, HasSubstr("G = 1"));
    }
    EXPECT_EQ(std::size(cases) + 1, unitSystems().size()) << "a row without a test";
}

TEST(Units, StatedInTheHeader) {
    const std::string_view header = "m,x,y,z,vx,vy,vz\nMSun,AU,AU,AU,kms,kms,kms\n";
    const Snapshot s = decodedTable(std::string(header) + "1,0,0,0,0,0,0\n0,1,0,0,0,29.7847,0\n");
    EXPECT_NEAR(s.bodies.position[0].w, 29.7847 * 29.7847, 0.1);
    EXPECT_EQ(s.bodies.position[1].x, 1);
    const Snapshot brackets = decodedTable(
        "m [kg],x [m],y [m],z [m],vx (m/s),vy (m/s),vz (m/s)\n1.98841e30,0,0,0,0,0,0\n0,1.495978707e11,0,0,0,29784.7,0\n");
    EXPECT_NEAR(brackets.bodies.position[0].w, 1, 1e-3);
    EXPECT_NEAR(brackets.bodies.position[1].x, 1, 1e-9);
    EXPECT_NEAR(brackets.bodies.velocity[1].y, 1, 1e-3);
    const auto inUnits = [](const std::string& units) {
        return refusedTable("m,x,y,z,vx,vy,vz\n" + units + "\n1,0,0,0,0,0,0\n");
    };
    EXPECT_THAT(inUnits("MSun,ell,AU,AU,kms,kms,kms"),
                AllOf(HasSubstr("x is in 'ell', which is no known unit"), HasSubstr("--units")));
    EXPECT_THAT(inUnits("kms,AU,AU,AU,kms,kms,kms"), HasSubstr("m is in 'kms', which is no unit of mass"));
    EXPECT_THAT(inUnits("MSun,AU,AU,AU,-,-,-"), HasSubstr("vx has no unit in the header"));
    EXPECT_THAT(inUnits("MSun,length,length,length,kms,kms,kms"), HasSubstr("only one of them is an N-body unit"));
    EXPECT_EQ(decodedTable("m,x,y,z,vx,vy,vz\nstone,ell,ell,ell,kms,kms,kms\n2,0,0,0,0,0,0\n", {.gravity = 3})
                  .bodies.position[0]
                  .w,
              6);
}

TEST(Units, AreThoseOfEachColumn) {
    // As AMUSE writes stars: the radii have another unit than the positions.
    const std::string_view stars =
        "#mass,radius,vx,vy,vz,x,y,z,sz\n#MSun,RSun,kms,kms,kms,parsec,parsec,AU,rad/"
        "s\n1,1,1,0,0,1,0,1,1\n1,1,0,0,0,0,0.5,0,0\n";
    constexpr double kAuInParsecs = 1 / 206264.806, kSunInParsecs = 6.957e8 / 3.0856775814913673e16;
    const Snapshot s = decodedTable(stars);
    ASSERT_EQ(s.bodies.surface.size(), 2u);
    EXPECT_EQ(s.fileUnits.length, "parsec");
    EXPECT_EQ(s.bodies.position[0].x, 1);
    EXPECT_NEAR(s.bodies.position[0].z / kAuInParsecs, 1, 1e-6);
    EXPECT_NEAR(s.bodies.surface[0].radius / kSunInParsecs, 1, 1e-9);
    EXPECT_NEAR(s.bodies.surface[0].spin.z * 1e3 / 3.0856775814913673e16, 1, 1e-9);  // [T] is parsec/(km/s)
    // The option says the same; the radii keep their unit.
    EXPECT_NEAR(decodedTable(stars, {.units = "cluster"}).bodies.surface[0].radius / kSunInParsecs, 1, 1e-9);
    EXPECT_THAT(decodedTable(stars, {.units = "cluster"}).notes, Not(Contains(HasSubstr("it states"))));
    EXPECT_THAT(refusedTable("#mass,radius,x,y,z\n#MSun,Rxx,pc,pc,pc\n1,1,1,0,0\n"),
                HasSubstr("radius is in 'Rxx', which is no known unit"));
    EXPECT_THAT(refusedTable("mass,radius [km],x,y,z\n1,1,1,0,0\n"), HasSubstr("x has no unit in the header"));
}

TEST(Units, OfOptionsAgainstThoseOfTheHeaderAreNamed) {
    const std::string_view galaxy = "m [Msun],x [kpc],y [kpc],z [kpc],vx [km/s],vy [km/s],vz [km/s]\n1,1,0,0,0,30,0\n";
    EXPECT_THAT(decodedTable(galaxy, {.units = "galactic"}).notes, Not(Contains(HasSubstr("it states"))));
    EXPECT_THAT(decodedTable(galaxy, {.units = "cluster"}).notes,
                Contains(HasSubstr("it states kpc, km/s, Msun, but its numbers are taken as those of --units cluster")));
    EXPECT_THAT(decodedTable(galaxy, {.gravity = 2}).notes,
                Contains(HasSubstr("but its numbers are taken as those of --G = 2")));
    EXPECT_THAT(decodedTable("m,x,y,z\n1,1,0,0\n", {.units = "cluster"}).notes, Not(Contains(HasSubstr("it states"))));
    EXPECT_THAT(decodedTable("m [stone],x [pc],y,z\n1,1,0,0\n", {.units = "cluster"}).notes,
                Contains(HasSubstr("m is in 'stone', which is no known unit")));
    EXPECT_THAT(decodedTable("# units: Msun, kpc, km/s\nm,x,y,z\n1,1,0,0\n").notes,
                Contains(HasSubstr("the comment 'units: Msun, kpc, km/s' is not read: state units with the columns")));
    // Names of columns from an option, units from the header.
    const Snapshot named = decodedTable("mass [Msun],a [kpc],b [kpc],c [kpc]\n1,1,0,0\n", {.columns = "m,x,y,z"});
    EXPECT_EQ(named.fileUnits.length, "kpc");
}

TEST(Units, WordsOfOtherProgramsAreKnown) {
    const struct {
        const char *word, *same;
    } cases[] = {{"M_sun", "Msun"},     {"solMass", "Msun"},  {"M☉", "Msun"},        {"Mjup", "Mjupiter"},
                 {"M_jup", "Mjupiter"}, {"MJup", "Mjupiter"}, {"M_earth", "Mearth"}, {"Mearths", "Mearth"},
                 {"R_sun", "Rsun"},     {"lyr", "ly"},        {"km s-1", "km/s"},    {"kms-1", "km/s"},
                 {"AU d-1", "au/day"},  {"AU / d", "au/day"}, {"ua", "au"},          {"kg m2 s-2", "kg * m**2 / s^2"}};
    for (const auto& [word, same] : cases) {
        const auto unit = parsedUnit(word), known = parsedUnit(same);
        ASSERT_TRUE(unit && known) << word;
        EXPECT_NEAR(unit->factor / known->factor, 1, 1e-12) << word;
        for (int ParsedUnit::*power : {&ParsedUnit::length, &ParsedUnit::mass, &ParsedUnit::time})
            EXPECT_EQ((*unit).*power, (*known).*power) << word;
    }
    EXPECT_NEAR(parsedUnit("Rearth")->factor, 6.3781e6, 1);
    EXPECT_NEAR(parsedUnit("lyr")->factor, 9.4607e15, 1e12);
}

TEST(Table, NamesOfColumnsMayHoldBlanksOrTheUnit) {
    const Snapshot s = decodedTable("mass_Msun,x_au,y_au,z_au,vx_kms,vy_kms,vz_kms,x_note\n1,2,0,0,0,29.78,0,7\n");
    EXPECT_EQ(s.fileUnits.length, "au");
    EXPECT_EQ(s.bodies.position[0].x, 2);
    EXPECT_EQ(s.fileUnits.velocity, "kms");
    EXPECT_THAT(s.notes, Contains(HasSubstr("column 'x_note' is not used")));
    expectTwoBodies(
        decodedTable("Mass,X position,Y position,Z position,X velocity,Y velocity,Z velocity\n"
                     "10,1,2,3,4,5,6\n0.5,-1,-2,-3,-4,-5,-6\n"));
    // A plain name goes before one with a unit; a unit of something else is no unit.
    EXPECT_EQ(decodedTable("m,x,y,z,x_km\n1,2,0,0,5\n").bodies.position[0].x, 2);
    EXPECT_THAT(refusedTable("m,x_kg,y,z\n1,2,0,0\n"), HasSubstr("there is no column x"));
}

TEST(Table, OfTwoDimensionsIsAPlane) {
    const Snapshot s = decodedTable("m,x,y,vx,vy\n1,2,3,4,5\n");
    EXPECT_EQ(s.bodies.position[0], (Double4{2, 3, 0, 1}));
    EXPECT_EQ(s.bodies.velocity[0], (Double4{4, 5, 0, 1}));
    EXPECT_THAT(s.notes, Contains(HasSubstr("no column z: the bodies are in the plane z = 0")));
    EXPECT_THAT(refusedTable("m,x,y,height\n1,2,3,4\n"), HasSubstr("there is no column z"));
    EXPECT_THAT(refusedTable("m,x,y,vx,vy,vz\n1,2,3,4,5,6\n"), HasSubstr("there is no column z"));
}

TEST(Table, OfASpreadsheetNamesItsSeparator) {
    expectTwoBodies(decodedTable("sep=;\nm;x;y;z;vx;vy;vz\n10;1;2;3;4;5;6\n0.5;-1;-2;-3;-4;-5;-6\n"));
    EXPECT_THAT(refusedTable("sep=;\nm;x;y;z\n1;0,5;0;0\n"),
                HasSubstr("x is '0,5', which is no number: write a decimal point"));
    EXPECT_THAT(refusedTable("1,5;0,25;0;0;0;0;0\n"), HasSubstr("there is no column x"));
    EXPECT_THAT(refusedTable("1,5;0,25;0,1;0,0;0,0;0,0;0,0\n"), HasSubstr("write a decimal point, not a comma"));
}

TEST(Units, CaseTellsMegaFromMilli) {
    for (const char* good : {"m", "Mpc", "MPC", "Myr", "KPC", "MSun", "msun", "g", "s", "km/s"})
        EXPECT_TRUE(parsedUnit(good)) << good;
    for (const char* bad : {"M", "G", "S", "mpc", "myr", "mPc"}) EXPECT_FALSE(parsedUnit(bad)) << bad;
}

TEST(Table, ProseIsNoHeader) {
    EXPECT_THAT(refusedTable("# Note: m x y z are in\n1 2 3 4 5 6 7\n"), HasSubstr("--columns"));
    EXPECT_EQ(decodedTable("# Note: m x y z are in\n1 2 3 4 5 6 7\n", {.columns = "m,x,y,z,vx,vy,vz"}).bodies.position[0].w,
              1);
    EXPECT_EQ(decodedTable("# x y z vx vy vz m\n1 2 3 4 5 6 7\n").bodies.position[0].w, 7);
    EXPECT_EQ(decodedTable("# m x y z vx vy vz pot rho\n1 2 3 4 5 6 7 8 9\n").bodies.position[0].w, 1);
}

TEST(Units, ParsesPowers) {
    const auto is = [](const char* text, double factor, int l, int m, int t) {
        const auto unit = parsedUnit(text);
        return unit && std::abs(unit->factor / factor - 1) < 1e-12 && unit->length == l && unit->mass == m &&
               unit->time == t;
    };
    EXPECT_TRUE(is("km/s", 1e3, 1, 0, -1));
    EXPECT_TRUE(is("1000.0 * m * s**-1", 1e3, 1, 0, -1));
    EXPECT_TRUE(is("m.s^-1", 1, 1, 0, -1));
    EXPECT_TRUE(is("1.5e-3 * kg**2 / s", 1.5e-3, 0, 2, -1));
    for (const char* bad : {"", " ", "furlong", "m**", "m**99", "m99", "m**x", "0 * m", "1e999", "1e300 / 1e-300", "kpc*2",
                            "*kpc", "**kpc", "kpc /", "kpc * / s", "m-"})
        EXPECT_FALSE(parsedUnit(bad)) << bad;
}

TEST(Units, BadOptionsAreRefused) {
    const char* text = "m x y z\n1 2 3 4\n";
    for (double g : {0.0, -1.0, std::nan(""), HUGE_VAL}) EXPECT_THROW(decodedTable(text, {.gravity = g}), UsageError) << g;
    EXPECT_THROW(decodedTable(text, {.units = "furlongs"}), UsageError);
    EXPECT_THAT(refusedTable("m x y z\n1e308 2 3 4\n", {.gravity = 100}), HasSubstr("leaves the range"));
}

}  // namespace
}  // namespace gravlab
