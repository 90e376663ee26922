// The rate of each kernel for bonds over the imbalance of the rows, from a cloth to one hub.
#pragma once
#include "app/bench/figure.h"

namespace gravlab {

Reason whyNoBonds(const FigureRequest& request);
/// Checks each row for bonds on nets of equal size, in which ever more bonds lead to one body, and times it. Beside the
/// curves is the factor of paper 004 for equal rows. Omits a row that refuses a net.
FigureStudy bondStudy(const FigureRequest& request, const FigureProgress& progress);

}  // namespace gravlab
