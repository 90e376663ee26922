// `gravlab bench --card`: measures a device over numbers of bodies and writes its card as text or as a picture.
#include "app/bench/card.h"
#include "app/bench/sweep.h"
#include "app/bench/sweep_axis.h"
#include "app/commands/command_bench.h"
#include "app/system/interrupt.h"
#include "app/tables/text_values.h"
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"

#include "app/system/progress.h"
#include "sim/backends/backend.h"

#include <cstdio>

namespace gravlab {

int measureCard(const BenchCommand& command) {
    const InterruptWatch watch;
    const RunRequest& wanted = command.start.simulation;
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    notify(chosen.why);
    { const AtomicFile probe(command.card); }  // a missing folder is found at once

    SweepPoint base{.backend = std::string(chosen.row->name),
                    .options = wanted.backendOptions,
                    .kernel = {.kernel = command.kernels.empty() ? wanted.pairs().kernel.kernel
                                                                 : nameUnlessAuto(command.kernels.front())}};
    base.kernel.launch = wanted.pairs().kernel.launch.config(usualLaunch(base.kernel.kernel));
    if (!command.blocks.empty()) base.kernel.launch.block = command.blocks.front();
    if (!command.unrolls.empty()) base.kernel.launch.unroll = command.unrolls.front();
    base.plan = {.repeats = command.repeats, .mostSeconds = 3};
    const KernelRow* row = nullptr;
    for (const KernelRow& candidate : kernels())
        if (candidate.backend == chosen.row->name && (!row || candidate.name == base.kernel.kernel)) row = &candidate;
    const std::vector<std::size_t> bodies = command.counts.empty() ? studiedBodies(chosen.row->mostStudied) : command.counts;
    Sweep sweep(pointsAlong(sweepAxis("bodies"), *row, base, bodies), sweepSettings(wanted));
    const bool right = measureAll(sweep);
    const Page card = cardPage(sweep.results());
    const std::string text = cardText(card);
    if (pictureFormat(command.card).empty())
        writeFileAtomically(command.card, text);
    else
        writePage(command.card, card, true);
    std::printf("%s\n%s\n", text.c_str(), command.card.c_str());
    return static_cast<int>(right ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace gravlab
