// Contacts: what other programs got wrong (many at once, clumps, two mergers of one body, passages between two steps), what
// is conserved, and the run around them: slices, threads, rewinding, files.
#include "sim/contact/contact.h"
#include "app/runs/history.h"
#include "sim/api/errors.h"
#include "sim/core/random.h"
#include "sim/forces/bonds/bonds.h"
#include "sim/io/checkpoint.h"
#include "sim/measure/diagnostics.h"
#include "tests/bodies.h"
#include "tests/contact_lists.h"
#include "tests/contact_runs.h"
#include "tests/far_units.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const ForceSettings kGravity{.precision = Precision::fp64};

/// Mass, momentum and angular momentum with spin, and the sums of their absolute values as the scale of rounding.
struct Kept {
    double mass = 0, scale = 0;
    Vec3d momentum{}, turning{};
};
Kept keptOf(const ParticleSet& bodies) {
    Kept k;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Vec3d x = xyz(bodies.position[i]), v = xyz(bodies.velocity[i]);
        const double m = bodies.position[i].w;
        k.mass += m;
        k.momentum += m * v;
        k.turning += m * cross(x, v);
        k.scale += m * (1 + length(x)) * length(v);
    }
    k.turning += rotationOf(bodies).angularMomentum;
    return k;
}
void expectKept(const Kept& before, const ParticleSet& bodies, double tolerance = 1e-13) {
    const Kept after = keptOf(bodies);
    EXPECT_LE(std::abs(after.mass - before.mass), tolerance * before.mass);
    EXPECT_LE(distance(after.momentum, before.momentum), tolerance * before.scale);
    EXPECT_LE(distance(after.turning, before.turning), tolerance * before.scale);
}

ParticleSet balls(const std::vector<Double4>& positions, const std::vector<Double4>& velocities, double radius) {
    ParticleSet bodies = testing_support::bodiesOf(positions, velocities);
    bodies.surface.assign(bodies.size(), {radius, {}});
    return bodies;
}
/// Positions a step earlier, on straight paths.
std::vector<Double4> earlier(const ParticleSet& bodies, double length) {
    std::vector<Double4> before = bodies.position;
    for (std::size_t i = 0; i < before.size(); ++i)
        before[i] = packed(xyz(before[i]) - length * xyz(bodies.velocity[i]), before[i].w);
    return before;
}
std::vector<ContactEvent> resolve(ParticleSet& bodies, ContactMode mode, double length = 1, double restitution = 0.5,
                                  double friction = 0) {
    return testing_support::resolveHere(earlier(bodies, length), bodies,
                                        {.mode = mode, .restitution = restitution, .friction = friction}, kGravity,
                                        {.step = 1, .time = 0, .length = length});
}

/// Bodies on random paths within a ball of radius 1.
ParticleSet clump(std::size_t count, double radius, double speed) {
    std::vector<Double4> x(count), v(count);
    for (std::size_t i = 0; i < count; ++i) {
        Random random(5, i);
        const auto number = [&](double most) { return random.uniform(-most, most); };
        x[i] = {number(1), number(1), number(1), random.uniform(0.5, 1.5) / static_cast<double>(count)};
        v[i] = {number(speed), number(speed), number(speed), 1};
    }
    ParticleSet bodies = balls(x, v, radius);
    for (std::size_t i = 0; i < count; ++i) bodies.surface[i].spin = {0.1 * static_cast<double>(i % 3), 0, -0.2};
    return bodies;
}

