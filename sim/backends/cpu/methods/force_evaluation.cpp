#include "sim/backends/cpu/methods/force_evaluation.h"

#include "sim/backends/cpu/backend_cpu.h"
#include "sim/backends/cpu/methods/pair_schedule.h"
#include "sim/backends/exchange.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

namespace gravlab::cpu {
namespace {

// With at most 256 targets a piece is a million pairs: 0.2 ms with AVX-512, 3 ms in the plain loop. It has whole tiles.
constexpr std::size_t kSourcesPerPiece = 4096;
constexpr std::size_t kMostTargetsPerPiece = 256;
constexpr std::size_t kTargetUnit = 64;  // two registers of any width
// Bodies that one thread rounds or copies at a time: they take microseconds, enough to wake another core for.
constexpr std::size_t kRoundGrain = 16384;

// Large tiles are faster (fewer lane sums to reduce: 512 bodies 2 % over 256), small ones keep more threads busy.
std::size_t pairTile(std::size_t bodies, int most) {
    return std::min<std::size_t>(bodies >= 16384 ? 512 : bodies >= 4096 ? 256 : 128, static_cast<std::size_t>(most));
}

void waitForTurn(const std::atomic<std::int64_t>& turn, std::int64_t mine) {
    // Pieces start in order, so the piece waited for is running already; it rarely needs more than microseconds.
    for (int spins = 0; turn.load(std::memory_order_acquire) != mine; ++spins)
        if (spins > 100) std::this_thread::yield();
}

}  // namespace

template <class T, class P>
ForceEvaluation<T, P>::ForceEvaluation(const DirectKernel<P>& kernel, const MethodContext& context)
    : kernel_(kernel),
      context_(context),
      sums_(context.bodies),
      lost_(context.bodies),
      pairPositions_(kMixed ? context.bodies : 0),
      pairSource_(kMixed ? context.bodies : 0),
      whole_(kMixed ? context.bodies : 0),
      view_{sums_.axis[0].data(), sums_.axis[1].data(), sums_.axis[2].data(),
            lost_.axis[0].data(), lost_.axis[1].data(), lost_.axis[2].data()} {
    const std::size_t n = context.bodies;
    inline_ = kernel_.sharing == Sharing::oneThread || n <= kTinyBodies;
    if (kernel_.shape == Split::tilePairs) {
        chunk_ = pairTile(n, context_.launch.block);
    } else {
        const std::size_t threads = static_cast<std::size_t>(std::max(1, context_.pool.threads()));
        const std::size_t balanced = roundUp(n / (8 * threads), kTargetUnit);
        chunk_ = inline_ ? kMostTargetsPerPiece : std::clamp(balanced, kTargetUnit, kMostTargetsPerPiece);
    }
    chunks_ = static_cast<std::int64_t>((n + chunk_ - 1) / chunk_);
    turn_ = std::make_unique<std::atomic<std::int64_t>[]>(static_cast<std::size_t>(chunks_));
}

template <class T, class P>
void ForceEvaluation<T, P>::prepare(const CpuBodies<T>& bodies, const ForceRequest& request) {
    request_ = request;
    request_.active = request.wanted(bodies.count);
    loops_ = kernel_.loops->of(request.settings);
    const auto unroll = std::ranges::find(kUnrolls, context_.launch.unroll) - kUnrolls.begin();
    if (unroll > 0 && unroll < std::ssize(kUnrolls))
        if (const TargetKernel<P> unrolled = loops_.unrolled[static_cast<std::size_t>(unroll) - 1])
            loops_.targets = unrolled;
    const std::size_t n = bodies.count;
    if constexpr (kMixed) {
        context_.pool.forRange(n, kRoundGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                for (std::size_t i = first; i < last; ++i)
                    pairPositions_.axis[axis][i] = static_cast<P>(bodies.axis[axis][i]);
            for (std::size_t i = first; i < last; ++i) pairSource_[i] = static_cast<P>(bodies.source[i]);
        });
        bodies_ = {pairPositions_.axis[0].data(), pairPositions_.axis[1].data(), pairPositions_.axis[2].data(),
                   pairSource_.data(), n};
    } else {
        bodies_ = {bodies.axis[0], bodies.axis[1], bodies.axis[2], bodies.source, n};
    }
    targetCount_ = n;
    at_ = {bodies_.x, bodies_.y, bodies_.z};
    if (part()) gatherTargets();
    bodies_.count = request.sources.among(n);
    if (request.sources.list && bodies_.count < n) gatherSources();
    chunks_ = static_cast<std::int64_t>((targetCount_ + chunk_ - 1) / chunk_);
    done_ = 0;
    counted_ = 0;
    total_ = pieces();
    for (std::int64_t i = 0; i < chunks_; ++i) turn_[static_cast<std::size_t>(i)].store(0, std::memory_order_relaxed);
}

