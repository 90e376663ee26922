// The benchmark card.
#include "app/bench/card.h"

#include "app/bench/tuner.h"
#include "app/system/built_in.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/run/fingerprint.h"

#include <algorithm>

namespace gravlab {
namespace {

/// 2,012 · 45.3 · 4.53 G
std::string gigaText(double perSecond) {
    const double giga = perSecond * 1e-9;
    if (giga >= 999.5) return grouped(static_cast<std::uint64_t>(giga + 0.5)).text;
    return formatted(giga < 9.995 ? "%.2f" : giga < 99.95 ? "%.1f" : "%.0f", giga);
}

/// "1,830 MHz under load, 1,980 MHz at most".
std::string clocksText(std::span<const SweepResult> results) {
    double load = 0, most = 0;
    for (const SweepResult& result : results) {
        load = std::max(load, result.row.clock);
        most = std::max(most, result.facts.highestClock);
    }
    const auto megahertz = [](double clock) { return grouped(static_cast<std::uint64_t>(clock * 1e-6 + 0.5)); };
    std::string clocks;
    if (load > 0) clocks = std::string(megahertz(load)) + " MHz under load";
    if (most > 0) clocks += (clocks.empty() ? "" : ", ") + std::string(megahertz(most)) + " MHz at most";
    return clocks;
}

}  // namespace

Page cardPage(std::span<const SweepResult> results) {
    const SweepResult* const best = bestOf(results);
    if (!best) throw UsageError("there is no verified rate to make a card of");
    const std::string headline = gigaText(best->row.stepInteractionsPerSecond) + " G interactions/s",
                      device = best->facts.multiprocessors > 0
                                   ? best->row.device
                                   : best->facts.device + ", " + formatted("%d threads", best->facts.cpuThreads);
    Page page{.name = "card",
              .title = headline + ", whole steps, N = " + grouped(best->row.bodies).text + ", " + best->row.precision +
                       "\n" + device,
              .csv = sweepCsv(results)};
    page.grid = {{"N", "kernel and launch", "forces G/s", "steps G/s", "ms/step", "error 99.9 %"}};
    int repeats = 0;
    for (const SweepResult& result : results) {
        if (!result.row.verified) continue;
        const BenchmarkRow& row = result.row;
        KernelChoice choice{row.kernel, {row.block, row.unroll, row.bodiesPerThread, row.split}};
        page.grid.push_back({grouped(row.bodies).text, launchSentence(row.backend, choice),
                             gigaText(row.interactionsPerSecond), gigaText(row.stepInteractionsPerSecond),
                             formatted(row.msPerStep < 0.1 ? "%.4f" : "%.4g", row.msPerStep),
                             formatted("%.1e", row.errorP999)});
        repeats = std::max(repeats, row.repeats);
    }
    std::string facts = best->facts.driver.empty() ? "" : "driver " + best->facts.driver;
    if (const std::string clocks = clocksText(results); !clocks.empty()) addTo(facts, clocks, "; ");
    // Two machines with the same fingerprint compute the same bits.
    const std::string program = "gravlab " + std::string(version()),
                      print = shortFingerprint({.scene = "plummer", .bodies = 256});
    page.notes = {
        facts,
        formatted("Median of up to %d repetitions after a warm-up. N*N pairs a force, softened gravity, %s. Forces "
                  "of sampled bodies were compared with double precision before and after.",
                  repeats, best->row.integrator.c_str()),
        program + ", " + dateOfToday() + "; gravlab bench --card; fingerprint: " + print};
    page.texts = {{"Software", program}, {"gravlab:card", headline}};
    page.width = 1600, page.height = 900;
    return page;
}

std::string cardText(const Page& card) {
    return card.title + "\n" + card.notes[0] + "\n\n" + alignedText(card.grid, true) + "\n" + card.notes[1] + "\n" +
           card.notes[2] + "\n";
}

}  // namespace gravlab
