// Accelerations whose motion is known in closed form.
#pragma once

namespace gravlab {

inline void oscillate(void*, const double* x, double* a) { a[0] = -x[0]; }
inline void drift(void*, const double*, double* a) { a[0] = 0; }

}  // namespace gravlab
