// Joins the kernel rows of all backends. Rule: rows of one backend stay together and in ladder order.
#include "sim/backends/kernel.h"

#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/backends/kernel_rows.h"
#include "sim/core/names.h"
#include "sim/forces/force_term.h"
#include "sim/tree/criterion.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace gravlab {
namespace {

/// The rows of addKernel(), which any thread may add; a deque keeps references valid.
struct AddedRows {
    std::mutex lock;
    std::deque<KernelRow> rows;
};
AddedRows& addedRows() {
    static AddedRows all;
    return all;
}

/// Row of the reference backend, which computes a term by the plain statement of the term.
const KernelRow& plainTermRow(std::string_view term) {
    static std::deque<std::pair<std::string, KernelRow>> rows;
    for (const auto& [name, row] : rows)
        if (name == term) return row;
    auto& [name, row] = rows.emplace_back(std::string(term), KernelRow());
    row.backend = exactBackend().name;
    row.term = name;
    row.name = "plain";
    row.idea = "the term's own plain statement in double precision";
    return row;
}

bool isListed(std::span<const int> values, int wanted) { return std::ranges::find(values, wanted) != values.end(); }

}  // namespace

std::string_view nameOf(Split split) {
    constexpr std::string_view kNames[] = {"targets", "tile-pairs", "key-ranges", "none"};
    return kNames[static_cast<int>(split)];
}

std::string unrollText(int unroll) { return unroll == kAutoUnroll ? "auto" : std::to_string(unroll); }

std::span<const KernelRow> trapKernels() { return cudaTrapRows(); }

const KernelRow* findTrap(std::string_view backend, std::string_view name) {
    for (const KernelRow& row : trapKernels())
        if (row.backend == backend && row.name == name) return &row;
    return nullptr;
}

LaunchConfig usualLaunch(const std::optional<std::string>& kernelName) {
    if (!kernelName) return {};
    for (const std::span<const KernelRow> rows : {kernels(), trapKernels()})
        for (const KernelRow& row : rows)
            if (row.name == *kernelName) return row.usual;
    return {};
}

double keptAccuracy(const KernelRow& row, const ForceSettings& force, double allowedError, double opening) {
    if (!row.approximates) return 0;
    if (row.keeps) return row.keeps(force, allowedError, opening);
    return allowedError > 0 ? allowedError : kUsualAccuracy;
}

LaunchConfig tunable(const KernelRow& row, LaunchConfig launch) {
    if (launch == LaunchConfig()) launch = row.usual;
    if (row.blocks.first == row.blocks.last) launch.block = row.usual.block;
    if (row.unrolls.empty()) launch.unroll = row.usual.unroll;
    if (launch.bodiesPerThread == 1 && !isListed(row.bodiesPerThread, 1)) launch.bodiesPerThread = row.usual.bodiesPerThread;
    return launch;
}

int nearestOf(std::span<const int> values, int wanted) {
    return *std::ranges::min_element(values, {},
                                     [&](int value) { return std::llabs(static_cast<long long>(value) - wanted); });
}

void requireListed(const KernelRow& row, const char* what, std::span<const int> values, int wanted,
                   std::string (*shown)(int)) {
    if (isListed(values, wanted)) return;
    throw UsageError(std::string(what) + " " + shown(wanted) + " is not built for kernel '" + std::string(row.name) +
                     "': valid are " + joined(values, shown) + "; nearest: " + shown(nearestOf(values, wanted)));
}

double slotsPerDirectedPair(const KernelRow& row, Precision precision) {
    return precision == Precision::fp64 ? row.slots64PerDirectedPair : row.issuedPerDirectedPair;
}

