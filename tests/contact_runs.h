// Runs with contacts on any backend: neither slices nor a way back change a bit.
#pragma once
#include "tests/advance.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <utility>

namespace gravlab::testing_support {

inline bool sameRun(const RunState& a, const RunState& b) {
    return sameState(a.bodies, b.bodies) && a.bodies.surface == b.bodies.surface && a.contacts == b.contacts;
}

/// Advances `whole` to step `end`; a run in slices of `sliced`, and `whole` from its state at step `early`, end there alike.
/// Returns both states of `whole`.
inline std::pair<RunState, RunState> expectSameContacts(Simulation& whole, const RunRequest& sliced, std::int64_t early,
                                                        std::int64_t end) {
    const auto go = [](Simulation& run, std::int64_t last, double seconds = Budget{}.seconds) {
        gravlab::run(run, last - run.step(), seconds);
        return run.state();
    };
    whole.takeContactEvents();
    const RunState middle = go(whole, early), last = go(whole, end);
    EXPECT_GT(last.contacts.merges, 0);
    EXPECT_EQ(whole.takeContactEvents().size(), static_cast<std::size_t>(last.contacts.merges + last.contacts.bounces));
    EXPECT_EQ(whole.configuration().bodies, last.bodies.size());
    Simulation cut(sliced);
    EXPECT_TRUE(sameRun(go(cut, end, 0), last)) << "slices";
    // Back past the mergers: all bodies are there again.
    whole.restore(middle);
    EXPECT_EQ(whole.configuration().bodies, middle.bodies.size());
    EXPECT_TRUE(sameRun(whole.state(), middle));
    EXPECT_TRUE(sameRun(go(whole, end), last)) << "from a state";
    return {middle, last};
}

}  // namespace gravlab::testing_support
