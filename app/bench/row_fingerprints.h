// Fingerprints of every row of a backend, to compare two builds on one machine. They hash forces, states and vertices, and
// count launches, copies and memory of a step. `gravlab fingerprint --all` prints them.
#pragma once
#include "sim/backends/backend.h"
#include "sim/forces/force_term.h"

#include <functional>
#include <string>
#include <vector>

namespace gravlab {

struct RowPrintRequest {
    std::string backend;
    BackendOptions options{};
    std::vector<std::size_t> bodies{};   ///< empty: 1 to 16,384, see the .cpp
    std::vector<std::string> kernels{};  ///< empty: all
    ForceTerms others{};                 ///< beside each pair law
};

/// A line of the table. Hashes are the first 16 digits of SHA-256; empty for a row whose order of sums is not fixed.
struct RowPrint {
    std::string kernel{}, law{}, precision{}, integrator{};
    std::size_t bodies = 0;
    std::string force{};                  ///< accelerations at the start
    std::string state{};                  ///< positions, velocities and force state after kRowPrintSteps steps in one call
    std::string vertices{};               ///< of the last step; each step is published
    std::string sliced{};                 ///< "same" when the finest slices give the same state, else the hash of that state
    std::string check{};                  ///< verdict of the live check of the first force
    double interactions = 0, forces = 0;  ///< mean per step
    double launches = 0, copies = 0;      ///< of a step in the middle of a call
    double shownLaunches = 0, shownCopies = 0;  ///< of a step that is a call of its own and is published
    double bytes = 0;                           ///< of device memory per body during the run
};

constexpr std::int64_t kRowPrintSteps = 3;

/// Runs every valid combination of row, law, precision and integrator of the backend and passes on a line for each. Many
/// bodies run under fewer integrators and laws, see the constants in the .cpp. Throws NoDeviceError when the backend cannot
/// run here.
void printRows(const RowPrintRequest& request, const std::function<void(const RowPrint&)>& take);

/// The head of the table, and a line of it, as CSV.
std::string rowPrintHead();
std::string csvOf(const RowPrint& print);

}  // namespace gravlab