TEST(Contact, whatOthersMissIsFoundAndNothingIsLost) {
    // 24 bodies hit one in the same step, four of them at the same moment: all merge.
    std::vector<Double4> x{{0, 0, 0, 1}}, v{{0, 0, 0, 1}};
    for (int k = 0; k < 24; ++k) {
        const double angle = k * 0.7, z = -0.9 + 0.075 * k, r = std::sqrt(1 - z * z), speed = k < 4 ? 2 : 2 + 0.03 * k;
        const Vec3d out{r * std::cos(angle), r * std::sin(angle), z};
        x.push_back(packed((3 - speed) * out, 1e-3));
        v.push_back(packed(-speed * out, 1));
    }
    ParticleSet bodies = balls(x, v, 0.01);
    bodies.surface[0].radius = 1.2;
    Kept before = keptOf(bodies);
    EXPECT_EQ(resolve(bodies, ContactMode::stick).size(), 24u);
    ASSERT_EQ(bodies.size(), 1u);
    EXPECT_EQ(bodies.id[0], 0u);
    expectKept(before, bodies);

    // One body merges twice: without the first merger it would not meet the third.
    bodies = balls({{1, 0, 0, 1}, {0, 1, 0, 1}, {0.5, 0.5, 0, 1}}, {{2, 0, 0, 1}, {0, 2, 0, 1}, {0, 0, 0, 1}}, 0.1);
    before = keptOf(bodies);
    std::vector<ContactEvent> events = resolve(bodies, ContactMode::stick);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(bodies.size(), 1u);
    EXPECT_LT(events[0].time, events[1].time);
    EXPECT_NEAR(bodies.surface[0].radius, 0.1 * std::cbrt(3.0), 1e-15);
    expectKept(before, bodies);

    // A passage between two steps, at 2,000 radii a step; a narrow miss beside it stays a miss.
    bodies = balls({{1, 0, 0, 1}, {-1, 1.9e-3, 0, 1}}, {{2, 0, 0, 1}, {-2, 0, 0, 1}}, 1e-3);
    EXPECT_EQ(resolve(bodies, ContactMode::stick).size(), 1u);
    bodies = balls({{1, 0, 0, 1}, {-1, 2.1e-3, 0, 1}}, {{2, 0, 0, 1}, {-2, 0, 0, 1}}, 1e-3);
    EXPECT_EQ(resolve(bodies, ContactMode::stick).size(), 0u);
}

/// A body of mass 100 and radius 1 at rest, which 24 bodies of mass 1 and radius 0.1 reach from a distance of 1.101.
ParticleSet siege() {
    constexpr int kCount = 24;
    std::vector<Double4> x{{0, 0, 0, 100}}, v{{0, 0, 0, 1}};
    for (int k = 0; k < kCount; ++k) {
        const double z = 1 - 2 * (k + 0.5) / kCount, r = std::sqrt(1 - z * z);
        const double angle = k * std::numbers::pi * (3 - std::sqrt(5.0));
        const Vec3d out{r * std::cos(angle), r * std::sin(angle), z};
        x.push_back(packed(1.101 * out, 1));
        v.push_back(packed(-1 * out, 1));
    }
    ParticleSet bodies = balls(x, v, 0.1);
    bodies.surface[0].radius = 1;
    return bodies;
}

TEST(Contact, bodiesThatReachOneInAStepMergeWithItInThatStep) {
    for (const double softening : {0.0, 0.188})
        for (const int threads : {1, 3})
            for (const auto& [timeStep, steps] : {std::pair(0.01, 1), std::pair(0.001, 10)}) {
                RunRequest request = testing_support::startOf(siege(), softening, timeStep, "cpu");
                request.contact = ContactMode::merge;
                request.backendOptions.threads = threads;
                Simulation simulation(request);
                simulation.takeContactEvents();
                run(simulation, steps);
                const ParticleSet left = simulation.bodies();
                ASSERT_EQ(left.size(), 1u) << timeStep;
                EXPECT_NEAR(left.position[0].w, 124, 1e-5);
                EXPECT_EQ(simulation.contacts().bounces, 0);
                EXPECT_EQ(simulation.takeContactEvents().back().step, 1);
            }
}

TEST(Contact, whatAMergerCoversTouchesAtOnceAndOverlapAloneSeparatesNoPair) {
    // The two at the left merge; the larger body then covers the third, at rest beside them, which merges in the same step.
    ParticleSet bodies =
        balls({{0.0, 0, 0, 1}, {-0.1, 0, 0, 1}, {0.24, 0, 0, 1e-3}}, {{-0.5, 0, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0, 1}}, 0.1);
    for (std::size_t i = 0; i < 2; ++i) bodies.surface[i].radius = 0.2;
    bodies.surface[2].radius = 0.01;
    EXPECT_EQ(resolve(bodies, ContactMode::merge, 0.5).size(), 2u);
    // A bound pair deep in each other merges, although it would part at the speed of escape.
    bodies = balls({{0.0, 0, 0, 1}, {0.1, 0, 0, 1}}, {{0.1, 0, 0, 1}, {-0.1, 0, 0, 1}}, 0.1);
    const std::vector<ContactEvent> events = resolve(bodies, ContactMode::merge, 1e-3);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, ContactKind::merge);
}

/// The relative error of the energy's balance after some steps with contacts.
double balanceError(const RunRequest& request, int steps, std::int64_t mergers) {
    Simulation simulation(request);
    simulation.takeContactEvents();
    const double before = simulation.measure().energy();
    run(simulation, steps);
    EXPECT_GE(simulation.contacts().merges, mergers);
    double lost = 0;
    for (const ContactEvent& event : simulation.takeContactEvents()) lost += event.lost;
    EXPECT_NEAR(lost, simulation.contacts().lost, 1e-9 * std::abs(lost)) << "the log has the balance";
    return std::abs(simulation.measure().balance() / before - 1);
}

