// The devices of this machine, and what each computes of a force.
#pragma once
#include "app/model/facts.h"

#include <span>
#include <string>
#include <vector>

namespace gravlab {

class Simulation;

/// Devices from lines as BackendRow::devices() has them: "0: NAME, ...". Those in `named` share a force by their weights.
std::vector<DevicePart> deviceParts(const std::string& lines, std::span<const int> named, std::span<const double> weights);
/// Those of a run: empty where it runs on a processor. A force that is not divided is the first device's alone.
std::vector<DevicePart> deviceParts(const Simulation& simulation);

}  // namespace gravlab
