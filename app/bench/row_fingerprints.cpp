// Three runs of one initial state make each line: whole steps in one call, steps shown one by one, and slices.
#include "app/bench/row_fingerprints.h"

#include "app/bench/verify.h"
#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/backends/devices.h"
#include "sim/core/sha256.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/law.h"
#include "sim/forces/precision.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>

namespace gravlab {
namespace {

constexpr double kTimeStep = 1.0 / 512;
// Up to these N every integrator runs, then every law, then block steps; beyond them only the usual ones.
constexpr std::size_t kEverythingBodies = 257, kAllLawsBodies = 1024, kBlocksBodies = 4097;
// Tiny systems, one more and one less than the sizes of tiles and warps, and the sizes where trees and cuts begin.
constexpr std::size_t kUsualBodies[] = {1, 2, 33, 256, 257, 1024, 4097, 16384};
constexpr double kAllowedError = 1e-3;

class PrintSink final : public VertexSink {
public:
    MemorySpace space() const override { return MemorySpace::host; }
    VertexSpan open(std::size_t count, void*) override {
        vertices_.assign(count, ParticleVertex{});
        return {vertices_.data(), count};
    }
    void close(void*) override {}
    std::span<const ParticleVertex> vertices() const { return vertices_; }

private:
    std::vector<ParticleVertex> vertices_;
};

class Bits {
public:
    /// All NaNs hash alike, and so do both zeros.
    void add(double value) {
        word(std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));
    }
    void add(const std::vector<Double4>& values) {
        for (const Double4& a : values)
            for (const double value : {a.x, a.y, a.z, a.w}) add(value);
    }
    std::string text() { return hash_.text().substr(0, 16); }

private:
    void word(std::uint64_t word) { hash_.add(&word, sizeof word); }
    Sha256 hash_;
};

std::string hashOf(const std::vector<Double4>& values) {
    Bits bits;
    bits.add(values);
    return bits.text();
}

std::string hashOfState(Backend& backend) {
    ParticleSet bodies = backend.bodies();
    Bits bits;
    bits.add(bodies.position);
    bits.add(bodies.velocity);
    for (const StateArray& array : backend.forceState())
        for (const double value : array.values) bits.add(value);
    return bits.text();
}

struct Case {
    const KernelRow& row;
    ForceSettings force;
    std::string law;
    const Integrator& integrator;
    std::size_t bodies;
};

ParticleSet bodiesOf(const Case& c) {
    if (std::isfinite(reachOf(c.force))) return atoms(c.bodies);
    ParticleSet bodies = mixedBodies(c.bodies, c.row.equalMasses);
    const LawRow& law = lawRow(c.force.law);
    for (std::size_t i = 0; c.force.law != Law::gravity && i < c.bodies; ++i) {
        if (law.signedSources && i % 3 == 1) bodies.position[i].w *= -1;
        bodies.velocity[i].w = i % 5 == 0 ? 0.5 : 1;
    }
    return bodies;
}

void load(Backend& backend, const Case& c, const ForceTerms& others) {
    KernelChoice kernel{.kernel = std::string(c.row.name)};
    if (c.row.approximates && !c.row.byOpening) kernel.allowedError = kAllowedError;
    backend.load(ParticleSet(), {c.force, {}});  // no case finds arrays of another one
    backend.load(bodiesOf(c), {c.force, kernel}, others);
}

std::int64_t advance(Backend& backend, const Case& c, const Budget& budget, VertexSink* sink = nullptr) {
    return backend.advance(c.integrator.program, kTimeStep, budget, sink).stepsCompleted;
}

void steps(Backend& backend, const Case& c, std::int64_t count) {
    for (std::int64_t done = 0; done < count;) done += advance(backend, c, {.steps = count - done});
    backend.wait();
}

struct Spent {
    DeviceUse device = deviceUse();
    double launches() const { return static_cast<double>(deviceUse().launches - device.launches); }
    double copies() const { return static_cast<double>(deviceUse().copies - device.copies); }
};

void runWhole(Backend& backend, const Case& c, RowPrint& print) {
    const WorkTotals before = backend.totals();
    steps(backend, c, 1);
    const Spent spent;
    constexpr double kRest = kRowPrintSteps - 1;
    steps(backend, c, kRowPrintSteps - 1);
    print.launches = spent.launches() / kRest;
    print.copies = spent.copies() / kRest;
    const WorkTotals after = backend.totals();
    print.interactions = (after.evaluated() - before.evaluated()) / kRowPrintSteps;
    print.forces = static_cast<double>(after.forceEvaluations - before.forceEvaluations) / kRowPrintSteps;
    if (c.row.deterministic) print.state = hashOfState(backend);
}

void runShown(Backend& backend, const Case& c, RowPrint& print, bool onDevice) {
    PrintSink sink;
    std::vector<std::uint32_t> targets(std::min<std::size_t>(c.bodies, 16));
    std::iota(targets.begin(), targets.end(), 0u);
    backend.requestForceCheck(targets);
    advance(backend, c, {}, &sink);
    backend.wait();
    const Spent spent;
    for (std::int64_t step = 1; step < kRowPrintSteps; ++step) advance(backend, c, {}, &sink);
    backend.wait();
    print.shownLaunches = spent.launches() / (kRowPrintSteps - 1);
    print.shownCopies = spent.copies() / (kRowPrintSteps - 1);
    if (onDevice) print.bytes = deviceUse().bytes / static_cast<double>(c.bodies);
    std::optional<ForceCheck> check = backend.takeForceCheck();
    print.check = !check ? "none" : check->passed ? "passed" : "failed";
    if (!c.row.deterministic) return;
    backend.publish(sink);
    Bits bits;
    for (const ParticleVertex& vertex : sink.vertices())
        for (const float value : {vertex.x, vertex.y, vertex.z, vertex.value}) bits.add(value);
    print.vertices = bits.text();
}

void runSliced(Backend& backend, const Case& c, RowPrint& print) {
    std::int64_t done = 0;
    while (done < kRowPrintSteps) done += advance(backend, c, {.seconds = 0, .steps = kRowPrintSteps - done});
    backend.wait();
    if (!c.row.deterministic) return;
    const std::string state = hashOfState(backend);
    print.sliced = state == print.state ? "same" : state;
}

RowPrint printOf(Backend& backend, const Case& c, const ForceTerms& others, bool onDevice) {
    RowPrint print{.kernel = std::string(c.row.name),
                   .law = c.law,
                   .precision = std::string(nameOf(c.force.precision)),
                   .integrator = std::string(c.integrator.name),
                   .bodies = c.bodies};
    load(backend, c, others);
    std::vector<Double4> accelerations;
    backend.accelerations(accelerations);
    if (c.row.deterministic) print.force = hashOf(accelerations);
    load(backend, c, others);
    runWhole(backend, c, print);
    load(backend, c, others);
    runShown(backend, c, print, onDevice);
    load(backend, c, others);
    runSliced(backend, c, print);
    return print;
}

/// Settings for trying a law, with a name for each.
std::vector<std::pair<std::string, ForceSettings>> triedUnder(const LawRow& law) {
    std::vector<std::pair<std::string, ForceSettings>> tried;
    if (law.tried.empty()) tried.push_back({std::string(law.name), {.law = law.law, .softening = 0.05}});
    for (ForceSettings force : law.tried) {
        force.law = law.law;
        tried.push_back({std::string(law.name) + " " + std::to_string(tried.size() + 1), force});
    }
    return tried;
}

}  // namespace

