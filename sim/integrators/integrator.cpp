// The integrator table. A program with a kick first expects the force of the step before; see needsInitialForce().
#include "sim/integrators/integrator.h"

#include "sim/core/names.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace gravlab {
namespace {

constexpr StepOp kLeapfrog[] = {{Op::kick, 0.5}, {Op::drift, 1}, {Op::force}, {Op::kick, 0.5}};
constexpr StepOp kSymplecticEuler[] = {{Op::force}, {Op::kick, 1}, {Op::drift, 1}};
constexpr StepOp kVerlet[] = {{Op::drift, 0.5}, {Op::force}, {Op::kick, 1}, {Op::drift, 0.5}};

// Three leapfrog steps of w1, w0, w1; w1 = 1 / (2 - 2^(1/3)), w0 = 1 - 2 w1. Neighbouring half kicks are joined.
constexpr double kOuter = 1.35120719195965763404768780897;
constexpr double kInner = -1.70241438391931526809537561794;
constexpr double kJoined = (kOuter + kInner) / 2;
constexpr StepOp kYoshida4[] = {
    {Op::kick, kOuter / 2}, {Op::drift, kOuter}, {Op::force}, {Op::kick, kJoined},   {Op::drift, kInner}, {Op::force},
    {Op::kick, kJoined},    {Op::drift, kOuter}, {Op::force}, {Op::kick, kOuter / 2}};

// The last stage leaves a at a position other than the step's end, so each step begins with its own force.
constexpr StepOp kRungeKutta4[] = {
    {Op::save},       {Op::force}, {Op::combine, 1.0 / 6}, {Op::stage, 0.5}, {Op::force}, {Op::combine, 1.0 / 3},
    {Op::stage, 0.5}, {Op::force}, {Op::combine, 1.0 / 3}, {Op::stage, 1},   {Op::force}, {Op::combine, 1.0 / 6},
    {Op::finish}};

// Seven leapfrog steps of w3 w2 w1 w0 w1 w2 w3, solution A of the paper to 30 digits.
constexpr double kW3 = 0.784513610477557263819497633866, kW2 = 0.235573213359358133684793182979;
constexpr double kW1 = -1.17767998417887100694641568096, kW0 = 1.31518632068391121888424972824;
constexpr StepOp kYoshida6[] = {
    {Op::kick, kW3 / 2},         {Op::drift, kW3}, {Op::force}, {Op::kick, (kW3 + kW2) / 2}, {Op::drift, kW2}, {Op::force},
    {Op::kick, (kW2 + kW1) / 2}, {Op::drift, kW1}, {Op::force}, {Op::kick, (kW1 + kW0) / 2}, {Op::drift, kW0}, {Op::force},
    {Op::kick, (kW0 + kW1) / 2}, {Op::drift, kW1}, {Op::force}, {Op::kick, (kW1 + kW2) / 2}, {Op::drift, kW2}, {Op::force},
    {Op::kick, (kW2 + kW3) / 2}, {Op::drift, kW3}, {Op::force}, {Op::kick, kW3 / 2}};

constexpr StepOp kEuler[] = {{Op::force}, {Op::drift, 1}, {Op::kick, 1}};
// With a second evaluation, P(EC)E: a and jerk at the step's end are those of the corrected position.
constexpr StepOp kHermite4[] = {{Op::predict}, {Op::force}, {Op::correct}, {Op::force}};
constexpr StepOp kBlockLeapfrog[] = {{Op::levels}, {Op::open, 0.5}, {Op::drift, 1}, {Op::force}, {Op::close, 0.5}};
constexpr StepOp kRadau15[] = {{Op::adaptive, 1}};

constexpr Integrator kIntegrators[] = {
    {"leapfrog", "kick-drift-kick: keeps energy bounded for ever at one force a step",
     "Verlet 1967; Hockney & Eastwood 1981", 2, true, true, kLeapfrog},
    {"symplectic-euler", "kick, then drift with the new velocity: the cheapest step that does not spiral out",
     "Hairer, Lubich & Wanner 2006, ch. VI", 1, true, false, kSymplecticEuler},
    {"verlet", "drift-kick-drift: leapfrog with the force taken at mid-step", "Hockney & Eastwood 1981", 2, true, true,
     kVerlet},
    {"yoshida4", "three leapfrog steps, the middle one backwards: order 4, energy bounded", "Yoshida 1990", 4, true, true,
     kYoshida4},
    {"yoshida6", "seven leapfrog steps: order 6, energy bounded, for orbits without close encounters", "Yoshida 1990", 6,
     true, true, kYoshida6},
    {"rk4", "the classical Runge-Kutta step: accurate at first, but energy drifts", "Kutta 1901", 4, false, false,
     kRungeKutta4},
    {"hermite4", "predicts with the jerk, corrects with it: order 4 at two forces a step, the star-cluster classic",
     "Makino & Aarseth 1992", 4, false, false, kHermite4},
    {"radau15", "order 15 with automatic steps: close encounters to the last digits, for small systems in fp64",
     "Everhart 1985; Rein & Spiegel 2015", 15, false, false, kRadau15},
    {"block-leapfrog", "each body at a step of its own, dt over a power of two: for dense centres; not exactly reversible",
     "Hernquist & Katz 1989; Springel 2005", 2, false, false, kBlockLeapfrog},
    {"euler", "the first thing one tries: both updates from the old state; orbits spiral out", "Euler 1768", 1, false, false,
     kEuler},
};

/// References to rows stay valid, because the memory for more is taken at once.
std::vector<Integrator>& allIntegrators() {
    constexpr std::size_t kMostAdded = 64;
    static std::vector<Integrator> rows = [] {
        std::vector<Integrator> all;
        all.reserve(std::size(kIntegrators) + kMostAdded);
        all.assign(std::begin(kIntegrators), std::end(kIntegrators));
        return all;
    }();
    return rows;
}

}  // namespace

bool needsInitialForce(StepProgram program) {
    for (const StepOp& step : program) {
        if (step.op == Op::force) return false;
        if (step.op != Op::drift && step.op != Op::save && step.op != Op::finish && step.op != Op::adaptive) return true;
    }
    return false;
}

int forcesPerStep(StepProgram program) { return static_cast<int>(std::ranges::count(program, Op::force, &StepOp::op)); }

bool needsJerk(StepProgram program) { return std::ranges::count(program, Op::predict, &StepOp::op) > 0; }
bool isAdaptive(StepProgram program) { return std::ranges::count(program, Op::adaptive, &StepOp::op) > 0; }
bool inBlocks(StepProgram program) { return std::ranges::count(program, Op::levels, &StepOp::op) > 0; }

bool takesVelocities(StepProgram program) {
    bool together = !inBlocks(program);
    bool moved = false;
    for (const StepOp& step : program) {
        if (step.op == Op::force) together = together && !moved;
        moved = moved || step.op == Op::kick || step.op == Op::drift;
    }
    return together;
}

std::span<const Integrator> integrators() { return allIntegrators(); }

bool addIntegrator(const Integrator& row) {
    std::vector<Integrator>& rows = allIntegrators();
    if (std::ranges::any_of(rows, [&](const Integrator& known) { return known.name == row.name; }))
        throw std::logic_error("the integrator '" + std::string(row.name) + "' exists already");
    if (row.program.empty() || rows.size() == rows.capacity())
        throw std::logic_error("the integrator '" + std::string(row.name) +
                               "' has no operations, or there are too many rows");
    rows.push_back(row);
    return true;
}

const Integrator& integrator(std::string_view name) { return findRow(integrators(), "integrator", name); }

}  // namespace gravlab
