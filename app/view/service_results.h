// Results of the services as plain data for panels, and the measurements that panels need from the services.
// Rule: results belong to the services and hold for one frame. Nothing here begins work or changes anything.
#pragma once
#include "app/bench/pair_matrix.h"
#include "app/lab/lab.h"
#include "app/runs/divergence.h"
#include "app/runs/history.h"
#include "app/runs/virial_check.h"
#include "app/services/conservation.h"
#include "app/services/telemetry.h"
#include "app/tables/lab_sweep.h"
#include "sim/measure/profile.h"
#include "sim/run/trajectory.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gravlab {

class App;

struct ServiceResults {
    /// Rates and times of the last frames.
    const Telemetry& rates;

    /// Conserved quantities of the run over time.
    struct Conserved {
        std::span<const ConservationPoint> points;
        const std::deque<ConservationMark>& marks;
        double worst = 0;      ///< largest relative change of the energy
        std::string_view why;  ///< why there are no points; empty: there are points or will be
        std::string advice;    ///< advice, where the energy error gives a reason
    } conserved;

    /// Radial profile of the galaxy that the instruments measure; null: not measured yet.
    const Profile* profile = nullptr;
    std::int64_t profileStep = 0;

    /// Virial state of the bodies at the beginning of the run; empty: not known.
    std::span<const VirialState> balance;

    /// The kept states.
    struct History {
        bool kept = false;
        std::span<const HistoryMark> marks;
        std::string_view why;  ///< why no state is kept; empty: at least one is kept
    } history;

    /// Comparison of two runs.
    struct Pair {
        const Divergence& curve;
        const std::vector<double>& changes;                 ///< times at which a setting was changed [T]
        std::string_view sampling;                          ///< number of compared bodies, where it is not all
        const std::pair<std::string, std::string>& labels;  ///< names that distinguish the runs
    } pair;

    /// Predicted paths of the selected body and of the dropped body.
    const Trajectory &path, &dropPath;

    /// Measurements of the lab.
    struct Measured {
        const LabSweep& sweep;  ///< the sweep under way, or the next one
        LabResults shown;       ///< results of the last sweep, which grow while it runs
        bool busy = false, tuning = false;
        double progress = 0;  ///< 0 to 1
        std::string_view status;
        const SweepResult* best = nullptr;
        const MemoryTimes& memory;  ///< rows are added while they are measured
    } measured;

    /// All pairs as a picture.
    const PairMatrix& matrix;
};

/// Measurements that a panel of this frame shows.
struct PanelNeeds {
    std::optional<bool> profile{};                ///< the radial profile of a galaxy; empty: these panels do not decide
    bool balance = false;                         ///< of the bodies at the beginning of the run
    std::optional<std::array<double, 2>> pair{};  ///< the point of the matrix under the pointer, across and down
};

ServiceResults serviceResultsOf(const App& app);
/// Makes the services measure these from the next frame on.
void requestMeasurements(App& app, const PanelNeeds& needs);

}  // namespace gravlab
