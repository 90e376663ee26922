// Integrators are data: a list of operations that every backend can run.
#pragma once
#include <span>
#include <string_view>

namespace gravlab {

/// The operations of a step. x, v, a are the state and the last force; x0, v0, dx, dv are four scratch registers.
enum class Op : unsigned char {
    kick,      ///< v += w dt a
    drift,     ///< x += w dt v
    force,     ///< a = F(x)
    save,      ///< x0 = x, v0 = v, dx = 0, dv = 0
    combine,   ///< dx += w v, dv += w a
    stage,     ///< x = x0 + w dt v, v = v0 + w dt a  (both from the v and a before this operation)
    finish,    ///< x = x0 + dt dx, v = v0 + dt dv
    predict,   ///< Hermite prediction from a and jerk
    correct,   ///< Hermite correction from old and new a and jerk
    adaptive,  ///< x and v advance by a whole dt, in steps of automatic length; fp64, small systems; the only operation of
               ///< its program
    // For block steps, see block_steps.h. Operations after `levels` are repeated for each substep, and a drift moves all
    // bodies. Without levels all bodies are on the first one, and the step is an ordinary one.
    levels,  ///< gives each body its level
    open,    ///< v += w (own dt) a, for bodies whose own step begins
    close    ///< the same, for those whose own step ends; the force before it is only for these
};

struct StepOp {
    Op op;
    double weight = 0;  ///< w above, in units of the time step
};

/// One step, as a list of operations.
using StepProgram = std::span<const StepOp>;

/// A row of the integrator table.
struct Integrator {
    std::string_view name;    ///< stable key of --integrator
    std::string_view idea;    ///< one line for lists and tooltips
    std::string_view source;  ///< paper or book
    int order;
    bool symplectic;
    bool reversible;
    StepProgram program;
};

/// Adds a row to this program: call it before main(). Every backend runs its operations; the arrays behind its texts and its
/// program must last. Throws std::logic_error for a name that exists already.
bool addIntegrator(const Integrator& row);

}  // namespace gravlab
