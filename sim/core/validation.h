// The numbers that define a run, checked where they come in. Each throws UsageError with a sentence.
#pragma once
#include <cstddef>
#include <string>

namespace gravlab {

/// Most bodies of a run: indices are 31 bits wide on devices.
constexpr std::size_t kMostBodies = 2147483647;

/// 1 to kMostBodies.
void requireBodies(std::size_t bodies);
/// Finite and not 0; negative runs backwards.
void requireTimeStep(double timeStep);
/// Finite and not negative.
void requireSoftening(double softening);

/// Bytes that can be had without swapping, also within the limits of the control groups that this process is in (containers,
/// job systems); infinite where the system does not tell. `root` stands before /proc and /sys, for tests.
double freeHostBytes(const std::string& root = {});

/// Throws DeviceError when `bytes` more do not fit into the host's free memory; `what` names what needs them. Without this
/// an overcommitting system would end the program instead. Passes where the system does not tell.
void requireHostMemory(double bytes, const char* what, const char* advice = "ask for fewer bodies");

}  // namespace gravlab
