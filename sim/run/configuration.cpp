#include "sim/run/configuration.h"

#include "sim/backends/cpu/backend_cpu.h"
#include "sim/backends/kernel.h"
#include "sim/core/error.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/force_term.h"
#include "sim/forces/law_numbers.h"
#include "sim/measure/pair_sum.h"
#include "sim/measure/potential_error.h"
#include "sim/tree/criterion.h"
#include "sim/tree/rung.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gravlab {

LaunchConfig LaunchRequest::config(const LaunchConfig& usual) const {
    return {.block = block.value_or(usual.block),
            .unroll = unroll.value_or(usual.unroll),
            .bodiesPerThread = bodiesPerThread.value_or(usual.bodiesPerThread),
            .split = split.value_or(usual.split)};
}

KernelChoice KernelRequest::choice() const { return {.kernel = kernel, .launch = launch.config(usualLaunch(kernel))}; }

KernelChoice RunRequest::choice() const {
    KernelChoice choice = kernel.choice();
    choice.allowedError = accuracy.value_or(0);
    choice.opening = opening.value_or(0);
    return choice;
}

KernelChoice TermRequest::choice() const {
    KernelChoice choice{.kernel = kernel.kernel, .launch = kernel.launch.config()};
    choice.allowedError = accuracy.value_or(0);
    return choice;
}

namespace {

/// The numbers after a row's name.
struct TermKnob {
    std::string_view name;
    std::optional<int> LaunchRequest::*at;
    int least;
};
constexpr TermKnob kTermKnobs[] = {{"block", &LaunchRequest::block, 1},
                                   {"unroll", &LaunchRequest::unroll, kAutoUnroll},
                                   {"bodies_per_thread", &LaunchRequest::bodiesPerThread, 1},
                                   {"split", &LaunchRequest::split, 1}};

/// The pieces between separators `mark`.
std::vector<std::string_view> partsOf(std::string_view text, char mark) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(mark, from), text.size());
        parts.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return parts;
}

template <class Number>
bool readsNumber(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// "list:block=64".
TermRequest termRequest(std::string_view text) {
    const std::vector<std::string_view> parts = partsOf(text, ':');
    TermRequest request;
    if (parts.front() != "auto") request.kernel.kernel = std::string(parts.front());
    for (std::size_t k = 1; k < parts.size(); ++k) {
        const std::size_t equals = std::min(parts[k].find('='), parts[k].size());
        const std::string_view name = parts[k].substr(0, equals),
                               value = parts[k].substr(std::min(equals + 1, parts[k].size()));
        const auto knob = std::ranges::find(kTermKnobs, name, &TermKnob::name);
        int whole = 0;
        double number = 0;
        if (name == "accuracy" && readsNumber(value, number)) {
            requireAccuracy(number);
            request.accuracy = number;
        } else if (knob != std::end(kTermKnobs) && readsNumber(value, whole) && whole >= knob->least) {
            request.kernel.launch.*knob->at = whole;
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
    for (const auto& [kind, request] : requests) {
        text += (text.empty() ? "" : ",") + kind + "=" + request.kernel.kernel.value_or("auto");
        for (const TermKnob& knob : kTermKnobs)
            if (const std::optional<int>& number = request.kernel.launch.*knob.at)
                text += ":" + std::string(knob.name) + "=" + std::to_string(*number);
        if (!request.accuracy) continue;
        char number[40];
        text += ":accuracy=";
        text.append(number, std::to_chars(number, number + sizeof number, *request.accuracy).ptr);
    }
    return text;
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
        if (part.substr(0, equals) == PairLaw::kKind) throw UsageError("the kernel of the pair law is chosen by --kernel");
        requests[std::string(part.substr(0, equals))] = termRequest(part.substr(equals + 1));
    }
    return requests;
}

void RunRequest::changeScene(std::string_view name) {
    if (name == scene) return;
    scene = name;
    sceneVersion.reset();
    parameters.clear();
    start.reset();
    terms.clear();
    timeStep.reset();
    softening.reset();
    law.reset();
    fields.reset();
    contact.reset();
    for (std::optional<double>* number : {&radius, &density, &restitution, &friction}) number->reset();
    for (const LawNumber& number : lawNumbers()) (this->*number.asked).reset();
}

void RunRequest::changeBackend(const std::optional<std::string>& name) {
    if (name == backend) return;
    backend = name;
    backendOpen = false;
    kernel = {};
    terms.clear();
}

bool keepsEnergy(const RunConfiguration& configuration) {
    return std::ranges::all_of(configuration.terms, [](const TermInUse& term) { return term.offer.conservesEnergy; });
}

PairSummation pairSummation(const RunConfiguration& configuration) {
    const KernelRow& row = kernel(configuration.backend, configuration.kernel.kernel);
    if (row.byCutOff && std::isfinite(reachOf(configuration.force))) return pairsByCells;
    if (!row.approximates || !treeHasEnergy(configuration.force)) return nullptr;
    return pairsByTree(accuracyOfEnergy(configuration.accuracy > 0 ? configuration.accuracy : kUsualAccuracy));
}

KernelRequest requestOf(const KernelInUse& kernel) {
    const LaunchConfig& launch = kernel.launch;
    return {.kernel = kernel.kernel,
            .launch = {.block = launch.block,
                       .unroll = launch.unroll,
                       .bodiesPerThread = launch.bodiesPerThread,
                       .split = launch.split}};
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
                       .kernel = requestOf(c.kernel),
                       .accuracy = c.accuracy > 0 ? std::optional(c.accuracy) : std::nullopt,
                       .opening = c.opening > 0 ? std::optional(c.opening) : std::nullopt,
                       .integrator = c.integrator,
                       .timeStep = c.timeStep,
                       .softening = c.force.softening,
                       .law = c.force.law,
                       .fields = c.fields.empty() ? std::nullopt : std::optional(c.fields),
                       .precision = c.force.precision,
                       .start = c.start,
                       .tuning = c.tuning};
    for (const LawNumber& number : lawNumbers()) request.*number.asked = c.force.*number.force;
    request.contact = c.contact.mode;
    if (c.contact.acts()) {
        request.restitution = c.contact.restitution;
        request.friction = c.contact.friction;
    }
    // Of two ways to sizes, one at most is in force.
    if (c.contact.radius > 0) request.radius = c.contact.radius;
    if (c.contact.density > 0) request.density = c.contact.density;
    for (const TermInUse& term : c.terms) {
        TermRequest& asked = request.terms[term.term];
        asked.kernel.kernel = term.kernel.kernel;
        // Request only numbers of the launch that the row tunes and that differ from the usual ones.
        const KernelRow& row = termKernel(c.backend, term.term, term.kernel.kernel);
        const LaunchConfig& launch = term.kernel.launch;
        if (row.blocks.first != row.blocks.last && launch.block != row.usual.block) asked.kernel.launch.block = launch.block;
        if (!row.unrolls.empty() && launch.unroll != row.usual.unroll) asked.kernel.launch.unroll = launch.unroll;
        if (!row.bodiesPerThread.empty() && launch.bodiesPerThread != row.usual.bodiesPerThread)
            asked.kernel.launch.bodiesPerThread = launch.bodiesPerThread;
        if (row.splits.last != 1 && launch.split != row.usual.split) asked.kernel.launch.split = launch.split;
        if (term.accuracy > 0) asked.accuracy = term.accuracy;
    }
    return request;
}

}  // namespace gravlab
