// States of a running simulation kept in memory to go back to: dense where they are new and sparse where they are old.
// Rule: continuing from a kept state gives the bits of the first pass, where the kernel is deterministic.
#pragma once
#include "app/runs/sampler.h"
#include "app/runs/twin_run.h"
#include "sim/run/simulation.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Bodies of a complete step that are kept for another purpose.
struct KeptBodies {
    std::int64_t step = 0;
    double time = 0;  ///< [T]
    std::size_t bodies = 0;
    std::function<std::shared_ptr<const ParticleSet>()> unpack;  ///< may be called on any thread, and later
};

/// A kept state, as a timeline shows it.
struct HistoryMark {
    std::int64_t step = 0;
    double time = 0;     ///< [T]
    bool other = false;  ///< the state is on the other branch, which was left last
};

/// The settings of the second run beside the first, and how the steps of both belong together.
struct SecondRun {
    TwinChoice choice;
    TwinLink link;
};

/// A state of the second run at the moment of a kept state of the first.
struct SecondState {
    SecondRun run;
    RunConfiguration configuration;
    RunState state;
};

/// Puts a run back to a state, with its former time step, softening, law, precision and integrator; backend and kernel stay.
/// All or nothing; throws what Simulation throws.
void restoreState(Simulation& simulation, const RunConfiguration& then, const RunState& state);

class History {
public:
    /// The second run in its present state. Without `run` both are on their way to a common time, and nothing can be kept.
    struct Beside {
        Simulation& simulation;
        StateFeed& feed;
        std::optional<SecondRun> run;
    };

    static constexpr std::size_t kUsualBytes = std::size_t{256} << 20;
    /// A timeline with more ticks than this would look no finer.
    static constexpr std::size_t kMostMarks = 400;

    explicit History(std::size_t budget = kUsualBytes);
    ~History();
    History(const History&) = delete;
    History& operator=(const History&) = delete;

    /// Requests the state when it is due: half a second after the last one. The interval is longer where a copy takes long,
    /// so that copies take about a fiftieth of the time. Another run begins a new timeline; an edit that was announced by
    /// edited() does not. Call once a frame, before `feed` is pumped; never waits. `now`: host clock [s]. Where there is no
    /// memory for a copy, half of the states are dropped and the rest is all that is kept from then on. `beside`: the second
    /// run, kept with the first; null where there is none.
    void update(Simulation& simulation, StateFeed& feed, double now, const Beside* beside = nullptr);
    /// Makes these states, which rise in their steps, the timeline in place of the present one, and goes to the first.
    void adopt(Simulation& simulation, const std::vector<FedState>& states);
    /// The bodies were edited and still belong to this timeline; a kept state of the present step is no longer valid.
    void edited(const Simulation& simulation);
    /// Goes to a kept state, with the time step, softening, law, precision and integrator it was computed with; backend and
    /// kernel stay. The present state is kept first. Later states stay until the run continues from here: then they become
    /// the other branch, and the previous other branch is dropped. A state of the other branch makes that one the present
    /// one. Returns the ids of the bodies. Throws what Simulation throws; then the run is unchanged.
    struct Keyframe;
    using Kept = std::shared_ptr<const Keyframe>;
    /// `beside`: the second run, whose present state is kept, too; null where there is none. `target` may have been dropped
    /// meanwhile.
    std::shared_ptr<const std::vector<std::uint32_t>> go(Simulation& simulation, StateFeed& feed, Kept target,
                                                         const Beside* beside = nullptr);
    std::shared_ptr<const std::vector<std::uint32_t>> go(Simulation& simulation, StateFeed& feed, std::size_t mark,
                                                         const Beside* beside = nullptr) {
        return go(simulation, feed, keptAt(mark), beside);
    }
    /// The state of a mark; throws std::out_of_range.
    Kept keptAt(std::size_t mark) const;
    /// The state of the second run beside that state; empty where none was kept.
    static std::optional<SecondState> second(const Kept& kept);
    /// The state that the run had before the last go().
    const Kept& left() const { return left_; }
    /// Number of the timeline of the simulation's bodies; changes whenever a timeline begins.
    std::uint64_t timeline(const Simulation& simulation) {
        follow(simulation);
        return timeline_;
    }

    /// Marks of the present branch in the order of steps, then those of the other one.
    std::span<const HistoryMark> marks() const { return marks_; }
    /// The mark that is `by` places before (below 0) or after a step, along the present branch. Where there are fewer places
    /// it is the last one; empty when there is none.
    std::optional<std::size_t> neighbour(std::int64_t step, int by) const;
    /// The newest state kept of the present branch, not after that step; empty when there is none. Its `unpack` stays valid
    /// when the state is dropped.
    std::optional<KeptBodies> newest(std::int64_t step) const;
    /// Takes a state that is still being packed. Waits.
    void settle();

    std::size_t bytes() const;  ///< held now
    std::size_t budget() const { return budget_; }
    /// Why nothing is kept; empty when something is.
    const std::string& why() const { return why_; }

private:
    static Kept packed(const FedState& state, const Kept& before);
    struct Packing {
        std::shared_ptr<const FedState> state;
        Kept before;
        std::shared_ptr<const FedState> second{};  ///< null: there is no second run
        std::optional<SecondRun> run{};
    };
    static Kept packedBoth(const Packing& from);
    static RunState unpacked(const Keyframe& from);

    void keep(Simulation& simulation, StateFeed& feed, double now, const Beside* beside);
    void follow(const Simulation& simulation);
    void branch(const Simulation& simulation);
    void take();
    void add(Kept kept);
    void thin();
    void list();
    bool isKept(const Simulation& simulation, bool both) const;

    std::size_t budget_;
    std::vector<Kept> line_, other_;
    Kept left_;
    std::uint64_t timeline_ = 0;
    std::vector<HistoryMark> marks_;
    std::int64_t forkStep_ = 0;           ///< last step that both branches share
    std::optional<std::int64_t> wentTo_;  ///< step gone to, as long as the run has not gone on from it
    std::uint64_t run_ = 0;               ///< the run that the states belong to
    bool edited_ = false;                 ///< the bodies were edited since the last state was kept
    double now_ = 0;
    std::string why_;
    static constexpr double kShareOfCopies = 0.02;  ///< largest fraction of the time for copies
    StateSampler<SameQuestion> states_{{.shareOfCopies = kShareOfCopies}};
    std::optional<SecondRun> link_;  ///< of the second run at the moment of the requested state
    // Not a Sampler: each state is packed in turn and none is dropped, see docs/decisions/samplers.md.
    Worker<Packing, Kept> packer_{[](const Packing& from, auto&) { return packedBoth(from); }};
};

}  // namespace gravlab