template <class T, class P>
std::int64_t ForceEvaluation<T, P>::pieces() const {
    if (byPairs()) return pairCount(chunks_);
    return chunks_ * static_cast<std::int64_t>((bodies_.count + kSourcesPerPiece - 1) / kSourcesPerPiece);
}

template <class T, class P>
void ForceEvaluation<T, P>::gatherTargets() {
    const std::size_t n = bodies_.count;
    if (spread_.axis[0].padded() == 0) {
        VectorArrays<P> positions(n);
        VectorArrays<T> spread(n);
        targets_.reserve(n);
        targetPositions_ = std::move(positions);
        spread_ = std::move(spread);
    }
    targets_.clear();
    for (std::size_t i = request_.active.first; i < std::min<std::size_t>(n, request_.active.last); ++i)
        if (request_.active.has(i)) targets_.push_back(static_cast<std::uint32_t>(i));
    targetCount_ = targets_.size();
    const std::array<const P*, 3> from{bodies_.x, bodies_.y, bodies_.z};
    context_.pool.forRange(targetCount_, kRoundGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t k = begin; k < end; ++k) targetPositions_.axis[axis][k] = from[axis][targets_[k]];
    });
    at_ = {targetPositions_.axis[0].data(), targetPositions_.axis[1].data(), targetPositions_.axis[2].data()};
}

template <class T, class P>
void ForceEvaluation<T, P>::gatherSources() {
    const std::size_t n = bodies_.count;
    if (listSource_.padded() < n) {
        VectorArrays<P> positions(n);
        AlignedArray<P> source(n);
        listPositions_ = std::move(positions);
        listSource_ = std::move(source);
    }
    const std::array<const P*, 3> from{bodies_.x, bodies_.y, bodies_.z};
    const std::uint32_t* list = request_.sources.list;
    context_.pool.forRange(n, kRoundGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t k = begin; k < end; ++k) listPositions_.axis[axis][k] = from[axis][list[k]];
        for (std::size_t k = begin; k < end; ++k) listSource_[k] = bodies_.source[list[k]];
    });
    bodies_ = {listPositions_.axis[0].data(), listPositions_.axis[1].data(), listPositions_.axis[2].data(),
               listSource_.data(), n};
}

/// Copies sums from the order of targets to the order of bodies.
template <class T, class P>
void ForceEvaluation<T, P>::spreadTargets() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const P *sum = sums_.axis[axis].data(), *lost = lost_.axis[axis].data();
        T* to = spread_.axis[axis].data();
        for (std::size_t k = 0; k < targetCount_; ++k)
            to[targets_[k]] = kMixed ? static_cast<T>(sum[k]) + static_cast<T>(lost[k]) : static_cast<T>(sum[k]);
    }
}

template <class T, class P>
ForceProgress ForceEvaluation<T, P>::enqueue(double seconds) {
    if (!underWay()) return {.complete = true};
    run(deadlineAfter(seconds));
    const bool complete = !underWay();
    if (complete) part() ? spreadTargets() : addParts();
    const double pairs = static_cast<double>(targetCount_) * static_cast<double>(bodies_.count);
    const double now = complete ? pairs : std::floor(pairs * progress());
    return {.complete = complete, .work = {.pairs = now - std::exchange(counted_, now)}};
}

template <class T, class P>
void ForceEvaluation<T, P>::addParts() {
    if constexpr (kMixed)
        context_.pool.forRange(targetCount_, kRoundGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const P *sum = sums_.axis[axis].data(), *lost = lost_.axis[axis].data();
                T* to = whole_.axis[axis].data();
                for (std::size_t i = first; i < last; ++i) to[i] = static_cast<T>(sum[i]) + static_cast<T>(lost[i]);
            }
        });
}

template <class T, class P>
CpuForceSums<T> ForceEvaluation<T, P>::sums() const {
    const T factor = static_cast<T>(forceFactor(request_.settings));
    if (part()) return {spread_.data(), factor};
    if constexpr (kMixed)
        return {whole_.data(), factor};
    else
        return {sums_.data(), factor};
}

template <class T, class P>
void ForceEvaluation<T, P>::give(MessageWriter& to) const {
    to.add(static_cast<double>(targetCount_) * static_cast<double>(bodies_.count));
    for (const AlignedArray<T>& axis : spread_.axis)
        for (const std::uint32_t target : targets_) to.add(axis[target]);
}

template <class T, class P>
ForceWork ForceEvaluation<T, P>::take(const ForceRequest& part, MessageReader& from) {
    const ForceWork work{.pairs = from.get<double>()};
    const ActiveBodies wanted = part.wanted(context_.bodies);
    for (AlignedArray<T>& axis : spread_.axis)
        for (std::size_t i = wanted.first; i < std::min<std::size_t>(context_.bodies, wanted.last); ++i)
            if (wanted.has(i)) axis[i] = from.get<T>();
    return work;
}

