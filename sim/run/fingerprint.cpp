// Rounds, runs, hashes.
#include "sim/run/fingerprint.h"

#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/sha256.h"
#include "sim/core/value.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gravlab {
namespace {

constexpr std::size_t kUsualBodies = 1024, kShortBodies = 256;

void round(Double4& a) {
    const auto fp32 = [](double value) { return static_cast<double>(static_cast<float>(value)); };
    a = {fp32(a.x), fp32(a.y), fp32(a.z), fp32(a.w)};
}

template <class Word>
void addWord(Sha256& hash, Word word) {
    std::uint8_t bytes[sizeof word];
    for (std::size_t i = 0; i < sizeof word; ++i) bytes[i] = static_cast<std::uint8_t>(word >> (8 * i));
    hash.add(bytes, sizeof word);
}

void addNumber(Sha256& hash, double value) {
    if (!std::isfinite(value)) throw UsageError("there is no fingerprint of a state that is not finite");
    addWord(hash, std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));
}

/// Settings that differ from the scene's, each with a comma behind it: "dt 0.02, ".
std::string differences(const RunConfiguration& c) {
    const Scene& scene = c.start ? c.start->row : sceneNamed(c.scene, c.sceneVersion);
    std::string text;
    if (c.sceneVersion != 1) text += "version " + std::to_string(c.sceneVersion) + ", ";
    const auto add = [&](const std::string& name, double value) { text += name + " " + shortestText(value) + ", "; };
    if (c.timeStep != scene.timeStep) add("dt", c.timeStep);
    if (c.force.softening != scene.softening) add("softening", c.force.softening);
    if (c.force.law != scene.law) text += std::string(lawRow(c.force.law).name) + ", ";
    for (const LawNumber& number : lawNumbers())
        if (c.force.*number.force != scene.*number.scene) add(number.option.substr(2), c.force.*number.force);
    for (const auto& [name, value] : c.parameters) add(name, value);
    if (c.fields && !scene.terms) text += fieldsText(*c.fields) + ", ";
    return text;
}

}  // namespace

std::string hashOf(const ParticleSet& bodies, const ForceTerms& others) {
    Sha256 hash;
    for (const StateArray& array : arraysOf(others)) {
        hash.add(array.name.data(), array.name.size());
        for (const double value : array.values) addNumber(hash, value);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        addWord(hash, bodies.id[i]);
        for (const Double4& a : {bodies.position[i], bodies.velocity[i]})
            for (const double value : {a.x, a.y, a.z, a.w}) addNumber(hash, value);
    }
    return hash.text();
}

Fingerprint fingerprint(RunRequest request, std::int64_t steps) {
    if (!request.bodies && !request.start) {
        const Scene& scene = sceneNamed(request.scene, request.sceneVersion);
        if (scene.fixedBodies == 0) request.bodies = std::min(scene.bodiesCpu, kUsualBodies);
    }
    request.backend = exactBackend().name;
    request.backendOptions = {};
    request.pairs().kernel = {};
    request.openOthers();
    request.precision = Precision::fp64;
    request.tuning = nullptr;
    const auto refuse = [](std::size_t bodies) {
        if (bodies > kFingerprintBodies)
            throw UsageError("a fingerprint takes at most " + std::to_string(kFingerprintBodies) + " bodies, not " +
                             std::to_string(bodies) + ": the reference backend sums every pair on one thread");
    };
    refuse(request.bodies.value_or(0));
    Simulation simulation(request);
    refuse(simulation.configuration().bodies);
    ParticleSet bodies = simulation.bodies();
    for (Double4& a : bodies.position) round(a);
    for (Double4& a : bodies.velocity) round(a);
    simulation.load(bodies);
    Fingerprint print{.configuration = simulation.configuration(),
                      .steps = steps,
                      .start = hashOf(bodies, othersOf(simulation.terms())),
                      .state = {}};
    const std::int64_t end = simulation.step() + steps;
    while (simulation.step() < end) simulation.advance({.steps = end - simulation.step()}, nullptr);
    simulation.snapshot(bodies);
    print.state = hashOf(bodies, othersOf(simulation.terms()));
    return print;
}

std::string fingerprintText(const Fingerprint& print) {
    return print.configuration.scene + ", " + std::to_string(print.configuration.bodies) + " bodies, seed " +
           std::to_string(print.configuration.seed) + ", " + differences(print.configuration) + std::to_string(print.steps) +
           " steps of " + print.configuration.integrator + ": " + print.state.substr(0, 16);
}

std::string shortFingerprint(const RunRequest& request) {
    if (request.start) return {};
    RunRequest small = request;
    const Scene& scene = sceneNamed(request.scene, request.sceneVersion);
    if (scene.fixedBodies == 0) small.bodies = std::min(request.bodies.value_or(scene.bodiesCpu), kShortBodies);
    if (small.bodies > kFingerprintBodies) return {};
    try {
        return fingerprintText(fingerprint(small));
    } catch (const Error&) {
        return {};
    }
}

}  // namespace gravlab
