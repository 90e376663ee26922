// A run that is saved, loaded and continued equals a run without a stop, to the last bit, on any backend.
#pragma once
#include "sim/io/checkpoint.h"
#include "sim/io/run_settings.h"
#include "tests/advance.h"
#include "tests/unit/io_support.h"

#include <gtest/gtest.h>

#include <string>

namespace gravlab::testing_support {

/// The bytes of a file, where this build has the format that keeps every bit; empty: it has not.
inline std::string fileOf(const Snapshot& saved) { return hasHdf5() ? encodeSnapshot(saved, "hdf5") : std::string(); }
inline LoadedStart loadedFrom(const std::string& file, const Snapshot& saved) {
    return startFrom(file.empty() ? Snapshot(saved) : decodeSnapshot(file, "saved.hdf5"), "saved.hdf5");
}

/// Saves after `before` steps and continues for `after` steps, in calls of `seconds`. Returns how many calls ended within a
/// step. Throws UsageError where the run is refused.
inline std::size_t expectGoesOnExactly(const RunRequest& request, std::int64_t before, std::int64_t after,
                                       double seconds = Budget{}.seconds) {
    Simulation whole(request), first(request);
    run(whole, before + after);
    std::size_t cut = run(first, before, seconds);
    const Snapshot saved = checkpointOf(first);
    const std::string file = fileOf(saved);
    const LoadedStart offer = loadedFrom(file, saved);
    EXPECT_TRUE(offer.notes.empty());
    Simulation second(offer.request);
    EXPECT_EQ(second.step(), before);
    EXPECT_EQ(second.force(), whole.force());
    EXPECT_EQ(whole.configuration().backend, request.backend);
    EXPECT_EQ(second.configuration().backend, request.backend);
    const KernelInUse &now = second.configuration().pairs().kernel, &wanted = whole.configuration().pairs().kernel;
    EXPECT_EQ(wanted.kernel, request.pairs().kernel.kernel.value_or(wanted.kernel));
    EXPECT_EQ(now.kernel, wanted.kernel);
    EXPECT_EQ(now.launch, wanted.launch);
    const Snapshot loaded = checkpointOf(second);
    EXPECT_TRUE(io_test::sameSnapshot(loaded, saved)) << "the saved state is not the present one";
    constexpr std::size_t kFew = 10000;  // a file of more takes as long as their steps
    if (loaded.bodies.size() < kFew) {
        EXPECT_TRUE(fileOf(loaded) == file);
    }
    cut += run(second, after, seconds);
    cut += run(first, after, seconds);
    const Snapshot expected = checkpointOf(whole);
    EXPECT_TRUE(io_test::sameSnapshot(checkpointOf(second), expected));
    EXPECT_TRUE(io_test::sameSnapshot(checkpointOf(first), expected)) << "saving changed the run that was saved";
    EXPECT_EQ(second.time(), whole.time());
    return cut;
}

/// Saves within a step; the run must be so large that calls without time end there.
inline void expectNotSavedHalf(const RunRequest& request) {
    Simulation whole(request), first(request);
    run(whole, 4);
    run(first, 2);
    first.backend().wait();  // while earlier work is queued, a frame starts no new work
    double progress = 0;
    for (int call = 0; call < 10 && progress == 0 && first.step() == 2; ++call)
        progress = first.advance({.seconds = 0, .steps = 1}, nullptr).stepProgress;
    ASSERT_EQ(first.step(), 2);
    ASSERT_GT(progress, 0) << "no call ended inside a step";
    const Snapshot saved = checkpointOf(first);
    EXPECT_EQ(saved.step, 2);
    Simulation second(loadedFrom(fileOf(saved), saved).request);
    EXPECT_EQ(second.step(), 2);
    run(second, 2);
    run(first, 2);
    const Snapshot expected = checkpointOf(whole);
    EXPECT_TRUE(io_test::sameSnapshot(checkpointOf(second), expected));
    EXPECT_TRUE(io_test::sameSnapshot(checkpointOf(first), expected)) << "saving inside a step changed the run";
}

/// Takes the state after each slice of a step, goes back to it and continues, in a run with a term beside its pair law.
inline void expectGoesOnAfterEachSlice(const RunRequest& request) {
    Simulation whole(request);
    run(whole, 4);
    ASSERT_GT(whole.terms().size(), 1u);
    const Snapshot expected = checkpointOf(whole);
    for (int slices = 1;; ++slices) {
        SCOPED_TRACE(slices);
        Simulation simulation(request);
        run(simulation, 2);
        for (int slice = 0; slice < slices && simulation.step() == 2; ++slice) {
            simulation.advance({.seconds = 0, .steps = 1}, nullptr);
            simulation.backend().wait();
        }
        if (simulation.step() != 2) {
            EXPECT_GT(slices, 2) << "no call ended between two terms";
            return;
        }
        simulation.restore(simulation.state());
        run(simulation, 4 - simulation.step());
        ASSERT_TRUE(io_test::sameSnapshot(checkpointOf(simulation), expected));
    }
}

}  // namespace gravlab::testing_support
