// The benchmark card: the rates of a device with everything that a reader needs to trust them, as text and as a picture for
// posting. Rule: a card needs a verified rate.
#pragma once
#include "app/bench/sweep.h"
#include "app/plots/page.h"

#include <span>
#include <string>

namespace gravlab {

/// The card of a sweep over numbers of bodies: headline and device as the title, a table of rates, protocol. Throws
/// UsageError when no result has a rate.
Page cardPage(std::span<const SweepResult> results);
/// The same as plain text, about 100 columns.
std::string cardText(const Page& card);

}  // namespace gravlab
