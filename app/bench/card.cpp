// The benchmark card.
#include "app/bench/card.h"

#include "app/bench/sweep_axis.h"
#include "app/bench/tuner.h"
#include "app/plots/canvas.h"
#include "app/system/built_in.h"
#include "app/system/file_names.h"
#include "app/tables/format.h"
#include "sim/core/error.h"
#include "sim/run/fingerprint.h"

#include <algorithm>
#include <ctime>

namespace gravlab {
namespace {

constexpr int kCardWidth = 1600, kCardHeight = 900;
constexpr ImU32 kPaper = IM_COL32(16, 18, 24, 255), kCardInk = IM_COL32(226, 230, 236, 255),
                kCardQuiet = IM_COL32(146, 154, 166, 255), kAccent = IM_COL32(106, 176, 243, 255),
                kRule = IM_COL32(255, 255, 255, 36), kBand = IM_COL32(255, 255, 255, 12);

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
    float right;  ///< right edge in pixels; 0: left-aligned at `left`
    float left;
    int width;  ///< text width in letters
};
constexpr float kLeft = 60;
constexpr Column kColumns[] = {
    {"N", &Card::Line::bodies, 220, 0, 10},          {"kernel and launch", &Card::Line::launch, 0, 260, -44},
    {"forces G/s", &Card::Line::force, 1010, 0, 11}, {"steps G/s", &Card::Line::step, 1165, 0, 10},
    {"ms/step", &Card::Line::perStep, 1320, 0, 9},   {"error 99.9 %", &Card::Line::error, 1530, 0, 13},
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

Picture cardPicture(const Card& card, std::span<const SweepResult> results) {
    Canvas canvas(kCardWidth, kCardHeight, 24);
    PlotInk& ink = canvas.ink();
    ink.box(ImVec2(0, 0), canvas.size(), kPaper);
    ink.box(ImVec2(0, 0), ImVec2(10, kCardHeight), kAccent);
    constexpr float kHalf = 0.5f * kCardWidth, kAll = kCardWidth - 2 * kLeft;
    canvas.text(canvas.large(), ImVec2(kLeft, 36), kCardInk, card.device.c_str(), 0, kHalf);
    std::string facts = card.driver.empty() ? "" : "driver " + card.driver;
    if (!card.clocks.empty()) facts += (facts.empty() ? "" : "; ") + card.clocks;
    canvas.text(canvas.normal(), ImVec2(kLeft, 86), kCardQuiet, facts.c_str(), 0, kHalf);
    canvas.text(canvas.large(), ImVec2(kCardWidth - kLeft, 36), kAccent, card.headline.c_str(), 1, kAll - kHalf - 40);
    canvas.text(canvas.normal(), ImVec2(kCardWidth - kLeft, 86), kCardQuiet, card.headlineOf.c_str(), 1, kAll - kHalf - 40);
    ink.line(ImVec2(kLeft, 134), ImVec2(kCardWidth - kLeft, 134), kRule);

    // The table takes the space it needs, the curve the rest.
    constexpr std::size_t kMostLines = 11;
    const std::size_t shown = std::min(card.lines.size(), kMostLines);
    constexpr float kTop = 156, kLine = 31;
    const auto cell = [&](const Column& column, float y, ImU32 colour, const std::string& value) {
        const bool toRight = column.right > 0;
        canvas.text(canvas.small(), ImVec2(toRight ? column.right : column.left, y), colour, value.c_str(),
                    toRight ? 1.f : 0.f);
    };
    for (const Column& column : kColumns) cell(column, kTop, kCardQuiet, column.head);
    for (std::size_t i = 0; i < shown; ++i) {
        const float y = kTop + kLine * static_cast<float>(i + 1);
        if (i % 2 == 0) ink.box(ImVec2(kLeft - 10, y - 5), ImVec2(kCardWidth - kLeft + 10, y + kLine - 5), kBand, 3);
        for (const Column& column : kColumns) cell(column, y, kCardInk, card.lines[i].*column.cell);
    }
    const float below = kTop + kLine * static_cast<float>(shown + 1) + 14;

    Plot plot = sweepPlot("", sweepAxis("bodies"), results, kStepRate);
    for (PlotSeries& series : plot.series) series.label = "whole steps";
    for (PlotSeries& series : sweepPlot("", sweepAxis("bodies"), results, kForceRate).series) {
        series.label = "forces only";
        plot.series.push_back(std::move(series));
    }
    plot.y.label = "G interactions/s";
    constexpr float kLeastPlot = 170;
    const ImVec2 from(kLeft - 20, below), to(kCardWidth - kLeft + 20, kCardHeight - 92);
    if (to.y - from.y > kLeastPlot)
        drawPlot(ink, from, to, plot, {.fontScale = 0.85f, .lineWidth = 4, .legend = true, .legendBeside = true});
    ink.line(ImVec2(kLeft, kCardHeight - 84), ImVec2(kCardWidth - kLeft, kCardHeight - 84), kRule);
    canvas.text(canvas.small(), ImVec2(kLeft, kCardHeight - 70), kCardQuiet, card.protocol.c_str(), 0, kAll);
    canvas.text(canvas.small(), ImVec2(kLeft, kCardHeight - 40), kCardQuiet, card.program.c_str(), 0, kAll);
    Picture picture{.width = kCardWidth, .height = kCardHeight, .rgb = canvas.finish(), .texts = {}};
    picture.texts = {{"Software", "gravlab " + std::string(version())}, {"gravlab:card", card.headline}};
    return picture;
}

}  // namespace gravlab
