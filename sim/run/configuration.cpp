#include "sim/run/configuration.h"

#include "sim/api/errors.h"
#include "sim/backends/cpu/backend_cpu.h"
#include "sim/backends/kernel.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/value.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/law_numbers.h"
#include "sim/measure/pair_sum.h"
#include "sim/measure/potential_error.h"
#include "sim/tree/criterion.h"
#include "sim/tree/properties.h"

#include <algorithm>
#include <cmath>

namespace gravlab {

namespace {

constexpr LaunchNumber kLaunchNumbers[] = {
    {"block", "--block", &LaunchRequest::block, &LaunchConfig::block, 1,
     [](const KernelRow& row) { return row.blocks.last != 1; }},
    {"unroll", "--unroll", &LaunchRequest::unroll, &LaunchConfig::unroll, kAutoUnroll,
     [](const KernelRow& row) { return !row.unrolls.empty(); }},
    {"bodies_per_thread", "--bodies-per-thread", &LaunchRequest::bodiesPerThread, &LaunchConfig::bodiesPerThread, 1,
     [](const KernelRow& row) { return !row.bodiesPerThread.empty(); }},
    {"split", "--split", &LaunchRequest::split, &LaunchConfig::split, 1,
     [](const KernelRow& row) { return row.splits.last != 1; }}};

}  // namespace

std::span<const LaunchNumber> launchNumbers() { return kLaunchNumbers; }

LaunchConfig LaunchRequest::config(const LaunchConfig& usual) const {
    LaunchConfig launch = usual;
    for (const LaunchNumber& number : kLaunchNumbers)
        launch.*number.now = (this->*number.wanted).value_or(usual.*number.now);
    return launch;
}

KernelChoice TermRequest::choice(std::string_view kind) const {
    return {.kernel = kernel.kernel,
            .launch = kernel.launch.config(kind == kPairLawTerm ? usualLaunch(kernel.kernel) : LaunchConfig()),
            .allowedError = accuracy.value_or(0),
            .opening = opening.value_or(0)};
}

const TermRequest& RunRequest::pairs() const {
    static const TermRequest open;
    const auto found = terms.find(kPairLawTerm);
    return found == terms.end() ? open : found->second;
}

void RunRequest::openOthers() { terms = {{std::string(kPairLawTerm), pairs()}}; }

TermRequests besidePairs(TermRequests requests) {
    requests.erase(std::string(kPairLawTerm));
    return requests;
}

namespace {

/// "list:block=64".
TermRequest termRequest(std::string_view text) {
    const std::vector<std::string_view> parts = partsOf(text, ':');
    TermRequest request;
    if (parts.front() != "auto") request.kernel.kernel = std::string(parts.front());
    for (std::size_t k = 1; k < parts.size(); ++k) {
        const std::size_t equals = std::min(parts[k].find('='), parts[k].size());
        const std::string_view name = parts[k].substr(0, equals),
                               value = parts[k].substr(std::min(equals + 1, parts[k].size()));
        const auto known = std::ranges::find(kLaunchNumbers, name, &LaunchNumber::key);
        const std::optional<int> whole = numberFrom<int>(value);
        const std::optional<double> number = numberFrom<double>(value);
        if (name == "accuracy" && number) {
            requireAccuracy(*number);
            request.accuracy = number;
        } else if (known != std::end(kLaunchNumbers) && whole && *whole >= known->least) {
            request.kernel.launch.*known->wanted = whole;
        } else {
            throw UsageError("term kernel '" + std::string(text) + "': '" + std::string(parts[k]) +
                             "' is none of block=, unroll=, bodies_per_thread=, split= and accuracy= with a number");
        }
    }
    return request;
}

}  // namespace

std::string termRequestsText(const TermRequests& requests) {
    std::string text;
    for (const auto& [kind, request] : besidePairs(requests)) {
        addTo(text, kind + "=" + request.kernel.kernel.value_or("auto"), ",");
        for (const LaunchNumber& number : kLaunchNumbers)
            if (const std::optional<int>& wanted = request.kernel.launch.*number.wanted)
                text += ":" + std::string(number.key) + "=" + std::to_string(*wanted);
        if (request.accuracy) text += ":accuracy=" + shortestText(*request.accuracy);
    }
    return text.empty() ? "auto" : text;
}

TermRequests parsedTermRequests(std::string_view text) {
    TermRequests requests;
    if (text.empty() || text == "auto") return requests;
    for (const std::string_view part : partsOf(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size() || part[equals + 1] == ':')
            throw UsageError(
                "term kernel '" + std::string(part) +
                "': expected TERM=ROW, as in springs=list or springs=list:block=64; see 'gravlab list kernels'");
        const std::string kind(part.substr(0, equals));
        const TermRequest& request = requests[kind] = termRequest(part.substr(equals + 1));
        // Only --kernel on the command line may name the file of a kernel, which is then compiled.
        if (kind == kPairLawTerm && request.kernel.kernel) requireKernel(*request.kernel.kernel);
    }
    return requests;
}

void RunRequest::changeScene(std::string_view name) {
    if (name == scene) return;
    scene = name;
    sceneVersion.reset();
    parameters.clear();
    start.reset();
    openOthers();
    timeStep.reset();
    softening.reset();
    law.reset();
    fields.reset();
    contact.reset();
    for (std::optional<double>* number : {&radius, &density, &restitution, &friction}) number->reset();
    lawNumbers = {};
}

void RunRequest::changeBackend(const std::optional<std::string>& name) {
    if (name == backend) return;
    backend = name;
    backendOpen = false;
    pairs().kernel = {};
    openOthers();
}

bool keepsEnergy(const RunConfiguration& configuration) {
    return std::ranges::all_of(configuration.terms, [](const TermInUse& term) { return term.offer.conservesEnergy; });
}

void takeRow(RunConfiguration& configuration, const KernelRow& row, const LaunchConfig& launch, double allowedError) {
    TermInUse& pairs = configuration.pairs();
    pairs.kernel = {std::string(row.name), launch};
    pairs.accuracy = row.byOpening ? 0 : keptAccuracy(row, configuration.force, allowedError);
}

PairSummation pairSummation(const RunConfiguration& configuration) {
    const TermInUse& pairs = configuration.pairs();
    const KernelRow& row = kernel(configuration.backend, pairs.kernel.kernel);
    if (row.byCutOff && std::isfinite(reachOf(configuration.force))) return pairsByCells;
    if (!row.approximates || !treeHasEnergy(configuration.force)) return nullptr;
    return pairsByTree(accuracyOfEnergy(pairs.accuracy > 0 ? pairs.accuracy : kUsualAccuracy));
}

KernelRequest kernelRequestOf(const KernelInUse& kernel) {
    KernelRequest request{.kernel = kernel.kernel};
    for (const LaunchNumber& number : kLaunchNumbers) request.launch.*number.wanted = kernel.launch.*number.now;
    return request;
}

TermRequests termRequestsOf(const RunConfiguration& c) {
    TermRequests requests;
    for (const TermInUse& term : c.terms) {
        TermRequest& request = requests[term.term];
        if (term.accuracy > 0) request.accuracy = term.accuracy;
        if (term.opening > 0) request.opening = term.opening;
        request.kernel = kernelRequestOf(term.kernel);
        if (term.term == kPairLawTerm) continue;  // files have keys for each number of its launch
        // Request only numbers of the launch that the row tunes and that differ from the usual ones.
        const KernelRow& row = termKernel(c.backend, term.term, term.kernel.kernel);
        for (const LaunchNumber& number : kLaunchNumbers)
            if (!number.has(row) || term.kernel.launch.*number.now == row.usual.*number.now)
                (request.kernel.launch.*number.wanted).reset();
    }
    return requests;
}

RunRequest requestOf(const RunConfiguration& c) {
    RunRequest request{.scene = c.scene,
                       .sceneVersion = c.sceneVersion,
                       .bodies = c.bodies,
                       .seed = c.seed,
                       .parameters = c.parameters,
                       .backend = c.backend,
                       .backendOpen = c.backendOpen,
                       .backendOptions = c.backendOptions,
                       .terms = termRequestsOf(c),
                       .integrator = c.integrator,
                       .timeStep = c.timeStep,
                       .softening = c.force.softening,
                       .law = c.force.law,
                       .fields = c.fields ? std::optional(fieldsText(*c.fields)) : std::nullopt,
                       .precision = c.force.precision,
                       .start = c.start,
                       .tuning = c.tuning};
    for (const LawNumber& number : lawNumbers()) request.lawNumbers.*number.wanted = c.force.*number.force;
    request.contact = c.contact.mode;
    if (c.contact.acts()) {
        request.restitution = c.contact.restitution;
        request.friction = c.contact.friction;
    }
    // Of two ways to sizes, one at most is in force.
    if (c.contact.radius > 0) request.radius = c.contact.radius;
    if (c.contact.density > 0) request.density = c.contact.density;
    return request;
}

}  // namespace gravlab
