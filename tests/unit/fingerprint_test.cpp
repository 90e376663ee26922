// Fingerprints: known hashes, pinned values of scenes, and that each change of a run changes them.
#include "sim/run/fingerprint.h"
#include "app/bench/row_fingerprints.h"
#include "sim/api/errors.h"
#include "sim/core/sha256.h"
#include "sim/forces/law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace gravlab {
namespace {

std::string sha(const std::string& text) {
    Sha256 hash;
    hash.add(text.data(), text.size());
    return hash.text();
}

RunRequest scene(const char* name, std::optional<std::size_t> bodies = {}) {
    // The pinned values are of version 1 of each scene.
    RunRequest settings{.scene = name, .sceneVersion = 1, .bodies = bodies};
    return settings;
}

// The examples of the standard (FIPS 180-2, appendix B) and the empty text.
TEST(Sha256, knownTexts) {
    EXPECT_EQ(sha(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

struct Pinned {
    const char* name;
    std::size_t bodies;
    const char* start;
    const char* state;
};

// The values that every build prints on every machine. A new value here means a changed scene or changed physics.
constexpr Pinned kPinned[] = {
    {"two-body", 0, "9f351c2fb38c752f", "1fe0cf0743aa47b4"},
    {"figure-eight", 0, "65d2ed7b44c81722", "1a33fb15381c7f91"},
    {"six-body", 6, "ed025a50deceb14d", "8a5d3008dad74ddf"},
    {"cube", 200, "b2f342c1b0701cf7", "e3fea02a8f139377"},
    {"plummer", 256, "ae276dea92a97056", "9563cb2789915279"},
    {"disc", 256, "b17b8fd1305b7048", "950267f3a0edaf57"},
    {"collision", 256, "bde4267eb38debb8", "4879da5bdb138cbb"},
    {"hernquist", 256, "49c5251fb77f9520", "3ab40d8e8bd03a57"},
    {"galaxy", 256, "90a5aa3b6853ca1f", "edfc5f6fd61ecba7"},
    {"group", 256, "3f563b3b39d29a9f", "25d3c8964a49b392"},
    {"power-law", 256, "9c645ebbb583ebeb", "f20e595d30a34927"},
    {"expanding-box", 256, "acc794f5dabf2e96", "bbe81f458a5d1b8a"},
    {"solar-system", 0, "7d1450011711d917", "2ed0583b4a57a004"},
};

void PrintTo(const Pinned& pinned, std::ostream* out) { *out << pinned.name; }

class FingerprintOf : public testing::TestWithParam<Pinned> {};
TEST_P(FingerprintOf, isThePinnedOne) {
    const Fingerprint print = fingerprint(scene(GetParam().name, GetParam().bodies));
    EXPECT_EQ(print.start.substr(0, 16), GetParam().start) << "what the scene starts from";
    EXPECT_EQ(print.state.substr(0, 16), GetParam().state) << "what 16 steps make of it";
}
INSTANTIATE_TEST_SUITE_P(Scenes, FingerprintOf, testing::ValuesIn(kPinned), [](const auto& row) {
    std::string name = row.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(Fingerprint, whateverChangesTheRunChangesIt) {
    RunRequest settings = scene("plummer", 64);
    const Fingerprint usual = fingerprint(settings);
    EXPECT_EQ(fingerprint(settings).state, usual.state);

    settings.timeStep = std::nextafter(usual.configuration.timeStep, 1);
    EXPECT_EQ(fingerprint(settings).start, usual.start);
    EXPECT_NE(fingerprint(settings).state, usual.state) << "the last bit of dt";
    settings = scene("plummer", 64);
    settings.softening = usual.configuration.force.softening * 1.01;
    EXPECT_NE(fingerprint(settings).state, usual.state);
    settings = scene("plummer", 64);
    settings.seed = 2;
    EXPECT_NE(fingerprint(settings).start, usual.start);
    EXPECT_NE(fingerprint(scene("plummer", 64), 15).state, usual.state);
    EXPECT_EQ(fingerprint(scene("plummer", 64), 0).state, usual.start);
}

TEST(Fingerprint, aLastBitOfTheBuilderDoesNotShow) {
    // The reason for rounding: another mathematical library may give slightly different numbers.
    RunRequest settings = scene("plummer", 64);
    settings.backend = "reference";
    Simulation simulation(settings);
    ParticleSet bodies = simulation.bodies();
    const auto rounded = [](ParticleSet set) {
        for (auto* field : {&set.position, &set.velocity})
            for (Double4& a : *field)
                for (double* value : {&a.x, &a.y, &a.z, &a.w}) *value = static_cast<double>(static_cast<float>(*value));
        return hashOf(set);
    };
    const std::string usual = rounded(bodies);
    EXPECT_EQ(usual, fingerprint(scene("plummer", 64)).start);
    ParticleSet nudged = bodies;
    for (Double4& a : nudged.position) a.x = std::nextafter(a.x, 1e9);
    EXPECT_NE(hashOf(nudged), hashOf(bodies));
    EXPECT_EQ(rounded(nudged), usual);
}

TEST(Fingerprint, namesWhatIsNotTheScenesOwn) {
    RunRequest settings = scene("plummer", 64);
    const std::string usual = fingerprintText(fingerprint(settings));
    EXPECT_EQ(usual.substr(0, usual.find(':')), "plummer, 64 bodies, seed 1, 16 steps of leapfrog");
    settings.timeStep = 0.02;
    settings.law = kLaw<PowerLaw>;
    settings.lawNumbers.exponent = 1.5;
    const std::string other = fingerprintText(fingerprint(settings));
    EXPECT_EQ(other.substr(0, other.find(':')),
              "plummer, 64 bodies, seed 1, dt 0.02, power-law, exponent 1.5, 16 steps of leapfrog");
}

TEST(Fingerprint, refusesTooManyBodies) { EXPECT_THROW(fingerprint(scene("plummer", kFingerprintBodies + 1)), UsageError); }

TEST(Fingerprint, aShortOneNamesItsRun) {
    Simulation simulation(RunRequest{.scene = "plummer", .bodies = 5000, .backend = "cpu"});
    EXPECT_THAT(shortFingerprint(requestOf(simulation.configuration())),
                testing::StartsWith("plummer, 256 bodies, seed 1, 16 steps of leapfrog: "));
}

std::vector<RowPrint> rowsOf(const RowPrintRequest& request) {
    std::vector<RowPrint> rows;
    printRows(request, [&](const RowPrint& row) { rows.push_back(row); });
    return rows;
}

TEST(RowFingerprints, areTheSameTwiceHoweverStepsAreCut) {
    const RowPrintRequest request{.backend = "cpu", .bodies = {33}, .kernels = {"naive", "simd"}};
    const std::vector<RowPrint> first = rowsOf(request), again = rowsOf(request);
    ASSERT_EQ(first.size(), again.size());
    std::set<std::string> precisions, integrators, laws, states;
    for (std::size_t k = 0; k < first.size(); ++k) {
        EXPECT_EQ(csvOf(first[k]), csvOf(again[k]));
        EXPECT_EQ(first[k].sliced, "same") << csvOf(first[k]);
        EXPECT_EQ(first[k].state.size(), 16u);
        EXPECT_GT(first[k].interactions, 0);
        precisions.insert(first[k].precision);
        integrators.insert(first[k].integrator);
        laws.insert(first[k].law);
        if (first[k].kernel == "simd" && first[k].law == "gravity" && first[k].precision == "fp64")
            states.insert(first[k].state);
    }
    EXPECT_EQ(precisions.size(), 3u);
    EXPECT_EQ(integrators.size(), 8u) << "all but Hermite and adaptive ones";
    EXPECT_GE(laws.size(), gravlab::laws().size());
    EXPECT_EQ(states.size(), integrators.size()) << "each integrator leaves another state";
}

TEST(RowFingerprints, refuseABackendThatIsNot) { EXPECT_THROW(rowsOf({.backend = "abacus"}), UsageError); }

}  // namespace
}  // namespace gravlab
