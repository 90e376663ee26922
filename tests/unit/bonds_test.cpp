// Bonds: their laws, every layout and row against the plain statement, known oscillations, breaking, files and bad input.
#include "sim/forces/bonds/bonds.h"
#include "app/runs/history.h"
#include "app/runs/state_feed.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/body_edit.h"
#include "sim/forces/bonds/bond_rows.h"
#include "sim/forces/term_check.h"
#include "sim/io/checkpoint.h"
#include "sim/io/formats/formats.h"
#include "sim/run/simulation.h"
#include "tests/advance.h"
#include "tests/tangle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

namespace gravlab {
namespace {

using namespace testing_support;
using testing::HasSubstr;

TEST(Bonds, pullAsTheirEnergySaysAndKeepMomenta) {
    for (const BondLaw law : {BondLaw::hooke, BondLaw::fene, BondLaw::morse}) {
        const BondClass<double> bond{1.25, 3, 0, 0.8, law};
        for (const double r : {0.5, 1.0, 1.25, 1.5, 2.0, 2.23, 2.3, 3.0}) {
            const double h = 1e-6, slope = (bondEnergy(bond, r + h) - bondEnergy(bond, r - h)) / (2 * h);
            EXPECT_NEAR(bondForce(bond, Vec3d{0, r, 0}, Vec3d{}).y, slope, 1e-6 * std::max(1.0, std::abs(slope)))
                << kBondLaws[static_cast<std::size_t>(law)] << " " << r;
        }
        const double h = 1e-4, stiff = (bondPull(bond, 1.25 + h) - bondPull(bond, 1.25 - h)) / (2 * h);
        EXPECT_NEAR(stiff, bond.stiffness, 1e-5) << "all laws are alike at rest";
        EXPECT_EQ(length(bondForce(bond, Vec3d{}, Vec3d{})), 0) << "no direction, no pull";
    }
    const BondClass<double> damped{1, 0, 2, 0, BondLaw::hooke};
    EXPECT_DOUBLE_EQ(bondForce(damped, Vec3d{2, 0, 0}, Vec3d{3, 5, 0}).x, 6) << "only along the bond";
    EXPECT_EQ(bondForce(damped, Vec3d{2, 0, 0}, Vec3d{3, 5, 0}).y, 0);

    Tangle tangle(60);
    for (Double4& velocity : tangle.bodies.velocity) velocity.w = 1;
    for (Double4& position : tangle.bodies.position) position.w = std::max(position.w, 1e-3);
    std::vector<Double4> a(60);
    const double pulls = tangle.bonds->addAccelerations(termBodies(tangle.bodies), allOf(tangle.bodies), a, {});
    EXPECT_EQ(pulls, 2.0 * static_cast<double>(tangle.bonds->list().size()));
    Vec3d momentum{}, turning{};
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Double4& x = tangle.bodies.position[i];
        momentum += x.w * xyz(a[i]);
        turning += x.w * cross(xyz(x), xyz(a[i]));
        size += x.w * length(a[i]);
    }
    EXPECT_GT(size, 0.1);
    EXPECT_LT(length(momentum), 1e-13 * size);
    EXPECT_LT(length(turning), 1e-13 * size);
    double sum = 0;
    for (std::size_t i = 0; i < 60; ++i) sum += tangle.bonds->potentialOf(termBodies(tangle.bodies), i);
    EXPECT_NEAR(sum / 2, tangle.bonds->potential(termBodies(tangle.bodies)), 1e-12 * std::abs(sum));
    EXPECT_NEAR(tangle.bonds->potentialOf(termBodies(tangle.bodies), 0),
                tangle.bonds->ForceTerm::potentialOf(termBodies(tangle.bodies), 0), 1e-12 * std::abs(sum));
}

TEST(Bonds, layoutsHoldEveryBondOnce) {
    const Tangle tangle(200);
    const BondList& list = tangle.bonds->list();
    const BondRows rows = rowsOf(*tangle.bonds, tangle.bodies.id);
    EXPECT_EQ(rows.entries(), 2 * list.size());
    std::vector<int> seen(list.size());
    for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::uint32_t e = rows.first[i]; e < rows.first[i + 1]; ++e) {
            ++seen[rows.bond[e]];
            const std::set<std::uint32_t> ends{tangle.bodies.id[i], tangle.bodies.id[rows.other[e]]};
            EXPECT_EQ(ends, (std::set{list.first[rows.bond[e]], list.second[rows.bond[e]]}));
            if (e > rows.first[i]) {
                EXPECT_LT(rows.bond[e - 1], rows.bond[e]) << "the order of the list";
            }
        }
    EXPECT_THAT(seen, testing::Each(2));
    EXPECT_EQ(lengthsOf(rows).longest, 40u);