std::span<const KernelRow> kernels() {
    static const std::vector<KernelRow> rows = [] {
        std::vector<KernelRow> all;
        for (std::span<const KernelRow> part : {referenceKernelRows(), cpuKernelRows(), cudaKernelRows()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return rows;
}

Reason refusal(const KernelRow& row, const ForceSettings& force) {
    const Reason reason = row.refuses ? row.refuses(row, force) : Reason();
    return reason.empty() ? reason : "kernel '" + std::string(row.name) + "' cannot run: " + reason;
}

const KernelRow& addKernel(const KernelRow& row) {
    const std::lock_guard hold(addedRows().lock);
    for (const KernelRow& known : addedRows().rows)
        if (known.backend == row.backend && known.term == row.term && known.name == row.name)
            throw std::logic_error("the kernel '" + std::string(row.name) + "' is there already");
    return addedRows().rows.emplace_back(row);
}

std::vector<const KernelRow*> listedKernels() {
    std::vector<const KernelRow*> rows;
    for (const KernelRow& row : kernels()) rows.push_back(&row);
    const std::lock_guard hold(addedRows().lock);
    for (const KernelRow& row : addedRows().rows)
        if (row.listed) rows.push_back(&row);
    for (const TermKind& kind : termKinds()) rows.push_back(&plainTermRow(kind.name));
    return rows;
}

std::vector<const KernelRow*> listedKernels(std::string_view backend, std::string_view term) {
    std::vector<const KernelRow*> rows = listedKernels();
    std::erase_if(rows, [&](const KernelRow* row) { return row->backend != backend || row->term != term; });
    return rows;
}

const KernelRow* findKernel(std::string_view backend, std::string_view name, std::string_view term) {
    const auto named = [&](const KernelRow& row) { return row.backend == backend && row.term == term && row.name == name; };
    const std::lock_guard hold(addedRows().lock);
    const auto added = std::ranges::find_if(addedRows().rows, named);
    if (added != addedRows().rows.end()) return &*added;
    if (term != kPairLawTerm) {
        const KernelRow& plain = plainTermRow(term);
        return named(plain) ? &plain : nullptr;
    }
    const auto row = std::ranges::find_if(kernels(), named);
    return row == kernels().end() ? findTrap(backend, name) : &*row;
}

void requireKernel(std::string_view name) {
    const auto isThere = [&](const BackendRow& row) { return hasKernel(row.name, name); };
    if (std::ranges::none_of(backends(), isThere)) findRow(kernels(), "kernel", name);
}

const KernelRow& termKernel(std::string_view backend, std::string_view term, const std::optional<std::string>& name) {
    if (term == kPairLawTerm) return kernel(backend, name.value_or(std::string()));
    if (name)
        if (const KernelRow* found = findKernel(backend, *name, term)) return *found;
    const std::lock_guard hold(addedRows().lock);
    const KernelRow* best = backend == exactBackend().name ? &plainTermRow(term) : nullptr;
    std::string known(best ? best->name : std::string_view());
    for (const KernelRow& row : addedRows().rows) {
        if (row.backend != backend || row.term != term) continue;
        best = &row;
        addTo(known, row.name);
    }
    if (best && !name) return *best;
    throw UsageError(
        "the " + std::string(backend) + " backend cannot compute the force term '" + std::string(term) +
        (best ? "' by '" + *name + "': it has " + known : "': it has no method for it; take the reference backend"));
}

LaunchConfig checkedLaunch(const KernelRow& row, const LaunchConfig& wanted) {
    const LaunchConfig launch = tunable(row, wanted);
    const auto within = [&](const char* what, const Range& range, int value) {
        if (value < range.first || (range.last > 0 && value > range.last))
            throw UsageError(std::string(what) + " " + std::to_string(value) + " is not possible for kernel '" +
                             std::string(row.name) + "': valid are " + std::to_string(range.first) +
                             (range.last > 0 ? " to " + std::to_string(range.last) : " and more"));
    };
    if (!row.blockSizes.empty())
        requireListed(row, "block", row.blockSizes, launch.block);
    else if (row.blocks.first != row.blocks.last)
        within("block", row.blocks, launch.block);
    if (!row.unrolls.empty()) requireListed(row, "unroll", row.unrolls, launch.unroll, unrollText);
    if (!row.bodiesPerThread.empty()) requireListed(row, "bodies per thread", row.bodiesPerThread, launch.bodiesPerThread);
    within("split", row.splits, launch.split);
    return launch;
}

const KernelRow& kernel(std::string_view backend, std::string_view name) {
    if (const KernelRow* found = findKernel(backend, name)) return *found;
    const std::span<const KernelRow> all = kernels();
    const auto ofBackend = [&](const KernelRow& row) { return row.backend == backend; };
    const auto first = std::find_if(all.begin(), all.end(), ofBackend);
    const std::span<const KernelRow> own(first, std::find_if_not(first, all.end(), ofBackend));
    if (std::ranges::find(all, name, &KernelRow::name) != all.end()) {
        const auto owner = [&](const KernelRow& row) { return row.name == name ? row.backend : std::string_view(); };
        throw UsageError("unknown " + std::string(backend) + " kernel '" + std::string(name) + "': it is a kernel of " +
                         joined(all, owner, " and ") + ", and this runs on " + std::string(backend) +
                         "; valid: " + joined(own, &KernelRow::name));
    }
    return findRow(own, std::string(backend) + " kernel", name);
}

}  // namespace gravlab
