#include "sim/tree/criterion.h"

#include "sim/core/error.h"

#include <cstdio>

namespace gravlab {

void requireAccuracy(double accuracy) {
    if (accuracy == 0 || (accuracy >= kFinestAccuracy && accuracy <= kCoarsestAccuracy)) return;
    char text[120];
    std::snprintf(text, sizeof text, "an accuracy of %g cannot be had; valid are %g to %g, and 'auto' for every pair",
                  accuracy, kFinestAccuracy, kCoarsestAccuracy);
    throw UsageError(text);
}

}  // namespace gravlab