    const BondColours colours = coloursOf(*tangle.bonds, tangle.bodies.id);
    EXPECT_EQ(colours.bond.size(), list.size());
    EXPECT_GE(colours.colours(), 40u);
    for (std::size_t c = 0; c < colours.colours(); ++c) {
        std::set<std::uint32_t> touched;
        for (std::uint32_t k = colours.first[c]; k < colours.first[c + 1]; ++k) {
            EXPECT_TRUE(touched.insert(colours.left[k]).second);
            EXPECT_TRUE(touched.insert(colours.right[k]).second);
        }
    }
    // The width that a third of the rows reach.
    const std::uint32_t width = hybridWidth(rows);
    std::size_t reach = 0, beyond = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) reach += rows.length(i) >= width, beyond += rows.length(i) > width;
    EXPECT_GE(3 * reach, rows.rows());
    EXPECT_LT(3 * beyond, rows.rows());

    std::vector<Bond> star;
    for (std::uint32_t i = 1; i <= 65; ++i) star.push_back({0, i, {1, 1, 0, 0, BondLaw::hooke}});
    std::vector<std::uint32_t> ids(66);
    std::iota(ids.begin(), ids.end(), 0u);
    try {
        coloursOf(*bondsBetween(star), ids);
        FAIL() << "65 bonds of one body need 65 colours";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("64"));
        EXPECT_THAT(error.what(), HasSubstr("bonds-per-row"));
    }
    star.pop_back();
    EXPECT_EQ(coloursOf(*bondsBetween(star), ids).colours(), 64u);
}

INSTANTIATE_TEST_SUITE_P(Cpu, BondSuite, testing::Values(BondsOf{.backend = "cpu", .counts = {2, 60, 1500}}),
                         nameOfBackend<BondsOf>);

/// A chain of `count` masses between two held ones, so light that gravity does nothing.
ParticleSet chainOf(std::size_t count, double mass) {
    std::vector<Double4> x, v;
    for (std::size_t i = 0; i < count + 2; ++i) {
        x.push_back({static_cast<double>(i), 0, 0, mass});
        v.push_back({0, 0, 0, 1});
    }
    ParticleSet bodies = bodiesOf(x, v);
    bodies.velocity.front().w = bodies.velocity.back().w = 0;
    return bodies;
}

TEST(Bonds, oscillateAsTheoryPredicts) {
    // Two masses on a spring: the square of the frequency is stiffness times the sum of the inverse masses.
    constexpr double kSmall = 1e-12, kStep = 1.0 / 512;
    const auto oscillation = [&](const ParticleSet& start, const std::shared_ptr<const Bonds>& bonds, double frequency,
                                 const auto& amplitude) {
        const std::unique_ptr<Backend> made = backend("reference").make({});
        made->load(start, termsOf({.precision = Precision::fp64, .softening = 1}, {bonds}), SystemConfiguration(2));
        // Leapfrog itself oscillates faster: sin(w' h / 2) = w h / 2.
        const double exact = 2 / kStep * std::asin(frequency * kStep / 2), first = amplitude(start);
        for (int point = 1; point <= 8; ++point) {
            for (int done = 0; done < 300;)
                done += static_cast<int>(
                    made->advance(integrator("leapfrog").program, kStep, {.steps = 300 - done}, nullptr).stepsCompleted);
            ParticleSet now = made->bodies();
            EXPECT_NEAR(amplitude(now), first * std::cos(exact * 300 * point * kStep), 2e-7 * std::abs(first))
                << "frequency " << frequency << ", point " << point;
        }
    };
    const double heavy = 3 * kSmall, light = kSmall, stiffness = 40 * kSmall;
    ParticleSet two = bodiesOf({{0, 0, 0, heavy}, {1.001, 0, 0, light}}, {{0, 0, 0, 1}, {0, 0, 0, 1}});
    oscillation(two, bondsBetween({{0, 1, {1, stiffness, 0, 0, BondLaw::hooke}}}),
                std::sqrt(stiffness * (1 / heavy + 1 / light)),
                [](const ParticleSet& b) { return b.position[1].x - b.position[0].x - 1; });

    // Normal modes of a chain between walls: w_k = 2 sqrt(k / m) sin(pi n / (2 (N + 1))).
    constexpr std::size_t kLinks = 12;
    for (const int mode : {1, 5, 12}) {
        ParticleSet chain = chainOf(kLinks, kSmall);
        std::vector<Bond> bonds;
        for (std::uint32_t i = 0; i <= kLinks; ++i) bonds.push_back({i, i + 1, {1, stiffness, 0, 0, BondLaw::hooke}});
        const auto shape = [&](std::size_t i) {
            return std::sin(std::numbers::pi * mode * static_cast<double>(i) / (kLinks + 1));
        };
        for (std::size_t i = 1; i <= kLinks; ++i) chain.position[i].x += 1e-3 * shape(i);
        oscillation(chain, bondsBetween(bonds),
                    2 * std::sqrt(stiffness / kSmall) * std::sin(std::numbers::pi * mode / (2 * (kLinks + 1.0))),
                    [&](const ParticleSet& b) {
                        double sum = 0;
                        for (std::size_t i = 1; i <= kLinks; ++i)
                            sum += shape(i) * (b.position[i].x - static_cast<double>(i));
                        return sum;
                    });
    }
}

