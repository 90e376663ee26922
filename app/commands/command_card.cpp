// `gravlab bench --card`: measures a device over numbers of bodies and writes its card as text or as a picture.
#include "app/bench/card.h"
#include "app/bench/sweep.h"
#include "app/bench/sweep_axis.h"
#include "app/commands/options.h"
#include "app/system/interrupt.h"
#include "app/tables/text_values.h"
#include "sim/core/error.h"
#include "sim/io/file/atomic_file.h"

#include "sim/backends/backend.h"

#include <cstdio>

namespace gravlab {

int cardCommand(const Options& options) {
    const InterruptWatch watch;
    const RunRequest& wanted = options.simulation;
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    std::fprintf(stderr, "gravlab: %s\n", chosen.why.c_str());
    { const AtomicFile probe(options.bench.card); }  // a missing folder is found at once

    SweepPoint base;
    base.backend = chosen.row->name;
    base.options = wanted.backendOptions;
    base.kernel.kernel =
        options.bench.kernels.empty() ? wanted.pairs().kernel.kernel : nameUnlessAuto(options.bench.kernels.front());
    base.kernel.launch = wanted.pairs().kernel.launch.config(usualLaunch(base.kernel.kernel));
    if (!options.bench.blocks.empty()) base.kernel.launch.block = options.bench.blocks.front();
    if (!options.bench.unrolls.empty()) base.kernel.launch.unroll = options.bench.unrolls.front();
    base.plan = {.repeats = options.bench.repeats, .mostSeconds = 3};
    const KernelRow* row = nullptr;
    for (const KernelRow& candidate : kernels())
        if (candidate.backend == chosen.row->name && (!row || candidate.name == base.kernel.kernel)) row = &candidate;
    const std::vector<std::size_t> bodies =
        options.bench.bodies.empty() ? studiedBodies(chosen.row->mostStudied) : options.bench.bodies;
    Sweep sweep(pointsAlong(sweepAxis("bodies"), *row, base, bodies), sweepSettings(wanted));
    const bool right = measureAll(sweep);
    const Card card = makeCard(sweep.results());
    const std::string text = cardText(card);
    if (pictureFormat(options.bench.card).empty())
        writeFileAtomically(options.bench.card, text);
    else
        writePage(options.bench.card, cardPage(card, sweep.results()), true);
    std::printf("%s\n%s\n", text.c_str(), options.bench.card.c_str());
    return static_cast<int>(right ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace gravlab
