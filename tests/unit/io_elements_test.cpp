// Orbits and vector tables of the solar system: real lines of the Minor Planet Center, JPL and Horizons against each other,
// and damaged ones. Also the part of a file that --region and --every read.
#include "app/files/snapshot_series.h"
#include "sim/api/errors.h"
#include "sim/io/formats/units.h"
#include "sim/io/snapshot.h"
#include "sim/measure/orbit.h"
#include "tests/unit/io_support.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <numbers>

namespace gravlab {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Ceres and Vesta, epoch 2023 Feb. 25.0 TT.
constexpr const char* kMpcHead =
    "MINOR PLANET CENTER ORBIT DATABASE (MPCORB)\n\nThis file contains published orbital elements.\n\n"
    "Des'n     H     G   Epoch     M        Peri.      Node       Incl.       e            n           a\n"
    "--------------------------------------------------------------------------------------------------------\n";
constexpr const char* kCeres =
    "00001    3.33  0.15 K232P  17.21569   73.47045   80.26014   10.58634  0.0788175  0.21411523   2.7671817  0 MPO719049 "
    " 7283 123 1801-2023 0.65 M-v 30k MPCLINUX   4000      (1) Ceres              20230321\n";
constexpr const char* kVesta =
    "00004    3.20  0.15 K232P 169.35181  151.66223  103.71002    7.14218  0.0881454  0.27154465   2.3615063  0 MPO719049 "
    " 7500 110 1821-2023 0.60 M-p 18k MPCLINUX   4000      (4) Vesta              20230321\n";

constexpr const char* kJplTable =
    "full_name,epoch,e,a,q,i,om,w,ma,tp,GM\n"
    "\"     1 Ceres (A801 AA)\",2460000.5,0.0788175,2.7671817,,10.58634,80.26014,73.47045,17.21569,,62.6284\n"
    "\"     4 Vesta (A807 FA)\",2460000.5,0.0881454,2.3615063,,7.14218,103.71002,151.66223,169.35181,,17.288\n"
    "\"   2I/Borisov (C/2019 Q4)\",2460000.5,3.3564778,,2.0065210,44.0526,308.1477,209.1236,,2458826.0453,\n";

Snapshot decodedText(const std::string& text, const ReadOptions& options = {}) { return decodeSnapshot(text, "t", options); }
std::string refusedText(const std::string& text, const ReadOptions& options = {}) {
    return io_test::refused([&] { decodedText(text, options); });
}

TEST(Elements, linesOfTheMinorPlanetCenterAreBodiesAboutTheSun) {
    for (const std::string& text : {std::string(kCeres) + kVesta, std::string(kMpcHead) + kCeres + "\n" + kVesta}) {
        const Snapshot s = decodedText(text);
        EXPECT_EQ(s.format, "elements");
        ASSERT_EQ(s.bodies.size(), 3u);
        EXPECT_EQ(s.names->nameOf(s.bodies.id[0]), "Sun");
        EXPECT_EQ(s.names->nameOf(s.bodies.id[1]), "(1) Ceres");
        EXPECT_EQ(s.fileUnits.length, "au");
        EXPECT_THAT(s.notes, Contains("2 bodies have no mass in the file and attract nothing"));
        // The orbit that the states have is the orbit of the line.
        const double gravity = unitSystem("solar-day").gravity;
        const Double4 &p = s.bodies.position[1], &v = s.bodies.velocity[1];
        const double r = std::hypot(p.x, p.y, p.z), speed = std::hypot(v.x, v.y, v.z);
        EXPECT_NEAR(1 / (2 / r - speed * speed / gravity), 2.7671817, 1e-7);
        const double h[3] = {p.y * v.z - p.z * v.y, p.z * v.x - p.x * v.z, p.x * v.y - p.y * v.x};
        const double momentum = std::hypot(h[0], h[1], h[2]), degree = std::numbers::pi / 180;
        EXPECT_NEAR(std::acos(h[2] / momentum), 10.58634 * degree, 1e-9);
        EXPECT_NEAR(std::atan2(h[0], -h[1]), 80.26014 * degree, 1e-9);
        EXPECT_NEAR(momentum * momentum / gravity, 2.7671817 * (1 - 0.0788175 * 0.0788175), 1e-7);
    }
}

TEST(Elements, theTableOfJplGivesTheSameStates) {
    const Snapshot mpc = decodedText(std::string(kCeres) + kVesta), jpl = decodedText(kJplTable);
    ASSERT_EQ(jpl.bodies.size(), 4u);
    for (const std::size_t body : {1u, 2u}) {
        EXPECT_LT(distance(jpl.bodies.position[body], mpc.bodies.position[body]), 1e-9) << body;
        EXPECT_LT(distance(jpl.bodies.velocity[body], mpc.bodies.velocity[body]), 1e-9) << body;
    }
    EXPECT_NEAR(jpl.bodies.position[1].w / jpl.bodies.position[0].w, 62.6284 / 1.3271244e11, 1e-16);
    EXPECT_EQ(jpl.names->nameOf(jpl.bodies.id[1]), "1 Ceres (A801 AA)");
    // A hyperbola: its speed is above that of escape by the energy of its elements.
    const Double4 &p = jpl.bodies.position[3], &v = jpl.bodies.velocity[3];
    const double r = std::hypot(p.x, p.y, p.z), gravity = unitSystem("solar-day").gravity;
    const double energy = (v.x * v.x + v.y * v.y + v.z * v.z) / 2 - gravity / r;
    EXPECT_NEAR(energy, gravity * (3.3564778 - 1) / (2 * 2.0065210), 1e-9);
    EXPECT_GT(r, 15);  // three years after its perihelion
}

TEST(Elements, ellipsesOfXephemGiveTheSameStates) {
    const std::string ceres =
        "1 Ceres,e,10.58634,80.26014,73.47045,2.7671817,0.2141152,0.0788175,17.21569,2/25.0/2023,2000,H 3.3,0.15\n";
    const Snapshot s = decodedText("# From the Minor Planet Center\n" + ceres), mpc = decodedText(kCeres);
    EXPECT_EQ(s.format, "elements");
    ASSERT_EQ(s.bodies.size(), 2u);
    EXPECT_EQ(s.names->nameOf(s.bodies.id[1]), "1 Ceres");
    EXPECT_EQ(s.bodies.position, mpc.bodies.position);
    EXPECT_EQ(s.bodies.velocity, mpc.bodies.velocity);
    EXPECT_EQ(decodedText(ceres).bodies.position, s.bodies.position);
    EXPECT_THAT(refusedText(ceres + "C/2020 F3,h,7/3.7/2020,128.9,61.0,37.3,0.9992,0.29,2000,5,4\n"),
                HasSubstr("line 2: is no ellipse of XEphem"));
    std::string other = ceres;
    other.replace(other.find(",2000,"), 6, ",1950,");
    EXPECT_THAT(refusedText(other), HasSubstr("the equinox is '1950'"));
    other = ceres;
    other.replace(other.find("2/25.0"), 6, "25/2.0");
    EXPECT_THAT(refusedText(other), HasSubstr("the epoch is '25/2.0/2023'"));
}

TEST(Elements, otherEpochsAreMovedAlongTheOrbit) {
    // The same orbit, stated a period of 1,000 days earlier with the mean anomaly of that day.
    const double gravity = unitSystem("solar-day").gravity,
                 a = std::cbrt(gravity * std::pow(1000 / (2 * std::numbers::pi), 2));
    const std::string axis = std::to_string(a);
    const auto row = [&](double epoch, double anomaly) {
        return "x," + std::to_string(epoch) + ",0.2," + axis + ",5,6,7," + std::to_string(anomaly) + "\n";
    };
    const Snapshot s = decodedText("name,epoch,e,a,i,om,w,ma\n" + row(2460000.5, 90) + row(2459750.5, 0));
    EXPECT_LT(distance(s.bodies.position[1], s.bodies.position[2]), 1e-5);
    EXPECT_THAT(s.notes, Contains("1 bodies were moved along their orbits to the epoch of the first one"));
}

TEST(Elements, badLinesAreNamed) {
    const std::string both = std::string(kCeres) + kVesta;
    const auto changed = [&](const char* from, const char* to) {
        std::string text = both;
        return refusedText(text.replace(text.rfind(from), std::strlen(from), to));
    };
    EXPECT_THAT(changed("0.0881454", "0.08x1454"), HasSubstr("t: line 2: the eccentricity is '0.08x1454'"));
    EXPECT_THAT(changed("0.0881454", "1.0000000"), HasSubstr("line 2: the eccentricity is 1.000000"));
    EXPECT_THAT(changed("K232P", "K23XP"), HasSubstr("line 2: the epoch is 'K23XP', expected one such as K239D"));
    EXPECT_THAT(changed("  2.3615063", "           "), HasSubstr("line 2: the semi-major axis is empty"));
    EXPECT_THAT(refusedText(both.substr(0, both.size() - 1)), HasSubstr("has no line end"));
    EXPECT_THAT(refusedText(both.substr(0, std::strlen(kCeres) + 60) + "\n"), HasSubstr("line 2: has 60 letters"));
    EXPECT_THAT(refusedText(std::string(kMpcHead)), HasSubstr("there are no orbits"));
    EXPECT_THAT(refusedText("MINOR PLANET CENTER ORBIT DATABASE (MPCORB)\n"), HasSubstr("the head of the file has no end"));
    EXPECT_THROW(decodedText(both, {.units = "solar"}), UsageError);
    EXPECT_THAT(refusedText("name,epoch,e,a,i,om,w,ma\nx,2460000.5,0.1,-1,0,0,0,0\n"),
                HasSubstr("perihelion distance is not"));
    EXPECT_THAT(refusedText("name,epoch,e,a,i,om,w,ma\nx,2460000.5\n"), HasSubstr("line 2: e is empty"));
}

std::string horizons(const std::string& target, const std::string& centre, const std::string& units,
                     const std::string& table) {
    return "*******************************************************************************\n"
           " Revised: April 12, 2021             " +
           target +
           "\n  GM (km^3/s^2)         = 126686531.900   Density = 1.3\n"
           "  GM 1-sigma (km^3/s^2) = +- 1.2732\n"
           "Target body name: " +
           target +
           "                     {source: DE441}\n"
           "Center body name: " +
           centre +
           "                         {source: DE441}\n"
           "Output units    : " +
           units + "\n$$SOE\n" + table + "$$EOE\n*****\n";
}
constexpr const char* kText =
    "2460000.500000000 = A.D. 2023-Feb-25 00:00:00.0000 TDB \n"
    " X = 4.8E+00 Y = 1.2E+00 Z =-1.1E-01\n VX=-1.8E-03 VY= 7.7E-03 VZ= 9.0E-06\n LT= 2.8E-02 RG= 4.9E+00 RR= 1.8E-04\n"
    "2460001.500000000 = A.D. 2023-Feb-26 00:00:00.0000 TDB \n X = 4.7E+00 Y = 1.2E+00 Z =-1.1E-01\n";
constexpr const char* kCells =
    "2460000.500000000, A.D. 2023-Feb-25 00:00:00.0000,  7.180697793600E+08, 1.795174448400E+08,-1.645576577700E+07,"
    "-3.116622306250E+00, 1.333221764340E+01, 1.558311153125E-02, 1,2,3,\n";

TEST(Horizons, tablesAsTextAndAsCsvGiveTheSameBodies) {
    const Snapshot text = decodedText(horizons("Jupiter (599)", "Sun (10)", "AU-D", kText));
    const Snapshot cells = decodedText(horizons("Jupiter (599)", "Sun (10)", "KM-S", kCells));
    for (const Snapshot* s : {&text, &cells}) {
        EXPECT_EQ(s->format, "horizons");
        ASSERT_EQ(s->bodies.size(), 2u);
        EXPECT_EQ(s->names->nameOf(s->bodies.id[1]), "Jupiter (599)");
        EXPECT_NEAR(s->bodies.position[1].w / s->bodies.position[0].w, 126686531.9 / 1.3271244e11, 1e-12);
        EXPECT_NEAR(s->bodies.position[1].x, 4.8, 1e-9);
        EXPECT_NEAR(s->bodies.position[1].z, -0.11, 1e-9);
        EXPECT_NEAR(s->bodies.velocity[1].y, 7.7e-3, 1e-9);
    }
    EXPECT_THAT(text.notes, Contains(HasSubstr("the first state of each body was taken; 1 further states were not")));
    // About the barycentre no Sun is added, and several tables stand behind each other.
    const std::string centre = "Solar System Barycenter (0)";
    const Snapshot two =
        decodedText(horizons("Sun (10)", centre, "AU-D", kText) + horizons("Earth (399)", centre, "AU-D", kText));
    ASSERT_EQ(two.bodies.size(), 2u);
    EXPECT_EQ(two.names->nameOf(two.bodies.id[1]), "Earth (399)");
}

TEST(Horizons, whatIsMissingOrUnclearIsRefused) {
    const auto with = [](const char* centre, const char* units, const std::string& table) {
        return refusedText(horizons("X", centre, units, table));
    };
    EXPECT_THAT(with("Earth (399)", "AU-D", kText), HasSubstr("the centre is 'Earth (399)"));
    EXPECT_THAT(with("Sun (10)", "FEET", kText), HasSubstr("the units are 'FEET'"));
    EXPECT_THAT(with("Sun (10)", "AU-D", "2460000.5, A.D., 1, 2, 3,\n"), HasSubstr("there are no velocities"));
    EXPECT_THAT(with("Sun (10)", "AU-D", "2460000.5 = A.D.\n X = 1 Y = 2 Z = 3\n"), HasSubstr("there is no state with"));
    EXPECT_THAT(with("Sun (10)", "AU-D", "2460000.5, A.D., 1, 2, x, 4, 5, 6,\n"), HasSubstr("Z is 'x', expected a number"));
    std::string cut = horizons("X", "Sun (10)", "AU-D", kText);
    EXPECT_THAT(refusedText(cut.substr(0, cut.find("$$EOE"))), HasSubstr("no end, a line $$EOE: cut short?"));
    std::string later = kCells;
    later.replace(later.find("2460000"), 7, "2460009");
    EXPECT_THAT(refusedText(horizons("X", "Sun (10)", "KM-S", kCells) + horizons("Y", "Sun (10)", "KM-S", later)),
                HasSubstr("is of another time than that of the first body"));
}

TEST(FilePart, aRegionAndEveryFewBodiesAreRead) {
    Snapshot all = io_test::fullCheckpoint(10);
    all.settings.clear();
    for (std::size_t i = 0; i < 10; ++i) {
        all.bodies.position[i] = {static_cast<double>(i), 0, -static_cast<double>(i), 1};
        all.bodies.id[i] = static_cast<std::uint32_t>(50 + i);
    }
    FilePart::Region region{{2, -HUGE_VAL, -7}, {HUGE_VAL, HUGE_VAL, 0}};
    for (const char* format : {"csv", "gadget", "tipsy", "hdf5"}) {
        SCOPED_TRACE(format);
        if (const Reason none = fileFormat(format).unavailable(); !none.empty()) continue;
        const std::string bytes = encodeSnapshot(all, format);
        const Snapshot part = decodedText(bytes, {.allowSigns = true, .part = {.region = region, .every = 3}});
        ASSERT_EQ(part.bodies.size(), 2u);  // of 0, 3, 6, 9 those from 2 to 7
        EXPECT_EQ(part.bodies.position[0].x, 3);
        EXPECT_EQ(part.bodies.position[1].x, 6);
        EXPECT_EQ(part.bodies.position[1].w, 1);
        EXPECT_EQ(part.bodies.id[1], part.knowsIds ? 56u : 1u);
        EXPECT_TRUE(part.state.empty() && part.settings.empty() && !part.seed);
        EXPECT_THAT(part.notes, Contains(HasSubstr("a part was read: 2 of 10 bodies, with their own masses")));
        region.low[0] = 100;
        EXPECT_THAT(refusedText(bytes, {.allowSigns = true, .part = {.region = region}}),
                    HasSubstr("none of its 10 bodies is in the part to read"));
        region.low[0] = 2;
    }
}

TEST(SnapshotSeriesText, ofAContinuedRunKeepsThoseBefore) {
    const io_test::TempFolder folder;
    for (const char* name : {"l.xdmf", "l.ply.series"}) {
        for (const char* file : {"a&\"b_0.hdf5", "s_1.hdf5", "s_2.hdf5"}) std::ofstream(folder / file) << file;
        SnapshotSeries whole(folder / name), first(folder / name), second(folder / name);
        first.add(folder / "a&\"b_0.hdf5", 0.1, 3);
        first.add(folder / "s_1.hdf5", 0.25, 4);
        first.add(folder / "s_9.hdf5", 0.3, 4);  // no longer there
        second.keepUntil(0.25, false);
        second.add(folder / "s_1.hdf5", 0.25, 4);  // once more
        second.add(folder / "s_2.hdf5", 0.5, 4);
        whole.add(folder / "a&\"b_0.hdf5", 0.1, 3);
        whole.add(folder / "s_1.hdf5", 0.25, 4);
        whole.add(folder / "s_2.hdf5", 0.5, 4);
        EXPECT_EQ(second.text(), whole.text());
        SnapshotSeries anew(folder / name);
        anew.keepUntil(0.05, false);
        anew.add(folder / "s_1.hdf5", 0.1, 4);
        EXPECT_THAT(anew.text(), ::testing::Not(HasSubstr("s_2")));
    }
    put(folder / "other.xdmf", "no list of ours <Grid Name=\"x");
    SnapshotSeries other(folder / "other.xdmf");
    other.keepUntil(1, false);
    EXPECT_THAT(other.text(), ::testing::Not(HasSubstr("Name=\"x")));
}

TEST(SnapshotSeriesText, namesFilesWithTheirTimes) {
    const io_test::TempFolder folder;
    SnapshotSeries xdmf(folder / "a&b.xdmf"), ply(folder / "s.ply.series"), none("");
    for (SnapshotSeries* series : {&xdmf, &ply, &none}) {
        series->add(folder / "out/s_0.hdf5", 0, 3);
        series->add(folder / "out/s_1.hdf5", 0.25, 4);
    }
    EXPECT_EQ(folder.entries(), 2u);
    const std::string text = contentOf(folder / "a&b.xdmf");
    EXPECT_EQ(text, xdmf.text());
    EXPECT_THAT(text, HasSubstr("<Time Value=\"0.25\"/>"));
    EXPECT_THAT(text, HasSubstr("Dimensions=\"4 3\">out/s_1.hdf5:/PartType1/Coordinates</DataItem>"));
    EXPECT_THAT(contentOf(folder / "s.ply.series"), HasSubstr("\"name\": \"out/s_1.hdf5\""));
    EXPECT_THROW(requireSeries("a.xdmf", "s_%d.ply"), UsageError);
    EXPECT_THROW(requireSeries("a.series", "s_%d.hdf5"), UsageError);
    EXPECT_THROW(requireSeries("a.txt", "s_%d.hdf5"), UsageError);
    EXPECT_THROW(requireSeries("a.xdmf", "b:c/s_%d.hdf5"), UsageError);
    requireSeries("a.xdmf", "s_%d.h5");
    requireSeries("a.ply.series", "s_%d.ply");
}

}  // namespace
}  // namespace gravlab
