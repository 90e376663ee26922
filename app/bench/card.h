// The benchmark card: what a device reaches, with everything that a reader needs to believe it, as text and as a picture
// that people can post. Rule: a card without a verified rate does not exist.
#pragma once
#include "app/bench/sweep.h"
#include "app/system/picture.h"

#include <span>
#include <string>

namespace gravlab {

/// What the card holds, in order; one source for text and picture.
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

/// From the results of a sweep over numbers of bodies. Throws UsageError when none has a rate.
Card makeCard(std::span<const SweepResult> results);
/// Plain text, about 100 columns.
std::string cardText(const Card& card);
/// 1600 x 900 pixels: headline, table, curve, protocol.
Picture cardPicture(const Card& card, std::span<const SweepResult> results);

}  // namespace gravlab