TEST(Contact, theBalanceOfMergersCountsFieldsBondsCarriersAndLightBodies) {
    const ParticleSet pair = balls({{0.5, 0, 0, 1}, {1.2, 0, 0, 1}}, {{0, 1, 0, 1}, {-0.5, 1, 0, 1}}, 0.2);
    RunRequest request = testing_support::startOf(pair, 0, 1e-3, "cpu");
    request.contact = ContactMode::stick;
    request.precision = Precision::fp64;
    request.fields = "harmonic,frequency=5";
    EXPECT_LT(balanceError(request, 300, 1), 1e-4);  // 4.8e-2 without the field
    // The field ends with the body that carries it.
    request.start = testing_support::startOf(balls({{0, 0, 0, 1}, {-1, 0, 0, 2}, {3, 0, 0, 0.1}},
                                                   {{0, 0, 0, 1}, {4, 0, 0, 1}, {0, 1, 0, 1}}, 0.2),
                                             0, 1e-3, "cpu")
                        .start;
    request.fields = "hernquist,mass=5,scale=1,body=0";
    EXPECT_LT(balanceError(request, 300, 1), 1e-4);
    Simulation simulation(request);
    run(simulation, 300);
    EXPECT_THAT(simulation.takeNote(), AllOf(HasSubstr("body 0 merged into body 1"), HasSubstr("hernquist")));
    EXPECT_EQ(simulation.takeNote(), "");
    // A bond ends with one of its bodies.
    const auto list = std::make_shared<BondList>();
    list->add({.first = 0, .second = 1, .numbers = {.length = 0.5, .stiffness = 40}});
    Snapshot bonded;
    bonded.bodies = pair;
    bonded.softening = 0;
    bonded.timeStep = 1e-3;
    bonded.state = arraysOf(ForceTerms{std::make_shared<const Bonds>(list)});
    request = startFrom(std::move(bonded), "bonded.csv").request;
    request.backend = "cpu";
    request.contact = ContactMode::stick;
    request.precision = Precision::fp64;
    EXPECT_LT(balanceError(request, 300, 1), 1e-4);
    // No body has a thousandth of the mass.
    RunRequest cold{
        .scene = "cold-collapse", .bodies = 1500, .backend = "cpu", .contact = ContactMode::stick, .radius = 0.02};
    cold.precision = Precision::fp64;
    cold.timeStep = 2e-3;
    EXPECT_LT(balanceError(cold, 20, 20), 2e-6);
}

TEST(Contact, moreOverlapsThanMemoryHoldsAreRefusedWithASentence) {
    RunRequest request{.scene = "plummer", .bodies = 4200, .backend = "cpu", .contact = ContactMode::bounce, .radius = 1e-4};
    Simulation simulation(request);
    request.radius = 1e6;
    EXPECT_THAT([&] { simulation.apply(request); }, testing::ThrowsMessage<OutOfMemoryError>(AllOf(
                                                        HasSubstr("pairs of 4200 bodies"), HasSubstr("smaller radius"))));
    EXPECT_EQ(simulation.configuration().contact.radius, 1e-4);
    // Also where bodies meet within a step.
    ParticleSet start = clump(4200, 0.01, 0);
    const std::vector<Double4> before = start.position;
    for (Double4& x : start.position) x = {-x.x, -x.y, -x.z, x.w};
    for (Surface& surface : start.surface) surface.radius = 0.9;
    EXPECT_THROW(
        testing_support::resolveHere(before, start, {.mode = ContactMode::bounce}, kGravity, {.step = 1, .length = 1}),
        OutOfMemoryError);
}

TEST(Contact, clumpsOfFiftyThousandBodiesEndInEveryMode) {
    const ParticleSet start = clump(50000, 0.015, 0.01);
    for (const ContactMode mode : {ContactMode::stick, ContactMode::bounce}) {
        ParticleSet bodies = start;
        const Kept before = keptOf(bodies);
        const std::vector<ContactEvent> events = resolve(bodies, mode, 1, 0.5, 0.3);
        EXPECT_GT(events.size(), 10000u);
        EXPECT_TRUE(std::ranges::is_sorted(events, {}, &ContactEvent::time));
        expectKept(before, bodies, 1e-12);
        if (mode == ContactMode::bounce) continue;
        EXPECT_EQ(bodies.size() + events.size(), start.size());
        EXPECT_EQ(countOverlaps(bodies), 0u);
    }
}