template <class T, class P>
void ForceEvaluation<T, P>::addEnds(const ForceRequest& part, std::vector<std::uint32_t>& to) const {
    if (part.targets.count == 0) return;
    to.push_back(static_cast<std::uint32_t>(part.targets.first));
    to.push_back(static_cast<std::uint32_t>(part.targets.first + part.targets.count - 1));
}

template <class T, class P>
double ForceEvaluation<T, P>::bytes(std::size_t bodies) {
    const double numbers = 3 + 3 + (kMixed ? 3 + 1 : 0), wide = kMixed ? 3 : 0;
    return static_cast<double>(roundUp(bodies, kTile)) * (numbers * sizeof(P) + wide * sizeof(T));
}

template <class T, class P>
TargetPiece ForceEvaluation<T, P>::targetPiece(std::int64_t index) const {
    const std::size_t segment = static_cast<std::size_t>(index / chunks_), chunk = static_cast<std::size_t>(index % chunks_);
    const std::size_t end = bodies_.count, target = chunk * chunk_, source = segment * kSourcesPerPiece;
    const std::size_t sourceEnd = std::min(end, source + kSourcesPerPiece);
    return {target, std::min(targetCount_, target + chunk_), source, sourceEnd, segment == 0, !kMixed && sourceEnd == end};
}

template <class T, class P>
void ForceEvaluation<T, P>::runTargets(std::int64_t index) {
    std::atomic<std::int64_t>& turn = turn_[static_cast<std::size_t>(index % chunks_)];
    const std::int64_t segment = index / chunks_;
    waitForTurn(turn, segment);
    loops_.targets(bodies_, at_, view_, request_, targetPiece(index));
    turn.store(segment + 1, std::memory_order_release);
}

template <class T, class P>
void ForceEvaluation<T, P>::runPairs(std::int64_t index) {
    const TilePair pair = pairAt(chunks_, index);
    const std::size_t a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b), n = bodies_.count;
    waitForTurn(turn_[a], pair.round);
    waitForTurn(turn_[b], pair.round);
    loops_.pairs(bodies_, view_, request_,
                 {a * chunk_, std::min(n, (a + 1) * chunk_), b * chunk_, std::min(n, (b + 1) * chunk_), pair.round == 0,
                  !kMixed && pair.round + 1 == chunks_});
    turn_[a].store(pair.round + 1, std::memory_order_release);
    turn_[b].store(pair.round + 1, std::memory_order_release);
}

template <class T, class P>
template <class Run>
void ForceEvaluation<T, P>::share(Deadline deadline, Run run) {
    done_ = inline_ ? ThreadPool::runHere(done_, total_, deadline, run) : context_.pool.run(done_, total_, deadline, run);
}

template <class T, class P>
void ForceEvaluation<T, P>::runOpenMpPieces(Deadline deadline) {
    struct Shared {
        ForceEvaluation* evaluation;
        Deadline deadline;
    } shared{this, deadline};
    const auto runOne = [](void* context, std::size_t index) {
        const auto& [evaluation, end] = *static_cast<Shared*>(context);
        const auto piece = static_cast<std::int64_t>(index);
        // An earlier run may have done this piece ahead of its neighbours. The first piece of a run always runs.
        if (evaluation->turn_[static_cast<std::size_t>(piece % evaluation->chunks_)].load(std::memory_order_relaxed) >
            piece / evaluation->chunks_)
            return;
        if (piece > evaluation->done_ && end != kNoDeadline && Deadline::clock::now() >= end) return;
        evaluation->runTargets(piece);
    };
    const int threads = openMpThreads(context_.pool.threads());
    do {
        // Pieces of one segment have different targets, so a loop over them needs no order.
        const std::int64_t segment = done_ / chunks_, segmentEnd = (segment + 1) * chunks_;
        openMpFor(threads, static_cast<std::size_t>(done_), static_cast<std::size_t>(segmentEnd), runOne, &shared);
        while (done_ < segmentEnd &&
               turn_[static_cast<std::size_t>(done_ % chunks_)].load(std::memory_order_relaxed) > segment)
            ++done_;
    } while (done_ < total_ && (deadline == kNoDeadline || Deadline::clock::now() < deadline));
}

template <class T, class P>
void ForceEvaluation<T, P>::run(Deadline deadline) {
    if (kernel_.sharing == Sharing::openMp)
        runOpenMpPieces(deadline);
    else if (byPairs())
        share(deadline, [this](std::int64_t index) { runPairs(index); });
    else
        share(deadline, [this](std::int64_t index) { runTargets(index); });
}

template class ForceEvaluation<float, float>;
template class ForceEvaluation<double, float>;
template class ForceEvaluation<double, double>;

}  // namespace gravlab::cpu
