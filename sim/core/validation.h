// The numbers that define a run, checked where they enter. Each check throws UsageError with a sentence.
#pragma once
#include <cstddef>
#include <string>

namespace gravlab {

/// Most bodies of a run: devices use 31-bit indices.
constexpr std::size_t kMostBodies = 2147483647;

void requireBodies(std::size_t bodies);
/// Requires a finite number other than 0; a negative time step runs backwards.
void requireTimeStep(double timeStep);
/// Requires a finite number that is not negative.
void requireSoftening(double softening);

/// Precedes /proc and /sys. Tests set a folder with other numbers, before they start a run.
std::string& systemRoot();

/// Memory available without swapping, within the limits of this process's control groups (containers, job systems); infinite
/// when the system does not report it.
double freeHostBytes(const std::string& root = systemRoot());

/// Throws DeviceError when `bytes` more do not fit into the host's free memory; `what` names what needs them. Without this
/// check, an overcommitting system would kill the program. Passes when the system does not report its memory.
void requireHostMemory(double bytes, const char* what, const char* advice = "ask for fewer bodies");

}  // namespace gravlab