TEST(Contact, aHeapDoesNotSinkIntoItself) {
    // A cold ball falls together, until its bodies rest on each other under the weight of those above.
    const double radius = 0.08;
    ParticleSet bodies = clump(120, radius, 0.05);
    RunRequest request = testing_support::startOf(bodies, 0, 1.0 / 128, "cpu");
    request.contact = ContactMode::bounce;
    request.restitution = 0.1;
    Simulation simulation(request);
    run(simulation, 1000);
    simulation.snapshot(bodies);
    double sum = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        double deepest = 0;
        for (std::size_t k = 0; k < bodies.size(); ++k)
            if (k != i) deepest = std::max(deepest, 1 - distance(bodies.position[i], bodies.position[k]) / (2 * radius));
        sum += deepest;
    }
    EXPECT_LT(sum, 0.1 * static_cast<double>(bodies.size())) << "of the sum of two radii";
}

TEST(Contact, theOrderIsThatOfTimeAndIdsWhateverTheOrderOfTheBodies) {
    const ParticleSet start = clump(400, 0.06, 0.1);
    ParticleSet forward = start, backward = start;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const std::size_t k = start.size() - 1 - i;
        backward.position[i] = start.position[k], backward.velocity[i] = start.velocity[k];
        backward.id[i] = start.id[k], backward.surface[i] = start.surface[k];
    }
    const auto a = resolve(forward, ContactMode::merge, 1, 0.3, 0.2), b = resolve(backward, ContactMode::merge, 1, 0.3, 0.2);
    ASSERT_EQ(a.size(), b.size());
    EXPECT_GT(a.size(), 50u);
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_EQ(std::pair(a[i].first, a[i].second), std::pair(b[i].first, b[i].second));
    std::map<std::uint32_t, std::size_t> places;
    for (std::size_t i = 0; i < backward.size(); ++i) places[backward.id[i]] = i;
    ASSERT_EQ(forward.size(), backward.size());
    for (std::size_t i = 0; i < forward.size(); ++i) {
        const std::size_t k = places.at(forward.id[i]);
        EXPECT_TRUE(forward.position[i] == backward.position[k] && forward.velocity[i] == backward.velocity[k]);
        EXPECT_TRUE(forward.surface[i] == backward.surface[k]);
    }
    // One queue that compares all pairs gives the same as a search does.
    ParticleSet listed = start;
    testing_support::resolveByOneQueue(earlier(start, 1), listed,
                                       {.mode = ContactMode::merge, .restitution = 0.3, .friction = 0.2}, kGravity,
                                       {.step = 1, .time = 0, .length = 1});
    EXPECT_TRUE(testing_support::sameBytes(listed.position, forward.position));
}