TEST(Bonds, breakAtTheEndOfAStepWhateverCutsIt) {
    struct Case {
        const char* backend;
        const char* kernel;
        Precision precision;
    };
    for (const Case& c : {Case{"reference", "plain", Precision::fp64},
                          {"cpu", "bonds-per-row", Precision::fp32},
                          {"cpu", "bonds-symmetric", Precision::fp64}}) {
        SCOPED_TRACE(c.kernel);
        RunRequest wanted = tidal(c.backend, c.precision);
        wanted.terms["bonds"].kernel.kernel = c.kernel;
        RunRequest oneThread = wanted;
        oneThread.backendOptions.threads = 1;
        Simulation whole(wanted);
        expectBondsBreakAtTheEndOfAStep(whole, oneThread, 1e-11);
        // What is broken is longer than it may be, or was; what is whole is not.
        const ParticleSet bodies = stateIn(whole);
        EXPECT_EQ(bondsIn(whole).after(termBodies(bodies)), nullptr);
        // Other kernels keep what is broken.
        const std::vector<std::uint32_t> now = bondsIn(whole).broken();
        RunRequest other = requestOf(whole.configuration());
        other.changeBackend(std::string(c.backend) == "cpu" ? "reference" : "cpu");
        whole.apply(other);
        EXPECT_EQ(bondsIn(whole).broken(), now);
        run(whole, 1);
        // Energy counts whole bonds alone, and the check compares the same ones.
        const Diagnostics measured = whole.measure();
        EXPECT_NEAR(measured.potential, measureSystem(stateIn(whole), whole.terms()).potential, 1e-12);
        for (int k = 0; k < 50 && !whole.forceCheck(); ++k) run(whole, 1);
        ASSERT_TRUE(whole.forceCheck());
        EXPECT_TRUE(whole.forceCheck()->passed) << whole.forceCheck()->text();
    }
    RunRequest adaptive = tidal("reference");
    adaptive.integrator = "radau15";
    EXPECT_THROW(Simulation{adaptive}, UsageError);
}

TEST(Bonds, theHistoryOfAWindowMendsThem) {
    Simulation simulation(tidal("cpu"));
    History rewind;
    StateFeed feed;
    for (int k = 0; k < 2; ++k) {
        rewind.update(simulation, feed, 0);
        feed.serve(simulation);
    }
    rewind.settle();
    ASSERT_EQ(rewind.marks().size(), 1u);
    run(simulation, 700);
    const ParticleSet later = stateIn(simulation);
    const std::vector<std::uint32_t> broken = bondsIn(simulation).broken();
    ASSERT_GT(broken.size(), 3u);
    rewind.go(simulation, feed, 0);
    EXPECT_TRUE(bondsIn(simulation).broken().empty());
    run(simulation, 700);
    EXPECT_TRUE(sameState(stateIn(simulation), later));
    EXPECT_EQ(bondsIn(simulation).broken(), broken);
}

