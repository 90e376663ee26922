#include "app/bench/figure_parts.h"

#include "app/bench/benchmark_text.h"
#include "app/bench/term_bench.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/backends/block_figures.h"
#include "sim/backends/memory_probe.h"
#include "sim/forces/bonds/bond_rows.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

/// A net of which `ofHub` bonds lead to body 0 and the others to eight neighbours. All bonds are alike. The hub is heavy and
/// the steps are short, so that no body moves far.
TermStudy netStudy(std::size_t count, std::size_t ofHub) {
    const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    TermStudy study{.kind = std::string(Bonds::kKind), .system = {}, .force = {}, .timeStep = 1e-6};
    // No pair is within the reach of a law that ends, and its cells make the steps fast.
    const auto ends =
        std::ranges::find_if(laws(), [](const LawRow& row) { return std::isfinite(row.reach({.law = row.law})); });
    study.force = {.law = ends->law, .precision = Precision::fp32};
    constexpr double kSpacing = 3;
    ParticleSet& bodies = study.system.bodies;
    bodies.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        bodies.position[i] = {kSpacing * static_cast<double>(i % side), kSpacing * static_cast<double>(i / side), 0, 1};
        bodies.velocity[i] = {0, 0, 0, 1};
        bodies.id[i] = static_cast<std::uint32_t>(i);
    }
    bodies.position[0].w = static_cast<double>(count);
    const auto list = std::make_shared<BondList>();
    const std::size_t all = 4 * count;
    std::size_t spoke = 0, k = 0;
    const auto join = [&](std::size_t i, std::size_t j) {
        // Evenly spread bonds lead to the hub instead.
        if (ofHub > 0 && (k + 1) * ofHub / all > k * ofHub / all) {
            i = 0;
            j = 1 + spoke++ * (count - 1) / ofHub;
        }
        ++k;
        list->add({static_cast<std::uint32_t>(i),
                   static_cast<std::uint32_t>(j),
                   {.length = kSpacing, .stiffness = 1, .law = BondLaw::hooke}});
    };
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t x = i % side;
        if (x + 1 < side && i + 1 < count) join(i, i + 1);
        if (i + side < count) join(i, i + side);
        if (x + 1 < side && i + side + 1 < count) join(i, i + side + 1);
        if (x > 0 && i + side - 1 < count) join(i, i + side - 1);
    }
    study.system.terms = {{std::make_shared<const PairLaw>(study.force), {.kernel = "cells"}},
                          {std::make_shared<const Bonds>(list)}};
    return study;
}

/// Bytes of one evaluation over its time: each entry, position and force counted once; 0 where the row has no entries.
double bytesPerSecond(const BenchmarkRow& row, const Bonds& bonds) {
    const double ends = 2 * static_cast<double>(bonds.list().size()), entry = figureNamed(row.figures, "bytes an entry");
    if (entry == 0) return 0;
    const double bodies = 2 * sizeof(Float4) * static_cast<double>(row.bodies);
    const double entries = figureNamed(row.figures, "colours") > 0 ? ends / 2 : ends;
    return (entries * entry + bodies) * row.interactionsPerSecond / ends;
}

/// Bytes per second of a copy within the device, read and written; 0 where it is not measured.
double copyRate(const FigureRequest& request) {
    if (!backend(request.backend).onDevice) return 0;
    const std::unique_ptr<MemoryProbe> probe = memoryProbe(request.backend, request.options);
    MemoryTimes times;
    while (probe->measure(times)) {
    }
    const auto copy = std::ranges::find(times.passes, kDeviceCopy, &MemoryPass::what);
    return copy == times.passes.end() ? 0 : copy->bytes / copy->seconds;
}

}  // namespace

Reason whyNoBonds(const FigureRequest& request) {
    return backend(request.backend).exact ? "the " + request.backend + " backend has one way to compute bonds" : Reason();
}

void bondStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    const std::size_t count = request.bodies.empty() ? (backend(request.backend).onDevice ? 1048576 : 65536)
                                                     : std::max<std::size_t>(64, request.bodies.front());
    std::vector<std::size_t> hubs{0};
    for (std::size_t ends = 64; ends < 4 * count; ends *= 8) hubs.push_back(std::min(ends, 4 * count));
    hubs.push_back(count - 1);
    std::ranges::sort(hubs);
    std::erase_if(hubs, [&](std::size_t ends) { return ends > count - 1; });
    hubs.erase(std::unique(hubs.begin(), hubs.end()), hubs.end());
    const std::unique_ptr<Backend> made = backend(request.backend).make(request.options);
    const auto wanted = request.run.terms.find(Bonds::kKind);
    const std::vector<KernelChoice> choices = termChoices(
        request.backend, Bonds::kKind, wanted == request.run.terms.end() ? TermRequest{} : wanted->second, false);

    BenchmarkPlan plan = figures_detail::kPointPlan;
    plan.repeats = request.repeats;
    plan.checkBodies = 128;

    const double copied = copyRate(request);
    into.csv =
        "kernel,bodies,bonds,hub_row,imbalance,ends_per_second,spread,pads_an_entry,bytes_an_entry,"
        "gbytes_per_second,of_copy,colours,verified,note,device,driver,date\n";
    for (const std::size_t ofHub : hubs) {
        TermStudy net = netStudy(count, ofHub);
        const Bonds& bonds = static_cast<const Bonds&>(*net.system.terms[1].what);
        const RowLengths lengths = lengthsOf(rowsOf(bonds, net.system.bodies.id));
        for (const KernelChoice& choice : choices) {
            BenchmarkRow row{.kernel = nameOf(choice), .bodies = count};
            bool refused = true;
            try {
                row = timeTerm(*made, net, choice, usualIntegrator(), plan);
                refused = false;
            } catch (const UsageError& error) {
                row.note = error.what();
            } catch (const OutOfMemoryError& error) {
                row.note = error.what();
            }
            into.right = into.right && (refused || row.verified);
            const double moved = bytesPerSecond(row, bonds), ofCopy = copied > 0 ? moved / copied : 0;
            into.csv +=
                formatted("%s,%zu,%zu,%u,%.4g,%.6g,%.3g,%.3g,%.3g,%.4g,%.3g,%.0f,%s,", nameOf(choice).c_str(), count,
                          bonds.list().size(), lengths.longest, lengths.imbalance(), row.interactionsPerSecond, row.spread,
                          figureNamed(row.figures, "pads an entry"), figureNamed(row.figures, "bytes an entry"),
                          1e-9 * moved, ofCopy, figureNamed(row.figures, "colours"), row.verified ? "true" : "false") +
                csvCell(row.note) + "," + figures_detail::deviceCells(*made) + "\n";
            ++into.points;
            progress(into.points, hubs.size() * choices.size());
        }
    }
}

}  // namespace gravlab
