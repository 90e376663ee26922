// `gravlab bench`: a table of checked rates for lists of kernels, numbers of bodies and launches.
// Rule: all configurations are looked at before the first is timed, so that a typing error costs no minutes.
#include "app/benchmark.h"
#include "app/interrupt.h"
#include "app/options.h"
#include "sim/error.h"
#include "sim/io/atomic_file.h"
#include "sim/scenario.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using Json = nlohmann::ordered_json;

/// A number of bodies with the launches and kernels to be timed on it.
struct Sweep {
    std::vector<std::size_t> bodies;
    std::vector<KernelChoice> choices;
};

std::vector<std::size_t> defaultBodies(const Scenario& scene, std::string_view backend) {
    if (scene.fixedBodies != 0) return {scene.fixedBodies};
    if (backend == "cuda") return {1024, 4096, 16384, 65536, 262144, 1048576};
    if (backend == "cpu") return {1024, 4096, 16384, 65536};
    return {1024, 4096};
}

/// Lists collapse where a row has nothing to tune, so that each configuration is timed once.
std::vector<KernelChoice> choicesOf(const Options& options, std::string_view backend) {
    std::vector<std::string> names;
    for (const std::string& name : options.benchKernels) {
        if (name != "all") {
            names.push_back(name);
            continue;
        }
        for (const KernelRow& row : kernels())
            if (row.backend == backend) names.emplace_back(row.name);
    }
    if (names.empty()) names.emplace_back("auto");

    std::vector<KernelChoice> choices;
    for (const std::string& name : names) {
        const KernelRow* row = name == "auto" ? nullptr : &kernel(backend, name);
        const LaunchConfig& given = options.simulation.kernel.launch;
        std::vector<int> blocks = options.benchBlocks, unrolls = options.benchUnrolls;
        if (blocks.empty() || (row && row->blocks.last == 1)) blocks = {given.block};
        if (unrolls.empty() || (row && row->unrolls.empty())) unrolls = {given.unroll};
        for (const int block : blocks)
            for (const int unroll : unrolls) {
                KernelChoice choice{name, given};
                choice.launch.block = block;
                choice.launch.unroll = unroll;
                if (std::find(choices.begin(), choices.end(), choice) == choices.end()) choices.push_back(choice);
            }
    }
    return choices;
}

Json toJson(const BenchmarkRow& row) {
    const auto rate = [&row](double value) { return row.verified ? Json(value) : Json(nullptr); };
    return {{"backend", row.backend},
            {"device", row.device},
            {"kernel", row.kernel},
            {"n", row.bodies},
            {"block", row.block},
            {"unroll", row.unroll},
            {"interactions_per_second", rate(row.interactionsPerSecond)},
            {"spread", rate(row.spread)},
            {"gflops", rate(row.gflops)},
            {"ms_per_step", rate(row.msPerStep)},
            {"rel_error_median", row.errorMedian},
            {"rel_error_p999", row.errorP999},
            {"verified", row.verified},
            {"integrator", row.integrator},
            {"steps", row.steps},
            {"repeats", row.repeats},
            {"note", row.note}};
}

std::string csvCell(const Json& value) {
    if (value.is_null()) return "";
    if (!value.is_string()) return value.dump();
    std::string text = value.get<std::string>();
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    for (std::size_t i = text.find('"'); i != std::string::npos; i = text.find('"', i + 2)) text.insert(i, 1, '"');
    return '"' + text + '"';
}

std::string csv(const std::vector<BenchmarkRow>& rows) {
    std::string text;
    for (const BenchmarkRow& row : rows) {
        const Json cells = toJson(row);
        std::string head, line;
        for (const auto& [name, value] : cells.items()) {
            line += (head.empty() ? "" : ",") + csvCell(value);
            head += (head.empty() ? "" : ",") + name;
        }
        if (text.empty()) text = head + "\n";
        text += line + "\n";
    }
    return text;
}

std::string json(const std::vector<BenchmarkRow>& rows) {
    Json all = Json::array();
    for (const BenchmarkRow& row : rows) all.push_back(toJson(row));
    return all.dump(2) + "\n";
}

constexpr const char* kTableHead =
    "backend    kernel                 N  block unroll        G/s  spread    GFLOP/s    ms/step  error median   99.9 %\n";