TEST(Contact, listsAndPartsOfADeviceGiveTheBitsOfOneQueue) {
    std::size_t contacts = 0, more = 0;
    for (const double speed : {0.004, 0.1}) {
        // One heavy body, which others hit, and large ones. In the second clump parts of a window disagree.
        ParticleSet start = speed < 0.1 ? clump(1500, 0.045, speed) : clump(2000, 0.05, speed);
        for (std::size_t i = 0; i < start.size(); i += 300) start.surface[i].radius *= 4;
        start.position[600].w = 0.2;
        const std::vector<Double4> before = earlier(start, 1);
        testing_support::ContactLists lists(before, start);
        ASSERT_EQ(lists.heavy, std::vector<std::uint32_t>{600});
        for (const ContactMode mode : {ContactMode::merge, ContactMode::bounce, ContactMode::stick}) {
            ParticleSet searched = start;
            const ContactSettings contact{.mode = mode, .restitution = 0.3, .friction = 0.2};
            ContactStep step{.step = 1, .time = 0, .length = 1};
            const auto all = testing_support::resolveByOneQueue(before, searched, contact, kGravity, step);
            const auto others = static_cast<std::size_t>(std::ranges::count_if(all, [&](const ContactEvent& event) {
                const auto [low, high] = std::minmax({event.first, event.second});
                return std::ranges::none_of(
                    lists.pairs, [&](const ContactPair& pair) { return pair.first == low && pair.second == high; });
            }));
            for (const int threads : {1, 3, 12}) {
                ParticleSet listed = start;
                step.threads = threads;
                // The memory of the resolution before is used again, and has kept nothing of it.
                const auto found = resolveContacts(lists.found, contact, kGravity, step);
                apply(lists.found.changes, listed);
                ASSERT_EQ(found.size(), all.size());
                for (std::size_t k = 0; k < all.size(); ++k) ASSERT_EQ(contactLogRow(found[k]), contactLogRow(all[k]));
                EXPECT_TRUE(testing_support::sameBytes(listed.position, searched.position));
                EXPECT_TRUE(testing_support::sameBytes(listed.velocity, searched.velocity));
                EXPECT_EQ(listed.id, searched.id);
                EXPECT_EQ(listed.surface, searched.surface);
                // So does the host with its own lists.
                ParticleSet own = start;
                EXPECT_EQ(testing_support::resolveHere(before, own, contact, kGravity, step).size(), all.size());
                EXPECT_TRUE(testing_support::sameBytes(own.position, searched.position));
                EXPECT_TRUE(testing_support::sameBytes(own.velocity, searched.velocity));
                EXPECT_EQ(own.surface, searched.surface);
                contacts += all.size();
                more += others;
            }
        }
    }
    // Two bodies that touch only because others have pushed both of them: within and beyond their allowance.
    for (const double speed : {0.04, 0.08}) {
        const double inner = 0.1 + speed / 2, outer = inner + 0.21 - speed;
        const ParticleSet start =
            balls({{-outer, 0, 0, 1e-6}, {-inner, 0, 0, 1e-6}, {inner, 0, 0, 1e-6}, {outer, 0, 0, 1e-6}, {90, 0, 0, 1}},
                  {{speed, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}, {-speed, 0, 0, 1}, {0, 0, 0, 1}}, 0.1);
        const std::vector<Double4> before = earlier(start, 1);
        ParticleSet searched = start, listed = start;
        const ContactSettings contact{.mode = ContactMode::bounce, .restitution = 1};
        const ContactStep step{.step = 1, .time = 0, .length = 1};
        EXPECT_GE(testing_support::resolveByOneQueue(before, searched, contact, kGravity, step).size(), 3u);
        testing_support::ContactLists lists(before, listed, 0);
        EXPECT_EQ(lists.pairs.size(), 2u);
        resolveContacts(lists.found, contact, kGravity, step);
        apply(lists.found.changes, listed);
        EXPECT_TRUE(testing_support::sameBytes(listed.position, searched.position)) << speed;
    }
    // Rows of bodies that are hit at one end: the blow reaches the other end through all parts of space that lie between.
    std::vector<Double4> x, v;
    for (int row = 0; row < 12; ++row)
        for (int k = -1; k < 100; ++k) {
            x.push_back({k < 0 ? -0.1 : 0.2 * (1 - 1e-5) * k, 0.3 * row, 0, 1e-6});
            v.push_back({k < 0 ? 0.6 : 0, 0, 0, 1});
        }
    const ParticleSet rows = balls(x, v, 0.1);
    const std::vector<Double4> before = earlier(rows, 1);
    testing_support::ContactLists lists(before, rows);
    ParticleSet searched = rows, listed = rows;
    const ContactSettings contact{.mode = ContactMode::bounce, .restitution = 1};
    const ContactStep step{.step = 1, .time = 0, .length = 1, .threads = 3};
    EXPECT_EQ(testing_support::resolveByOneQueue(before, searched, contact, kGravity, step).size(), 1200u);
    EXPECT_GT(searched.velocity.back().x, 0.5);
    resolveContacts(lists.found, contact, kGravity, step);
    apply(lists.found.changes, listed);
    EXPECT_TRUE(testing_support::sameBytes(listed.position, searched.position));
    EXPECT_TRUE(testing_support::sameBytes(listed.velocity, searched.velocity));
    EXPECT_GT(contacts, 4000u);
    EXPECT_GT(more, 50u) << "contacts of pairs that would not touch without others";
}

TEST(Contact, aPairMergesOnlyWhereItStaysBound) {
    const auto merges = [](double speed, double restitution, double centre, double far, bool turning = true) {
        // Two bodies with an escape speed of 2 at contact, and a heavier one far away along their line.
        const double gap = 0.5 * speed * 1e-3;
        ParticleSet bodies = balls({{-0.5 + gap / 2, 0, 0, 0.5}, {0.5 - gap / 2, 0, 0, 0.5}, {far, 0, 0, centre}},
                                   {{speed / 2, 0, 0, 1}, {-speed / 2, 0, 0, 1}, {0, 0, 0, 1}}, 0.5);
        // On a circle about the heavy body; `turning`: at rest in the frame that turns with them.
        for (std::size_t i = 0; i < 2 && centre > 0; ++i)
            bodies.velocity[i].y = std::sqrt(centre / far) * (turning ? 1 - bodies.position[i].x / far : 1);
        bodies.surface[2].radius = 0;
        resolve(bodies, ContactMode::merge, 1e-3, restitution);
        return bodies.size() == 2;
    };
    EXPECT_TRUE(merges(1.0, 1, 0, 100));   // below the escape speed, even without loss
    EXPECT_FALSE(merges(1.5, 1, 0, 100));  // above it
    EXPECT_TRUE(merges(1.5, 0.5, 0, 100));
    // The Hill radius (m / 3M)^(1/3) d is 2.2 at d = 10 with M = 30, and 0.5 at 5 with 300; the centres are 1 apart.
    EXPECT_TRUE(merges(0.1, 0.1, 30, 10));
    EXPECT_FALSE(merges(0.1, 0.1, 300, 5));
    EXPECT_FALSE(merges(0.1, 0.1, 300, 5, false));  // although it would, alone
}

