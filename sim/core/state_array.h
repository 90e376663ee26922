// Numbers that an integrator keeps beside the bodies. Rule: named, plain doubles, so that any file can carry them.
#pragma once
#include <string>
#include <vector>

namespace gravlab {

/// Numbers that an integrator or a law keeps beside the bodies, needed to continue bit-identically.
struct StateArray {
    std::string name;            ///< letters, digits, '_', '-', '.'; at most 64
    std::vector<double> values;  ///< any length
    bool operator==(const StateArray&) const = default;
};

}  // namespace gravlab
