// `gravlab matrix`: the numbers of all pairs; the lab shows them as a picture.
#include "app/commands/options.h"
#include "app/files/open_file.h"
#include "app/lab/pair_numbers.h"
#include "app/system/interrupt.h"
#include "sim/core/error.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"

namespace gravlab {

int matrixCommand(const Options& asked) {
    if (asked.output.empty()) throw UsageError("matrix needs -o FILE.csv or FILE.npy");
    requirePairFile(asked.output);
    const InterruptWatch watch;
    const Options options = withFile(asked);
    RunRequest wanted = options.simulation;
    wanted.backend = std::string(exactBackend().name);
    wanted.openOthers();
    constexpr std::size_t kUsual = 1024;
    if (!wanted.bodies && !wanted.start && sceneNamed(wanted.scene, wanted.sceneVersion).fixedBodies == 0)
        wanted.bodies = kUsual;
    Simulation simulation(wanted);
    ParticleSet bodies = simulation.bodies();
    writePairNumbers(asked.output, bodies.position, simulation.force(), options.pairValue);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
