// The cells of a tree over a running simulation's bodies, for the picture. Rule: a state of the feed, and a thread of its
// own that takes a small share of a core: no frame and no step waits; what is known says of which step it is.
#pragma once
#include "app/model/document.h"
#include "app/services/state_feed.h"
#include "app/system/worker.h"
#include "sim/run/simulation.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace gravlab {

class TreeViewer {
public:
    /// Once a frame: asks for what the picture wants, and takes up what has come. `wait`: for films, whose frames do not
    /// depend on the clock.
    void update(Document& document, Simulation& simulation, StateFeed& feed, double now, bool wait);
    /// What is known is not of what is shown: then frames are needed.
    bool busy() const { return behind_; }

private:
    struct Task {
        std::shared_ptr<const FedState> state;
        TreeWish wish;
        std::optional<std::uint32_t> body;  ///< id
        std::size_t index = 0;
    };
    struct Looked {
        std::shared_ptr<const KnownTree> tree;
        double seconds = 0;
    };
    /// What boxes depend on.
    struct Asked {
        std::uint64_t run = 0, revision = 0;
        TreeWish wish;
        std::optional<std::uint32_t> body;
        double accuracy = 0, opening = 0;
        std::string kernel;
        bool operator==(const Asked&) const = default;
    };
    static Looked looked(const Task& task);
    void begin(std::shared_ptr<const FedState> state);
    void forget();

    Asked asked_;
    std::size_t index_ = 0;   ///< of the body
    std::int64_t step_ = -1;  ///< of the newest state that was looked at
    double nextAt_ = 0;       ///< [s]
    bool behind_ = false, owed_ = false;
    StateTicket ticket_;
    Worker<Task, Looked> worker_{[](const Task& task, auto&) { return looked(task); }};
};

}  // namespace gravlab