void printRows(const RowPrintRequest& request, const std::function<void(const RowPrint&)>& take) {
    const BackendRow& row = *chooseBackend(request.backend, request.options).row;
    const std::unique_ptr<Backend> backend = row.make(request.options);
    std::vector<std::size_t> sizes = request.bodies;
    if (sizes.empty()) sizes.assign(std::begin(kUsualBodies), std::end(kUsualBodies));
    std::erase_if(sizes, [&](std::size_t bodies) { return request.bodies.empty() && bodies > row.mostStudied; });
    const auto combination = [&](const Case& c) {
        InterruptWatch::check("the table is incomplete");
        if (!refusal(row, c.integrator, c.bodies).empty() || !refusal(c.integrator, c.force.law).empty()) return;
        try {
            take(printOf(*backend, c, request.others, row.onDevice));
        } catch (const UsageError&) {
            // The row lacks this precision or refuses these bodies.
        }
    };
    for (const KernelRow& kernel : kernels()) {
        if (kernel.backend != row.name) continue;
        if (!request.kernels.empty() && std::ranges::find(request.kernels, kernel.name) == request.kernels.end()) continue;
        for (const std::size_t bodies : sizes)
            for (const LawRow& law : laws())
                for (auto& [name, force] : triedUnder(law))
                    for (const PrecisionRow& precision : precisions()) {
                        force.precision = precision.precision;
                        if (!refusal(kernel, force).empty()) continue;
                        if (row.exact && precision.precision != Precision::fp64) continue;
                        if (bodies > kAllLawsBodies && law.law != Law::gravity && !kernel.byCutOff) continue;
                        for (const Integrator& integrator : integrators())
                            if (bodies <= kEverythingBodies || &integrator == &usualIntegrator() ||
                                (bodies <= kBlocksBodies && inBlocks(integrator.program)))
                                combination({kernel, force, name, integrator, bodies});
                    }
    }
}

std::string rowPrintHead() {
    return "kernel,law,precision,integrator,bodies,force,state,vertices,sliced,check,interactions,forces,launches,copies,"
           "shown_launches,shown_copies,bytes_a_body\n";
}

std::string csvOf(const RowPrint& p) {
    std::string line;
    for (const std::string& cell : {p.kernel, p.law, p.precision, p.integrator, std::to_string(p.bodies), p.force, p.state,
                                    p.vertices, p.sliced, p.check})
        line += cell + ",";
    return line + formatted("%.17g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", p.interactions, p.forces, p.launches, p.copies,
                            p.shownLaunches, p.shownCopies, p.bytes);
}

}  // namespace gravlab
