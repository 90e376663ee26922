// The benchmark card: the rates of a device with everything that a reader needs to trust them, as text and as a picture for
// posting. Rule: a card needs a verified rate.
#pragma once
#include "app/bench/sweep.h"
#include "app/plots/page.h"

#include <span>
#include <string>

namespace gravlab {

/// The content of the card, in order; one source for text and picture.
struct Card {
    std::string device, driver, clocks;
    std::string headline;  ///< "2,012 G interactions/s"
    std::string headlineOf;
    struct Line {
        std::string bodies, launch, force, step, perStep, error;
    };
    std::vector<Line> lines;
    std::string protocol, program;
};

/// Makes a card from the results of a sweep over numbers of bodies. Throws UsageError when none has a rate.
Card makeCard(std::span<const SweepResult> results);
/// Plain text, about 100 columns.
std::string cardText(const Card& card);
/// Headline, table, curve, protocol.
Page cardPage(const Card& card, std::span<const SweepResult> results);

}  // namespace gravlab
