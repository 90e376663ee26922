// Facts of programs, and the table of integrators, which is in integrator.cpp.
#pragma once
#include "sim/api/integrator.h"

#include <span>
#include <string_view>

namespace gravlab {

/// True when the program's first use of `a` comes before its first force: a must be known when a step starts.
bool needsInitialForce(StepProgram program);

/// Number of force evaluations in one step; for block steps, those of all bodies.
int forcesPerStep(StepProgram program);

/// True when its forces must come with the jerk, da/dt.
bool needsJerk(StepProgram program);

/// True when each force is evaluated at positions and velocities of the same time, so that a force may depend on velocities.
/// Adaptive programs predict both. In other programs a kick or a drift comes first, and such a force would lower the order.
bool takesVelocities(StepProgram program);

/// True for a program that chooses its own steps within dt.
bool isAdaptive(StepProgram program);

/// True for a program in which bodies take steps of their own within dt.
bool inBlocks(StepProgram program);

/// All integrators; the first is the default.
std::span<const Integrator> integrators();

/// The integrator that runs where neither the scene nor the user names one.
inline const Integrator& usualIntegrator() { return integrators().front(); }

/// The row of that name. Throws UsageError naming the valid ones and the nearest.
const Integrator& integrator(std::string_view name);

}  // namespace gravlab
