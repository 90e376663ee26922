// The search for the fastest kernel and launch on a device, in rounds of the sweep engine: coarse, uphill from the best,
// final. Rule: only verified launches compete, and whole steps count, so that a reduction is never free.
#pragma once
#include "app/bench/sweep.h"
#include "sim/backends/tuning.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// What to search for.
struct TuneRequest {
    std::string backend{};  ///< resolved, never "auto"
    BackendOptions options{};
    std::size_t bodies = 0;
    std::vector<std::string> kernels{};  ///< empty: all of the backend
    double patience = 1;                 ///< scales the time of every measurement
    bool checkOnHost = true;             ///< the host's own loop checks the finalists, which takes seconds at large N
};

class Tuner {
public:
    /// Throws UsageError when there is nothing to choose: one kernel with one launch.
    Tuner(TuneRequest request, SweepSettings settings, Sweep::Maker make = {});

    /// Works for about `seconds`. True while work remains.
    bool advance(double seconds);
    void cancel();
    /// See Sweep::preparing() and Sweep::takePreparation().
    bool preparing() const { return sweep_ && sweep_->preparing(); }
    std::unique_ptr<Preparation> takePreparation() { return sweep_ ? sweep_->takePreparation() : nullptr; }
    bool finished() const { return round_ == kRounds; }
    bool cancelled() const { return cancelled_; }
    double progress() const;
    /// "round 2, point 3 of 17: tiled, block 128, unroll 8".
    std::string status() const;

    /// The fastest verified result so far; of the final round once it is finished. Null: none.
    const SweepResult* best() const;
    /// Result of the backend's own choice; null until it is measured.
    const SweepResult* automatic() const;
    /// The found choice; empty unless finished with a verified best.
    std::optional<TunedChoice> choice() const;
    const TuneRequest& request() const { return request_; }
    std::size_t measured() const { return measured_.size(); }

private:
    static constexpr int kRounds = 7;
    void beginRound();
    std::vector<SweepPoint> automaticRound() const;
    std::vector<SweepPoint> coarseRound() const;
    std::vector<SweepPoint> nearbyRound() const;
    std::vector<SweepPoint> finalRound() const;
    void addCandidates(std::vector<SweepPoint>& points, const KernelRow& row) const;
    bool wanted(const KernelRow& row) const;
    bool known(const SweepPoint& point, const std::vector<SweepPoint>& also) const;
    SweepPoint pointOf(const std::optional<std::string>& kernel) const;
    std::vector<const SweepResult*> fastest(std::size_t count) const;

    TuneRequest request_;
    SweepSettings settings_;
    Sweep::Maker make_;
    int round_ = 0;
    bool cancelled_ = false;
    std::optional<Sweep> sweep_;
    std::vector<SweepResult> measured_;  ///< results of all finished rounds
    std::size_t finalFirst_ = 0;         ///< index of the first result of the final round
};

/// "tiled-split, block 128, unroll 8, split 16": only parameters that the kernel has; "simd-threads, 2 threads" on a CPU.
std::string launchSentence(const std::string& backend, const KernelChoice& choice, std::optional<int> threads = {},
                           std::string_view term = kPairLawTerm);

// Tuned choices on disk: tune.json in the XDG cache. Rule: an unreadable file counts as missing, with one message.

/// $XDG_CACHE_HOME/gravlab/tune.json, else ~/.cache/gravlab/tune.json; empty when neither folder is known.
std::filesystem::path tuneCachePath();

/// The file's entries for this version of the program. Never throws: a damaged file gives no entries, and a line on stderr.
std::shared_ptr<const Tuning> readTuning(const std::filesystem::path& file);

/// Replaces the file, all or nothing; makes its folder. Entries of other program versions are dropped. Throws IoError.
void writeTuning(const std::filesystem::path& file, const Tuning& tuning);

}  // namespace gravlab
