#include "sim/backends/cpu/force_evaluation.h"

#include "sim/backends/cpu/pair_schedule.h"

#include <algorithm>
#include <thread>

namespace gravlab::cpu {
namespace {

// With at most 256 targets a piece is a million pairs: 0.2 ms with AVX-512, 3 ms in the plain loop. Whole tiles.
constexpr std::size_t kSourcesPerPiece = 4096;
constexpr std::size_t kMostTargetsPerPiece = 256;
constexpr std::size_t kTargetUnit = 64;  // two registers of any width

// Large tiles are faster (fewer lane sums to reduce: 512 bodies 2 % over 256), small ones give more threads something to do.
std::size_t pairTile(std::size_t bodies) { return bodies >= 16384 ? 512 : bodies >= 4096 ? 256 : 128; }

void waitForTurn(const std::atomic<std::int64_t>& turn, std::int64_t mine) {
    // Pieces are handed out in order, so the piece waited for is being worked on; it is rarely more than microseconds away.
    for (int spins = 0; turn.load(std::memory_order_acquire) != mine; ++spins)
        if (spins > 100) std::this_thread::yield();
}

}  // namespace

template <class T>
void ForcePass<T>::begin(const ForceKernel<T>& kernel, const BodyView<T>& bodies, const SumView<T>& sums,
                         const ForceSettings& force, int threads, bool closeSums) {
    closeSums_ = closeSums;
    kernel_ = kernel;
    bodies_ = bodies;
    sums_ = sums;
    force_ = force;
    done_ = 0;
    const std::size_t n = bodies.count;
    inline_ = kernel.sharing == Sharing::oneThread || n <= kTinyBodies;
    if (kernel.shape == WorkShape::pairTiles) {
        chunk_ = pairTile(n);
    } else {
        const std::size_t balanced = roundUp(n / (8 * static_cast<std::size_t>(std::max(1, threads))), kTargetUnit);
        chunk_ = inline_ ? kMostTargetsPerPiece : std::clamp(balanced, kTargetUnit, kMostTargetsPerPiece);
    }
    chunks_ = static_cast<std::int64_t>((n + chunk_ - 1) / chunk_);
    const auto segments = static_cast<std::int64_t>((n + kSourcesPerPiece - 1) / kSourcesPerPiece);
    total_ = kernel.shape == WorkShape::pairTiles ? pairCount(chunks_) : chunks_ * segments;
    if (turns_ < chunks_) {
        turn_ = std::make_unique<std::atomic<std::int64_t>[]>(static_cast<std::size_t>(chunks_));
        turns_ = chunks_;
    }
    for (std::int64_t i = 0; i < chunks_; ++i) turn_[static_cast<std::size_t>(i)].store(0, std::memory_order_relaxed);
}

template <class T>
TargetPiece ForcePass<T>::targetPiece(std::int64_t index) const {
    const std::size_t segment = static_cast<std::size_t>(index / chunks_), chunk = static_cast<std::size_t>(index % chunks_);
    const std::size_t source = segment * kSourcesPerPiece, target = chunk * chunk_, n = bodies_.count;
    const std::size_t sourceEnd = std::min(n, source + kSourcesPerPiece);
    return {target, std::min(n, target + chunk_), source, sourceEnd, segment == 0, closeSums_ && sourceEnd == n};
}

template <class T>
void ForcePass<T>::runTargets(std::int64_t index) {
    std::atomic<std::int64_t>& turn = turn_[static_cast<std::size_t>(index % chunks_)];
    const std::int64_t segment = index / chunks_;
    waitForTurn(turn, segment);
    kernel_.loops.targets(bodies_, sums_, force_, targetPiece(index));
    turn.store(segment + 1, std::memory_order_release);
}

template <class T>
void ForcePass<T>::runPairs(std::int64_t index) {
    const TilePair pair = pairAt(chunks_, index);
    const std::size_t a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b), n = bodies_.count;
    waitForTurn(turn_[a], pair.round);
    waitForTurn(turn_[b], pair.round);
    kernel_.loops.pairs(bodies_, sums_, force_,
                        {a * chunk_, std::min(n, (a + 1) * chunk_), b * chunk_, std::min(n, (b + 1) * chunk_),
                         pair.round == 0, closeSums_ && pair.round + 1 == chunks_});
    turn_[a].store(pair.round + 1, std::memory_order_release);
    turn_[b].store(pair.round + 1, std::memory_order_release);
}

template <class T>
template <class Run>
void ForcePass<T>::share(ThreadPool& pool, Deadline deadline, Run run) {
    done_ = inline_ ? ThreadPool::runHere(done_, total_, deadline, run) : pool.run(done_, total_, deadline, run);
}

template <class T>
void ForcePass<T>::runOpenMpPieces(int threads, Deadline deadline) {
    struct Shared {
        ForcePass* pass;
        Deadline deadline;
    } shared{this, deadline};
    const auto runOne = [](void* context, std::size_t index) {
        const auto& [pass, end] = *static_cast<Shared*>(context);
        const auto piece = static_cast<std::int64_t>(index);
        // One that a run before this one got to ahead of its neighbours; the first of a run is always done.
        if (pass->turn_[static_cast<std::size_t>(piece % pass->chunks_)].load(std::memory_order_relaxed) >
            piece / pass->chunks_)
            return;
        if (piece > pass->done_ && end != kNoDeadline && Deadline::clock::now() >= end) return;
        pass->runTargets(piece);
    };
    do {
        // Pieces of one segment have different targets, so a loop over them needs no order.
        const std::int64_t segment = done_ / chunks_, segmentEnd = (segment + 1) * chunks_;
        openMpFor(threads, static_cast<std::size_t>(done_), static_cast<std::size_t>(segmentEnd), runOne, &shared);
        while (done_ < segmentEnd &&
               turn_[static_cast<std::size_t>(done_ % chunks_)].load(std::memory_order_relaxed) > segment)
            ++done_;
    } while (done_ < total_ && (deadline == kNoDeadline || Deadline::clock::now() < deadline));
}

template <class T>
void ForcePass<T>::run(ThreadPool& pool, Deadline deadline) {
    if (complete()) return;
    if (kernel_.sharing == Sharing::openMp)
        runOpenMpPieces(pool.threads(), deadline);
    else if (kernel_.shape == WorkShape::pairTiles)
        share(pool, deadline, [this](std::int64_t index) { runPairs(index); });
    else
        share(pool, deadline, [this](std::int64_t index) { runTargets(index); });
}

template class ForcePass<float>;
template class ForcePass<double>;

}  // namespace gravlab::cpu
