// An integrator: the symplectic steps of order 4 by Forest and Ruth (Physica D 43, 105, 1990), which begin with a drift.
// A program is data: every backend runs it.
#include <gravlab/integrator.h>

namespace outside {
namespace {

using gravlab::Op;

constexpr double kTheta = 1.35120719195965763404768780897;  // 1 / (2 - 2^(1/3))
constexpr gravlab::StepOp kProgram[] = {{Op::drift, kTheta / 2},       {Op::force}, {Op::kick, kTheta},
                                        {Op::drift, (1 - kTheta) / 2}, {Op::force}, {Op::kick, 1 - 2 * kTheta},
                                        {Op::drift, (1 - kTheta) / 2}, {Op::force}, {Op::kick, kTheta},
                                        {Op::drift, kTheta / 2}};

const bool kRow = gravlab::addIntegrator({.name = "forest-ruth",
                                          .idea = "three drifts between three forces: order 4, energy bounded",
                                          .source = "Forest & Ruth 1990",
                                          .order = 4,
                                          .symplectic = true,
                                          .reversible = true,
                                          .program = kProgram});

}  // namespace
}  // namespace outside
