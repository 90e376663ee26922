// The numbers that define a run, checked where they come in.
#include "sim/core/validation.h"

#include "sim/core/out_of_memory.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

namespace gravlab {
namespace {

std::string text(double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%g", value);
    return digits;
}

/// Bytes that can be had without swapping; infinite where the system does not tell.
double freeHostBytes() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    double kibibytes = 0;
    while (file >> key >> kibibytes) {
        if (key == "MemAvailable:") return kibibytes * 1024;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::numeric_limits<double>::infinity();
}

}  // namespace

void requireBodies(std::size_t bodies) {
    if (bodies == 0) throw UsageError("the number of bodies is 0; give at least 1");
    if (bodies > kMostBodies)
        throw UsageError("the number of bodies is " + std::to_string(bodies) + "; at most " + std::to_string(kMostBodies) +
                         " can be numbered");
}

void requireTimeStep(double timeStep) {
    if (std::isfinite(timeStep) && timeStep != 0) return;
    throw UsageError("the time step is " + text(timeStep) +
                     "; give a finite number other than 0 (a negative one runs backwards)");
}

void requireSoftening(double softening) {
    if (std::isfinite(softening) && softening >= 0) return;
    throw UsageError("the softening is " + text(softening) + "; give a finite length, 0 or more");
}

void requireHostMemory(double bytes, const char* what) {
    const double free = freeHostBytes();
    if (bytes <= free) return;
    const double gibibyte = 1024.0 * 1024 * 1024;
    throw OutOfMemoryError(std::string(what) + " need " + text(bytes / gibibyte) + " GiB of memory, " +
                           text(free / gibibyte) + " GiB are free; ask for fewer bodies");
}

}  // namespace gravlab
