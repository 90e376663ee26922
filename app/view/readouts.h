// What the services have found, as plain results for panels; and what panels need of the services.
// Rule: results are those of one frame and belong to the services. Nothing here begins work or changes anything.
#pragma once
#include "app/bench/pair_matrix.h"
#include "app/lab/lab.h"
#include "app/services/conservation.h"
#include "app/services/divergence.h"
#include "app/services/rewind.h"
#include "app/services/telemetry.h"
#include "app/services/virial_check.h"
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

struct App;

struct Readouts {
    /// Rates and times of the last frames.
    const Telemetry& rates;

    /// What the run should keep, over its time.
    struct Conserved {
        std::span<const ConservationPoint> points;
        const std::deque<ConservationMark>& marks;
        double worst = 0;      ///< largest relative change of the energy
        std::string_view why;  ///< there are no points; empty: there are or will be
        std::string advice;    ///< where the energy asks for one
    } conserved;

    /// Of the galaxy of the instruments, over its radius; null: not measured yet.
    const Profile* profile = nullptr;
    std::int64_t profileStep = 0;

    /// Of the bodies that the run began with; empty: not known.
    std::span<const VirialState> balance;

    /// Kept states.
    struct History {
        bool kept = false;
        std::span<const RewindMark> marks;
        std::string_view why;  ///< nothing is kept; empty: something is
    } history;

    /// Of two runs.
    struct Pair {
        const Divergence& curve;
        const std::vector<double>& changes;                 ///< times at which a setting was changed [T]
        std::string_view sampling;                          ///< how many bodies are compared, where it is not all
        const std::pair<std::string, std::string>& labels;  ///< what tells them apart
    } pair;

    /// Paths ahead of the selected body, and of the one that is dropped.
    const Trajectory &path, &dropPath;

    /// Measurements of the lab.
    struct Measured {
        const LabSweep& sweep;  ///< that is under way, or would be
        LabResults shown;       ///< of the last one, which grow while it runs
        bool busy = false, tuning = false;
        double progress = 0;  ///< 0 to 1
        std::string_view status;
        const SweepResult* best = nullptr;
    } measured;

    /// All pairs as a picture.
    const PairMatrix& matrix;
};

/// What is measured because a panel of this frame shows it.
struct PanelNeeds {
    std::optional<bool> profile{};                ///< a galaxy over its radius; empty: these panels have no say
    bool balance = false;                         ///< of the bodies that the run began with
    std::optional<std::array<double, 2>> pair{};  ///< of the matrix: the point under the pointer, across and down
};

Readouts readoutsOf(const App& app);
/// Lets the services measure it from the next frame on.
void need(App& app, const PanelNeeds& needs);

}  // namespace gravlab
