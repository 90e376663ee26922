// The list of pair laws. It is included into namespaces: gravlab, for scalars on host and device, and once for each
// instruction set of the SIMD kernels. A function must be compiled with its set enabled. To add a law, add its file, and its
// name at the end of the lists here. An includer defines GRAVLAB_LAW_FUNCTION, and for its Real: ScalarOf, kScalar,
// larger(), inverseRoot(), inverseCube(), raised(). When Real is not a scalar it also defines zeroUnlessLess() and
// mulSub(a,b,c) = a b - c.
#include "sim/forces/laws/coulomb.inl"
#include "sim/forces/laws/gravity.inl"
#include "sim/forces/laws/lennard_jones.inl"
#include "sim/forces/laws/power_law.inl"

/// All laws. Files store their indices.
using Laws = LawList<Gravity, Coulomb, PowerLaw, LennardJones>;
/// The laws with loops of their own; gravity's loops compute the others, see loopLaw().
using LoopLaws = LawList<Gravity, PowerLaw, LennardJones>;