TEST(Contact, aBounceKeepsEnergyWithoutLossAndCountsItOtherwise) {
    for (const double friction : {0.0, 0.4}) {
        ParticleSet bodies = balls({{0.1, 0.3, 0, 0.02}, {-0.4, 0, 0.1, 0.01}, {5, 0, 0, 0.04}},
                                   {{-3, 0.5, 0, 1}, {2, 0.2, -0.3, 1}, {0, 1, 0, 1}}, 0.3);
        bodies.surface[0].spin = {1, -2, 3};
        bodies.surface[2].radius = 0;
        const Kept before = keptOf(bodies);
        const double energy = measure(bodies, kGravity).energy();
        const std::vector<ContactEvent> events = resolve(bodies, ContactMode::bounce, 1, friction > 0 ? 0.5 : 1, friction);
        ASSERT_EQ(events.size(), 1u);
        expectKept(before, bodies);
        EXPECT_NEAR(measure(bodies, kGravity).energy() + events[0].lost, energy, 1e-12);
        EXPECT_EQ(events[0].lost > 0.01, friction > 0);
        EXPECT_NE(bodies.surface[1].spin == Vec3d{}, friction > 0);
    }
    // Bodies without mass give way to those with mass, and held bodies to none.
    ParticleSet light = balls({{0.5, 0, 0, 0.01}, {-0.5, 0, 0, 0}, {9, 0, 0, 0.01}, {10, 0, 0, 0.01}},
                              {{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 0, 0, 1}, {-1, 0, 0, 1}}, 0.6);
    light.velocity[2].w = 0;
    EXPECT_EQ(resolve(light, ContactMode::bounce, 1, 1).size(), 2u);
    EXPECT_EQ(xyz(light.velocity[0]), Vec3d{});
    EXPECT_DOUBLE_EQ(light.velocity[1].x, -1);
    EXPECT_EQ(xyz(light.velocity[2]), Vec3d{});
    EXPECT_DOUBLE_EQ(light.velocity[3].x, 1);
}

/// A cold clump that collapses within some steps.
RunRequest falling(const char* backend, std::size_t count = 60) {
    ParticleSet bodies = clump(count, 0, 0.2);
    bodies.surface.clear();
    RunRequest request = testing_support::startOf(bodies, 0, 1.0 / 64, backend);
    request.precision = Precision::fp64;
    request.contact = ContactMode::merge;
    request.density = 2;
    request.restitution = 0.4;
    request.friction = 0.1;
    return request;
}

using testing_support::sameRun;

class ContactRun : public testing::TestWithParam<const char*> {};

TEST_P(ContactRun, slicesThreadsRewindingAndFilesGiveTheSameBits) {
    Simulation whole(falling(GetParam()));
    const Diagnostics first = whole.measure();
    RunRequest other = falling(GetParam());
    other.backendOptions.threads = 2;
    const auto& [early, end] = testing_support::expectSameContacts(whole, other, 32, 96);
    ASSERT_GT(end.contacts.merges, 10);
    EXPECT_GT(end.contacts.bounces, 0);
    EXPECT_GT(early.bodies.size(), end.bodies.size());

    // The balance of the energy, and what is conserved.
    const Diagnostics last = whole.measure();
    EXPECT_GT(std::abs(last.lost), 0.1 * std::abs(first.energy()));
    EXPECT_LT(std::abs(last.balance() - first.energy()), 0.1 * std::abs(last.lost));
    EXPECT_LT(distance(last.momentum, first.momentum), 1e-13);
    EXPECT_LT(distance(last.angularMomentum, first.angularMomentum), 1e-13);

    // The same through a table of rewinding, and through a checkpoint.
    History rewind;
    StateFeed feed;
    Simulation kept(falling(GetParam()));
    for (double now = 0; kept.step() < 96; now += 10) {
        rewind.update(kept, feed, now);
        feed.serve(kept);
        rewind.update(kept, feed, now);
        rewind.settle();
        kept.advance({.steps = 16}, nullptr);
    }
    EXPECT_EQ(rewind.marks().size(), 6u);
    rewind.go(kept, feed, 2);
    EXPECT_TRUE(sameRun(kept.state(), early));
    if (!fileFormat("hdf5").unavailable().empty()) GTEST_SKIP() << "no HDF5";
    const std::string bytes = encodeSnapshot(checkpointOf(whole.configuration(), early), "hdf5");
    LoadedStart loaded = startFrom(decodeSnapshot(bytes, "early.hdf5"), "early.hdf5");
    Simulation resumed(loaded.request);
    EXPECT_TRUE(sameRun(resumed.state(), early));
    while (resumed.step() < 96) resumed.advance({.steps = 96 - resumed.step()}, nullptr);
    EXPECT_TRUE(sameRun(resumed.state(), end));
}

