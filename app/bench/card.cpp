// The benchmark card.
#include "app/bench/card.h"

#include "app/bench/tuner.h"
#include "app/system/built_in.h"
#include "app/system/file_names.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/run/fingerprint.h"

#include <algorithm>
#include <ctime>

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

struct Column {
    const char* head;
    std::string Card::Line::*cell;
    int width;  ///< text width in letters; negative: aligned on the left
};
constexpr Column kColumns[] = {
    {"N", &Card::Line::bodies, 10},         {"kernel and launch", &Card::Line::launch, -44},
    {"forces G/s", &Card::Line::force, 11}, {"steps G/s", &Card::Line::step, 10},
    {"ms/step", &Card::Line::perStep, 9},   {"error 99.9 %", &Card::Line::error, 13},
};

}  // namespace

Card makeCard(std::span<const SweepResult> results) {
    const SweepResult* const best = bestOf(results);
    if (!best) throw UsageError("there is no verified rate to make a card of");
    Card card;
    card.device = best->row.device;
    card.driver = best->facts.driver;
    if (best->facts.multiprocessors == 0)
        card.device = best->facts.device + ", " + formatted("%d threads", best->facts.cpuThreads);
    card.clocks = clocksText(results);
    card.headline = gigaText(best->row.stepInteractionsPerSecond) + " G interactions/s";
    card.headlineOf = std::string("whole steps, N = ") + grouped(best->row.bodies).text + ", " + best->row.precision;
    int repeats = 0;
    for (const SweepResult& result : results) {
        if (!result.row.verified) continue;
        const BenchmarkRow& row = result.row;
        KernelChoice choice{row.kernel, {row.block, row.unroll, row.bodiesPerThread, row.split}};
        card.lines.push_back({grouped(row.bodies).text, launchSentence(row.backend, choice),
                              gigaText(row.interactionsPerSecond), gigaText(row.stepInteractionsPerSecond),
                              formatted(row.msPerStep < 0.1 ? "%.4f" : "%.4g", row.msPerStep),
                              formatted("%.1e", row.errorP999)});
        repeats = std::max(repeats, row.repeats);
    }
    card.protocol = formatted(
        "Median of up to %d repetitions after a warm-up. N*N pairs a force, softened gravity, %s. Forces of "
        "sampled bodies were compared with double precision before and after.",
        repeats, std::string(best->row.integrator).c_str());
    // Two machines with the same fingerprint compute the same bits.
    const std::string print = shortFingerprint({.scene = "plummer", .bodies = 256});
    card.program = "gravlab " + std::string(version()) + ", " + timeText(std::time(nullptr), "%Y-%m-%d", true) +
                   "; gravlab bench --card; fingerprint: " + print;
    return card;
}

std::string cardText(const Card& card) {
    std::string all = card.device + "\n";
    if (!card.driver.empty()) all += "driver " + card.driver + "\n";
    if (!card.clocks.empty()) all += card.clocks + "\n";
    all += card.headline + ", " + card.headlineOf + "\n\n";
    const auto line = [&all](auto cell) {
        std::string row;
        for (const Column& column : kColumns) row += formatted("%*s  ", column.width, cell(column).c_str());
        all += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    };
    line([](const Column& column) { return std::string(column.head); });
    for (const Card::Line& one : card.lines) line([&one](const Column& column) { return one.*column.cell; });
    return all + "\n" + card.protocol + "\n" + card.program + "\n";
}

Page cardPage(const Card& card, std::span<const SweepResult> results) {
    std::string facts = card.driver.empty() ? "" : "driver " + card.driver;
    if (!card.clocks.empty()) facts += (facts.empty() ? "" : "; ") + card.clocks;
    Page page{
        .name = "card", .title = card.headline + ", " + card.headlineOf + "\n" + card.device, .csv = sweepCsv(results)};
    page.notes = {facts, card.protocol, card.program};
    page.texts = {{"Software", "gravlab " + std::string(version())}, {"gravlab:card", card.headline}};
    page.width = 1600, page.height = 900;
    const auto line = [&page](auto cell) {
        page.grid.emplace_back();
        for (const Column& column : kColumns) page.grid.back().push_back(cell(column));
    };
    line([](const Column& column) { return std::string(column.head); });
    for (const Card::Line& one : card.lines) line([&one](const Column& column) { return one.*column.cell; });
    return page;
}

}  // namespace gravlab
