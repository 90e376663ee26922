#include "sim/run/configuration.h"

#include "sim/backends/cpu/methods/tree_energy.h"
#include "sim/backends/kernel.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/law_numbers.h"
#include "sim/measure/cell_energy.h"
#include "sim/measure/potential_error.h"
#include "sim/tree/rung.h"

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

void RunRequest::changeScene(std::string_view name) {
    if (name == scene) return;
    scene = name;
    sceneVersion.reset();
    parameters.clear();
    start.reset();
    timeStep.reset();
    softening.reset();
    law.reset();
    for (const LawNumber& number : lawNumbers()) (this->*number.asked).reset();
}

void RunRequest::changeBackend(const std::optional<std::string>& name) {
    if (name == backend) return;
    backend = name;
    backendOpen = false;
    kernel = {};
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
                       .precision = c.force.precision,
                       .start = c.start,
                       .tuning = c.tuning};
    for (const LawNumber& number : lawNumbers()) request.*number.asked = c.force.*number.force;
    return request;
}

}  // namespace gravlab