TEST(Bonds, aStepTooLongForTheStiffestIsRefusedWithTheRightOne) {
    RunRequest wanted{.scene = "rope", .backend = "cpu", .timeStep = 0.02};
    std::string why;
    try {
        Simulation simulation(wanted);
        FAIL() << "it would explode";
    } catch (const UsageError& error) {
        why = error.what();
    }
    EXPECT_THAT(why, HasSubstr("the bond of bodies"));
    const std::size_t at = why.find("a time step of ");
    ASSERT_NE(at, std::string::npos) << why;
    const double right = std::stod(why.substr(at + 15));
    EXPECT_GT(right, 0.004);
    wanted.timeStep = right;
    Simulation simulation(wanted);
    const double energy = simulation.measure().energy();
    run(simulation, 400);
    EXPECT_LT(std::abs(simulation.measure().energy() - energy), 0.1 * std::abs(energy)) << "the named step is none";
    RunRequest longer = simulation.request();
    longer.timeStep = 1.1 * right;
    EXPECT_THROW(simulation.apply(longer), UsageError);
    EXPECT_EQ(simulation.configuration().timeStep, right);
}

TEST(Bonds, removedBodiesTakeTheirBondsAlong) {
    Simulation simulation({.scene = "hub", .bodies = 200, .backend = "cpu"});
    ParticleSet bodies = stateIn(simulation);
    const BodyEdit gone{.kind = BodyEdit::Kind::remove, .id = 7};
    applyEdits(bodies, std::span(&gone, 1));
    simulation.load(bodies);
    const BondRows rows = rowsOf(bondsIn(simulation), bodies.id);
    EXPECT_EQ(rows.length(0), 198u);
    std::vector<Double4> got, want(bodies.size());
    for (const auto& term : simulation.terms()) term->addAccelerations(termBodies(bodies), allOf(bodies), want, {});
    simulation.backend().accelerations(got);
    EXPECT_TRUE(compareForces(got, want, kGate64).passed);
    run(simulation, 3);
}

TEST(Bonds, rowsThatLeaveNothingOutTakeNoAccuracy) {
    for (const char* setting : {"accuracy", "opening"}) {
        RunRequest wanted{.scene = "cloth", .bodies = 50, .backend = "cpu"};
        TermRequest& asked = wanted.terms["bonds"];
        (std::string_view(setting) == "accuracy" ? asked.accuracy : asked.opening) = 1e-3;
        try {
            const Simulation simulation(wanted);
            FAIL() << setting << " is listed as in force: " << simulation.configuration().terms.back().accuracy;
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr("of the force term 'bonds' leaves nothing out"));
        }
    }
}

TEST(Bonds, tablesAreReadAndBadOnesRefusedByLine) {
    std::vector<std::uint32_t> ids{10, 11, 12, 40};
    const auto read = [&](const std::string& text) { return decodeBonds(text, "net.csv", ids); };
    const auto good = read(
        "# bonds: 3\ni,j,length,stiffness,damping,breaking,law\n10,11,1,2,,,\n11,12,0.5,3,0.1,0.2,fene\n"
        "40;10;1;2;0;0;hooke\n");
    ASSERT_EQ(good->list().size(), 3u);
    EXPECT_EQ(good->list().classes.size(), 2u) << "equal numbers are one class";
    EXPECT_EQ(good->list().numbersOf(1), (BondClass<double>{0.5, 3, 0.1, 0.2, BondLaw::fene}));
    EXPECT_EQ(read("stiffness length j i\n2 1 11 10\n")->list().second[0], 11u);
    const std::string header = "i,j,length,stiffness,breaking,law\n", line = "10,11,1,2,0,\n";
    const std::pair<std::string, const char*> bad[] = {
        {header + line + "10,13,1,2,0,\n", "line 3: there is no body with the id 13"},
        {header + "11,11,1,2,0,\n", "line 2: it joins body 11 to itself"},
        {header + line + "10,12,1,2,0,\n11,10,3,2,0,\n", "line 4: bodies 11 and 10 have a bond already"},
        {header + "10,11,-1,2,0,\n", "line 2: its length is -1"},
        {header + "10,11,nan,2,0,\n", "line 2: its length is nan"},
        {header + "10,11,1,inf,0,\n", "line 2: its stiffness is inf"},
        {header + "10,11,1,2,0,fene\n", "line 2: its breaking strain is 0"},
        {header + "10,11,1,2,0,glue\n", "line 2: the law 'glue' is unknown"},
        {header + "10,-4,1,2,0,\n", "line 2: j is '-4'"},
        {header + "10,11,1,x,0,\n", "line 2: stiffness is 'x'"},
        {header + "10,11,1\n", "line 2: it has 3 columns"},
        {header + "10,11,1,2,0,", "line end"},
        {"i,j,length\n", "'stiffness' is missing"},
        {"i,j,length,colour\n", "'colour' is unknown"},
        {header, "it has no bonds"},
        {"# bonds: 1000000000\n" + header + line, "line 1: it states 1000000000 bonds, and the file has only"},
        {"# bonds: 9000000000\n" + header + line, "line 1: it states 9000000000 bonds"},
        {"# bonds: 2\n" + header + line, "it states 2 bonds and has 1"}};
    for (const auto& [text, why] : bad) try {
            read(text);
            FAIL() << "accepted: " << text;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr(why));
            EXPECT_THAT(error.what(), HasSubstr("net.csv"));
        }
}