std::string tableLine(const BenchmarkRow& row) {
    char text[400];
    const int used = std::snprintf(text, sizeof text, "%-10s %-14s %9zu %6d %6d ", row.backend.c_str(), row.kernel.c_str(),
                                   row.bodies, row.block, row.unroll);
    char* rest = text + used;
    const std::size_t room = sizeof text - static_cast<std::size_t>(used);
    if (row.verified)
        std::snprintf(rest, room, "%10.3f %5.1f %% %10.1f %10.4g %12.1e %9.1e\n", row.interactionsPerSecond * 1e-9,
                      row.spread * 100, row.gflops, row.msPerStep, row.errorMedian, row.errorP999);
    else
        std::snprintf(rest, room, "%10s %7s %10s %10s %12.1e %9.1e  NOT VERIFIED\n", "-", "-", "-", "-", row.errorMedian,
                      row.errorP999);
    return text;
}

std::string tableFoot(const std::vector<BenchmarkRow>& rows) {
    return rows.empty() ? ""
                        : "on " + rows.front().device + "; N*N pairs a force evaluation, GFLOP/s effective at 20 a pair\n";
}

std::string table(const std::vector<BenchmarkRow>& rows) {
    std::string text = kTableHead;
    for (const BenchmarkRow& row : rows) text += tableLine(row);
    return text + tableFoot(rows);
}

struct FormatRow {
    std::string_view name;
    std::string (*text)(const std::vector<BenchmarkRow>&);
};
constexpr FormatRow kFormats[] = {{"table", table}, {"csv", csv}, {"json", json}};

}  // namespace

int benchCommand(const Options& options) {
    const InterruptWatch watch;
    AtomicFile out(options.output.empty() ? "-" : options.output);
    const SimulationSettings& wanted = options.simulation;
    const Scenario& scene = scenario(wanted.scene);
    const Integrator& steps = integrator(wanted.integrator);
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    const std::unique_ptr<Backend> backend = chosen.row->make(wanted.backendOptions);
    std::fprintf(stderr, "gravlab: %s; %s\n", backend->description().c_str(), chosen.why.c_str());

    const ForceSettings force{.law = scene.law,
                              .precision = wanted.precision,
                              .softening = wanted.softening >= 0 ? wanted.softening : scene.softening};
    const Sweep sweep{options.benchBodies.empty() ? defaultBodies(scene, chosen.row->name) : options.benchBodies,
                      choicesOf(options, chosen.row->name)};
    for (const std::size_t bodies : sweep.bodies)
        if (const Reason reason = refusal(*chosen.row, steps, bodies); !reason.empty()) throw UsageError(reason);
    const double timeStep = wanted.timeStep != 0 ? wanted.timeStep : scene.timeStep;

    backend->load(scene.build({sweep.bodies.front(), wanted.seed}));
    for (const KernelChoice& choice : sweep.choices) backend->configure(force, choice);

    std::vector<BenchmarkRow> rows;
    bool allVerified = true;
    const bool live =
        options.benchFormat == "table" && (options.output.empty() || options.output == "-");  // rows as they come
    if (live) std::fputs(kTableHead, stdout);
    for (const std::size_t bodies : sweep.bodies) {
        const ParticleSet start = scene.build({bodies, wanted.seed});
        for (const KernelChoice& choice : sweep.choices) {
            InterruptWatch::check();
            backend->load(start);
            backend->configure(force, choice);
            BenchmarkRow row = timeKernel(*backend, steps, timeStep, force,
                                          {std::max<std::int64_t>(options.steps, 0), options.benchRepeats});
            if (!row.verified)
                std::fprintf(stderr, "gravlab: %s, N = %zu: no rate: %s\n", row.kernel.c_str(), row.bodies,
                             row.note.c_str());
            allVerified = allVerified && row.verified;
            if (live) {
                std::fputs(tableLine(row).c_str(), stdout);
                std::fflush(stdout);
            }
            rows.push_back(std::move(row));
        }
    }
    const auto format = std::find_if(std::begin(kFormats), std::end(kFormats),
                                     [&](const FormatRow& row) { return row.name == options.benchFormat; });
    std::fflush(stdout);
    out.write(live ? tableFoot(rows) : format->text(rows));
    out.commit();
    return static_cast<int>(allVerified ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace gravlab
