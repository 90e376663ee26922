// The list of pair laws. Included into namespaces: gravlab, for scalars on host and device, and once for each instruction
// set of the SIMD kernels, whose functions must be compiled where the set is switched on. To add a law: its file, and its
// name at the end of the lists here; nothing else knows it. An includer says what GRAVLAB_LAW_FUNCTION is, and has for its Real: ScalarOf, kScalar, larger(),
// inverseRoot(), inverseCube(), raised(), and where Real is no scalar zeroUnlessLess() and mulSub(a, b, c) = a b - c.
#include "sim/forces/laws/coulomb.inl"
#include "sim/forces/laws/gravity.inl"
#include "sim/forces/laws/lennard_jones.inl"
#include "sim/forces/laws/power_law.inl"

/// All laws. Their places are their numbers in files.
using Laws = LawList<Gravity, Coulomb, PowerLaw, LennardJones>;
/// Those with loops of their own; the others are computed by gravity's, see loopLaw().
using LoopLaws = LawList<Gravity, PowerLaw, LennardJones>;
