// The memory that a backend takes is that of its list: for every row, precision, integrator and term.
#pragma once
#include "sim/backends/memory_need.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/law.h"
#include "sim/scenes/scene.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace gravlab::testing_support {

/// Compares the list with what allocators count. `held`: bytes that they hold now.
class MemorySuite {
public:
    MemorySuite(const BackendRow& row, std::function<double()> held) : row_(row), held_(std::move(held)) {}

    void rows() {
        for (const KernelRow& kernel : kernels())
            for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
                const ForceSettings force{.precision = precision, .softening = 0.02};
                if (kernel.backend == row_.name && kernel.term == kPairLawTerm && kernel.trap.empty() &&
                    refusal(kernel, force).empty())
                    expect("plummer", force,
                           {.kernel = std::string(kernel.name), .allowedError = kernel.approximates ? 1e-3 : 0});
            }
    }
    void integrators() {
        for (const Integrator& integrator : gravlab::integrators()) {
            if (!refusal(row_, integrator, kBodies).empty()) continue;
            expect("plummer", {.softening = 0.02}, {.kernel = "tree", .allowedError = 1e-3}, integrator.program);
            // In block steps of pairs, a device divides the sources of few bodies in as many parts as fill it.
            if (!row_.onDevice || !inBlocks(integrator.program))
                expect("plummer", {.softening = 0.02}, {}, integrator.program);
        }
    }
    void terms() {
        const char* const pairs = row_.onDevice ? "tiled" : "simd-threads";
        for (const char* scene : {"jelly", "cloth"}) expect(scene, {.softening = 0.02}, {.kernel = pairs}, {}, {}, 0, 0.25);
        expect("ions", {.law = kLaw<Coulomb>, .softening = 0.02}, {.kernel = pairs}, {}, {}, 0, 0.25);
        expect("plummer", {.softening = 0.02}, {.allowedError = 1e-3}, {}, "uniform,ax=0.1");
    }
    void helpers(std::size_t count) {
        const std::vector<std::string> cut = row_.onDevice ? std::vector<std::string>{"tiled", "symmetric", "tree"}
                                                           : std::vector<std::string>{"simd-threads", "tree"};
        for (const std::string& kernel : cut)
            expect("plummer", {.softening = 0.02}, {.kernel = kernel, .allowedError = kernel == "tree" ? 1e-3 : 0}, {}, {},
                   count, row_.onDevice ? 0.03 : 0.08);
    }

    static constexpr std::size_t kBodies = 12000;

    void expect(const std::string& scene, const ForceSettings& force, const KernelChoice& kernel, StepProgram program = {},
                const std::string& fields = {}, std::size_t helpers = 0, double slack = 0.03) {
        const Scene& made = sceneNamed(scene);
        const SceneRequest request{.bodies = kBodies, .seed = 1};
        const ParticleSet bodies = made.build(request);
        ForceTerms others = made.terms ? made.terms(request, bodies) : ForceTerms();
        if (!fields.empty()) others = withFields(others, parsedFields(fields), bodies);
        std::vector<Term> terms = termsWith(termsOf(force, others));
        terms[0].how = kernel;
        if (program.empty()) program = usualIntegrator().program;
        const std::unique_ptr<Backend> backend = row_.make({.helpers = std::vector<int>(helpers)});
        const double before = held_();
        backend->loadTerms(bodies, terms);
        for (int calls = 0; calls < 1000; ++calls) {
            const bool whole = kernel.allowedError > 0 || helpers > 0 || inBlocks(program);
            if (backend->advance(program, 1e-6, {.seconds = whole ? 10.0 : 0.0, .steps = 1}, nullptr).stepsCompleted > 0 ||
                !whole)
                break;
        }
        backend->wait();
        const double taken = held_() - before;
        KernelChoice chosen = kernel;
        chosen.kernel = std::string(backend->activeKernel().name);
        chosen.launch = backend->activeLaunch();
        const MemoryRows rows = memoryRows(row_, {.bodies = bodies.size(),
                                                  .force = force,
                                                  .kernel = chosen,
                                                  .program = program,
                                                  .helpers = helpers,
                                                  .others = std::span(terms).subspan(1)});
        const MemoryNeed said = sumOf(rows);
        const double sum = row_.onDevice ? said.device + static_cast<double>(helpers) * said.helper : said.host,
                     n = static_cast<double>(bodies.size());
        EXPECT_NEAR(taken / n, sum / n, slack * sum / n + 1.5e5 / n)
            << scene << ", " << *chosen.kernel << ", precision " << static_cast<int>(force.precision) << ", " << helpers
            << " helpers, fields " << fields;
        if (!row_.onDevice || terms.size() > 1) return;
        backend->requestMeasurement();
        backend->wait();
        EXPECT_NEAR((held_() - before - taken) / n, rows.back().bytes / n, slack * rows.back().bytes / n + 1.5e5 / n)
            << rows.back().array << " with " << *chosen.kernel;
    }

private:
    const BackendRow& row_;
    std::function<double()> held_;
};

}  // namespace gravlab::testing_support
