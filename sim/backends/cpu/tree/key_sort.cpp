#include "sim/backends/cpu/tree/key_sort.h"

#include <algorithm>
#include <utility>

namespace gravlab::cpu {
namespace {

constexpr std::size_t kDigits = 256;
constexpr std::size_t kLeastPiece = 4096, kMostPieces = 128;

}  // namespace

KeySort::KeySort(std::size_t count)
    : count_(count),
      grain_(std::max(kLeastPiece, (count + kMostPieces - 1) / kMostPieces)),
      a_(count),
      b_(count),
      now_(a_.data()),
      next_(b_.data()),
      places_((count + grain_ - 1) / grain_ * kDigits) {}

void KeySort::pass(int number, ThreadPool& pool) {
    const int shift = 8 * number;
    const auto digitOf = [shift](const KeyedBody& body) { return body.key >> shift & (kDigits - 1); };
    const auto placesOf = [this](std::size_t first) { return places_.data() + first / grain_ * kDigits; };
    pool.forRange(count_, grain_, [&](std::size_t first, std::size_t last) {
        std::uint32_t* counts = placesOf(first);
        std::fill_n(counts, kDigits, 0u);
        for (std::size_t i = first; i < last; ++i) ++counts[digitOf(now_[i])];
    });
    std::uint32_t sum = 0;
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
        const std::uint32_t before = sum;
        for (std::size_t k = digit; k < places_.size(); k += kDigits) sum += std::exchange(places_[k], sum);
        if (sum - before == count_) return;  // all have this digit
    }
    pool.forRange(count_, grain_, [&](std::size_t first, std::size_t last) {
        std::uint32_t* places = placesOf(first);
        for (std::size_t i = first; i < last; ++i) next_[places[digitOf(now_[i])]++] = now_[i];
    });
    std::swap(now_, next_);
}

}  // namespace gravlab::cpu