TEST(Bonds, numbersOfFilesAreChecked) {
    const std::vector<StateArray> good = Tangle(20).bonds->withBroken({3, 5})->numbers();
    EXPECT_EQ(Tangle(20).bonds->withBroken({5, 3})->withBroken({7, 4, 5, 1})->broken(),
              (std::vector<std::uint32_t>{1, 3, 4, 5, 7}));
    const auto again = Bonds::make(good);
    EXPECT_EQ(again->numbers(), good);
    EXPECT_EQ(static_cast<const Bonds&>(*again).broken(), (std::vector<std::uint32_t>{3, 5}));
    const auto spoilt = [&](const char* name, std::size_t at, double value) {
        std::vector<StateArray> numbers = good;
        for (StateArray& array : numbers)
            if (array.name == name) array.values.at(at) = value;
        return numbers;
    };
    for (const auto& [name, value] : {std::pair("first", -1.0),
                                      {"first", 0.5},
                                      {"second", 5e9},
                                      {"length", -1.0},
                                      {"stiffness", std::nan("")},
                                      {"law", 3.0},
                                      {"class", 9.0},
                                      {"broken", 1e6}})
        EXPECT_THROW(Bonds::make(spoilt(name, 0, value)), InputError) << name << " " << value;
    EXPECT_THROW(Bonds::make(spoilt("broken", 1, 3)), InputError) << "a bond breaks once";
    std::vector<StateArray> doubled = good;
    for (StateArray& array : doubled)
        if (array.name == "first" || array.name == "second") array.values[4] = array.values[0];
    EXPECT_THROW(Bonds::make(doubled), InputError);
    std::vector<StateArray> shorter = good;
    for (StateArray& array : shorter)
        if (array.name == "second") array.values.pop_back();
    EXPECT_THROW(Bonds::make(shorter), InputError);
    for (std::size_t k = 0; k < good.size(); ++k) {
        std::vector<StateArray> fewer = good;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
        EXPECT_THROW(Bonds::make(fewer), InputError) << good[k].name;
    }
}

TEST(Bonds, filesCarryThemInAGroupOfTheirOwn) {
    Simulation first({.scene = "cloth", .bodies = 50, .backend = "cpu"});
    const std::string bytes = encodeSnapshot(checkpointOf(first), "hdf5");
    EXPECT_NE(bytes.find("Bonds"), std::string::npos);
    EXPECT_EQ(bytes.find("term.00.bonds"), std::string::npos) << "they are there twice";
    Simulation again(startFrom(decodeSnapshot(bytes, "cloth.hdf5"), "cloth.hdf5").request);
    EXPECT_TRUE(sameTerms(othersOf(again.terms()), othersOf(first.terms())));
    EXPECT_EQ(encodeSnapshot(checkpointOf(again), "hdf5"), bytes);

    // A part has the bonds between its bodies.
    ReadOptions options{.part = {.every = 3}};
    const Snapshot part = decodeSnapshot(bytes, "cloth.hdf5", options);
    const auto& all = static_cast<const Bonds&>(*othersOf(first.terms()).front()).list();
    std::size_t between = 0;
    for (std::size_t k = 0; k < all.size(); ++k) between += all.first[k] % 3 == 0 && all.second[k] % 3 == 0;
    ASSERT_GT(between, 0u) << "no bond is between two of them, so this proves nothing";
    std::vector<StateArray> state = part.state;
    const ForceTerms kept = takeTerms(state, "part");
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(static_cast<const Bonds&>(*kept.front()).list().size(), between);
    EXPECT_THAT(part.notes, ::testing::Contains(HasSubstr("and " + std::to_string(between) + " of its " +
                                                          std::to_string(all.size()) + " bonds")));
    Simulation alone(startFrom(decodeSnapshot(encodeSnapshot(part, "hdf5"), "part.hdf5"), "part.hdf5").request);
    EXPECT_TRUE(sameTerms(othersOf(alone.terms()), kept));
    EXPECT_THAT(lostIn(fileFormat("csv"), decodeSnapshot(bytes, "cloth.hdf5")), ::testing::Contains("the bonds"));
}

}  // namespace
}  // namespace gravlab
