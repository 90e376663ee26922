#include "sim/backends/memory_need.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"

#include <cmath>

namespace gravlab {
namespace {

/// Three digits, in units of a thousand million, as memory is sold: "25.7".
std::string gigabytes(double bytes) { return formatted(bytes < 100e9 ? "%.3g" : "%.0f", bytes / 1e9); }

}  // namespace

std::string needText(const MemoryNeed& need, std::size_t bodies) {
    std::string text = std::to_string(bodies) + " bodies need ";
    if (need.device > 0) text += gigabytes(need.device) + " GB on the device and ";
    return text + gigabytes(need.host) + " GB here";
}

void requireMemory(const MemoryNeed& need, const MemoryNeed& free, std::size_t bodies) {
    if (need.host <= free.host && need.device <= free.device) return;
    std::string has;
    if (need.device > 0 && std::isfinite(free.device)) has = gigabytes(free.device) + " GB " + free.where;
    if (std::isfinite(free.host)) addTo(has, gigabytes(free.host) + " GB here", " and ");
    throw OutOfMemoryError(needText(need, bodies) + "; free are " + has + ": ask for fewer bodies");
}

}  // namespace gravlab