INSTANTIATE_TEST_SUITE_P(Backends, ContactRun, testing::Values("reference", "cpu"));

TEST(Contact, aForceCheckEndsAlthoughEachStepHasContacts) {
    RunRequest request{.scene = "moon", .bodies = 16384, .backend = "cpu"};
    request.farField = true;
    Simulation simulation(request);
    simulation.takeContactEvents();
    while (simulation.step() < 2) simulation.advance({.seconds = 0, .steps = 1}, nullptr);
    EXPECT_GT(simulation.takeContactEvents().size(), 100u);
    ASSERT_TRUE(simulation.forceCheck());
    EXPECT_TRUE(simulation.forceCheck()->passed);
}

TEST(Contact, aRunNamesTheRowThatSumsTheBodiesLeft) {
    Simulation simulation({.scene = "moon", .bodies = 4096, .backend = "cpu", .contact = ContactMode::stick});
    EXPECT_EQ(simulation.configuration().pairs().kernel.kernel, "symmetric-threads");
    const std::uint64_t revision = simulation.revision();
    while (simulation.step() < 3) simulation.advance({.seconds = 0, .steps = 1}, nullptr);
    EXPECT_LT(simulation.configuration().bodies, 4096u);
    EXPECT_EQ(simulation.backend().activeKernel().name, "simd-threads");
    EXPECT_EQ(simulation.configuration().pairs().kernel.kernel, "simd-threads");
    EXPECT_GT(simulation.revision(), revision);
    ASSERT_TRUE(simulation.forceCheck());
    EXPECT_TRUE(simulation.forceCheck()->passed);
}

TEST(Contact, aFieldThatDependsOnTimeKeepsItsClockWhereContactsChangeBodies) {
    // Two bodies without mass bounce far from a third one, which a turning bar moves.
    const ParticleSet start =
        balls({{1.5, 0, 0, 1}, {50, 0.2, 0, 0}, {50, -0.2, 0, 0}}, {{0, 1, 0, 1}, {0, -0.1, 0, 1}, {0, 0.1, 0, 1}}, 0.1);
    for (const char* backend : {"reference", "cpu"}) {
        const auto endOf = [&](ContactMode mode, std::int64_t bounces) {
            RunRequest request = testing_support::startOf(start, 0, 1.0 / 16, backend);
            request.precision = Precision::fp64;
            request.fields = "bar,mass=1,length=1,width=0.2,height=0.3,pattern=3";
            request.contact = mode;
            request.restitution = 1;
            Simulation simulation(request);
            run(simulation, 48);
            EXPECT_EQ(simulation.contacts().bounces, bounces);
            return simulation.state().bodies.position[0];
        };
        EXPECT_LT(distance(endOf(ContactMode::bounce, 1), endOf(ContactMode::none, 0)), 1e-12) << backend;
    }
}

TEST(Contact, sizesSettingsAndFilesAreCheckedWithASentence) {
    const auto refusalOf = [](RunRequest request) -> std::string {
        try {
            Simulation simulation(request);
        } catch (const UsageError& error) {
            return error.what();
        }
        return {};
    };
    RunRequest request = falling("reference", 8);
    request.radius = 0.1;
    EXPECT_THAT(refusalOf(request), HasSubstr("radius and density both"));
    request = falling("reference", 8);
    request.density.reset();
    EXPECT_THAT(refusalOf(request), HasSubstr("needs bodies with radii; give --radius or --density"));
    EXPECT_THAT(
        refusalOf({.scene = "charges", .bodies = 64, .backend = "reference", .contact = ContactMode::merge, .radius = 1e-3}),
        HasSubstr("cannot merge charges"));
    EXPECT_THAT(refusalOf({.scene = "six-body", .backend = "reference", .contact = ContactMode::bounce, .radius = -1.0}),
                HasSubstr("radius must be a number of at least 0"));
    EXPECT_THAT(refusalOf({.scene = "six-body", .backend = "reference", .contact = ContactMode::bounce, .radius = NAN}),
                HasSubstr("radius must be a number of at least 0"));

    const auto table = [](const char* radius) {
        return decodeSnapshot(
            "x,y,z,vx,vy,vz,m,radius,sx,sy,sz\n0,0,0,0,0,0,1,0.5,0,0,2\n1,0,0,0,0,0,1," + std::string(radius) + ",0,1,0\n",
            "two.csv");
    };
    EXPECT_THAT([&] { table("-0.5"); },
                testing::ThrowsMessage<InputError>(AllOf(HasSubstr("line 3"), HasSubstr("negative"))));
    EXPECT_THAT([&] { table("nan"); }, testing::ThrowsMessage<InputError>(AllOf(HasSubstr("line 3"), HasSubstr("radius"))));
    const Snapshot good = table("0.75");
    EXPECT_EQ(good.bodies.surface, (std::vector<Surface>{{0.5, {0, 0, 2}}, {0.75, {0, 1, 0}}}));
    EXPECT_EQ(decodeSnapshot(encodeSnapshot(good, "csv"), "two.csv").bodies.surface, good.bodies.surface);
    EXPECT_THAT(lostIn(fileFormat("tipsy"), good), testing::Contains("the radii and spins"));
    for (const char* large : {"1e300,0,0,0", "1e80,0,0,1e80"}) {
        const Snapshot far = decodeSnapshot("x,y,z,m,radius,sx,sy,sz\n0,0,0,1," + std::string(large) + "\n", "far.csv");
        EXPECT_THAT([&] { Simulation(startFrom(Snapshot(far), "far.csv").request); },
                    testing::ThrowsMessage<UsageError>(AllOf(HasSubstr("body 0"), HasSubstr("is too large"))));
    }
    // Bodies with radii merge unless a setting says otherwise.
    EXPECT_EQ(Simulation(startFrom(Snapshot(good), "two.csv").request).configuration().contact.mode, ContactMode::merge);
    // A length of a given scene counts anew where it changes in a run; an added body has one too.
    RunRequest sized{.scene = "six-body", .backend = "reference", .contact = ContactMode::bounce, .radius = 1e-4};
    Simulation simulation(sized);
    sized.radius = 2e-4;
    simulation.apply(sized);
    ParticleSet bodies = simulation.bodies();
    EXPECT_EQ(bodies.surface.at(3).radius, 2e-4);
    EXPECT_EQ(simulation.overlaps(), 0u);
    sized.radius = 100;
    simulation.apply(sized);
    EXPECT_EQ(simulation.overlaps(), countOverlaps(simulation.bodies()));
    EXPECT_GT(simulation.overlaps(), 0u);
}

TEST(Contact, theCommandLogsEventsAndTellsOverlaps) {
    const ScratchFolder folder;
    const std::string table = (folder / "four.csv").string(), log = (folder / "events.csv").string(),
                      energy = (folder / "energy.csv").string();
    std::ofstream(table) << "x,y,z,vx,vy,vz,m,radius\n-1,0,0,1,0,0,1,0.2\n1,0,0,-1,0,0,1,0.2\n"
                            "9,0,0,0,0,0,1,0.2\n9.3,0,0,0,0,0,1,0.2\n";
    const Outcome o = runGravlab({"run", table, "--softening", "0", "--dt", "0.125", "--steps", "16", "--backend", "cpu",
                                  "--contact", "stick", "--events", log, "--csv", energy, "--every", "8"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("1 pair of bodies overlaps at the start"));
    EXPECT_THAT(o.out, HasSubstr("2 merged, 0 bounced"));
    const std::vector<std::string> lines = linesOf(contentOf(log));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0] + "\n", contactLogHeader());
    EXPECT_THAT(lines[1], HasSubstr(",merge,2,3,"));
    EXPECT_THAT(lines[2], HasSubstr(",merge,0,1,"));
    EXPECT_THAT(contentOf(energy), HasSubstr(",closest,bodies,lost"));
    EXPECT_THAT(runGravlab({"run", "six-body", "--steps", "1", "--events", log}).err, HasSubstr("this run has none"));
}

}  // namespace
}  // namespace gravlab
