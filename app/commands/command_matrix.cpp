// `gravlab matrix`: the numbers of all pairs; the lab shows them as a picture.
#include "app/commands/option_groups.h"
#include "app/files/open_file.h"
#include "app/lab/pair_numbers.h"
#include "app/system/interrupt.h"
#include "sim/api/errors.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"

namespace gravlab {
namespace {

struct MatrixCommand : Subcommand {
    PairValue value = PairValue::force;
    std::string output;

    void add(OptionRows& rows) override {
        addSceneOrFile(rows, "plummer");
        // No step is made, and the pairs are those of the pair law.
        addPhysics(rows, {"run.time_step", "run.integrator", "run.fields", "run.contact", "run.radius", "run.density",
                          "run.restitution", "run.friction"});
        rows.read(
            "--value", "NAME", value, [](auto&, auto& text) { return pairValue(text); },
            "force, potential, component (of the force on row i, along x, with its sign) or distance [force]");
        rows.output("-o,--output", "FILE", output, "FILE.csv, or FILE.npy for NumPy: a row a body, for up to 4,096 bodies");
    }
    void check() override {
        checkStart(*this, {});
        if (value == PairValue::distance && start.has("--softening"))
            refuseIdle("--softening", "a distance is not softened");
        if (output.empty()) throw UsageError("matrix needs -o FILE.csv or FILE.npy");
        requirePairFile(output);
    }
    int run() override {
        const InterruptWatch watch;
        RunRequest wanted = withFile(start).simulation;
        wanted.backend = std::string(exactBackend().name);
        wanted.openOthers();
        constexpr std::size_t kUsual = 1024;
        if (!wanted.bodies && !wanted.start && sceneNamed(wanted.scene, wanted.sceneVersion).fixedBodies == 0)
            wanted.bodies = kUsual;
        Simulation simulation(wanted);
        ParticleSet bodies = simulation.bodies();
        writePairNumbers(output, bodies.position, simulation.force(), value);
        return static_cast<int>(ExitCode::ok);
    }
};

}  // namespace

constinit const CommandRow kMatrixCommand{
    "matrix", "write what every body has with every other: force, potential or distance",
    "  gravlab matrix plummer -n 256 -o force.csv\n  gravlab matrix disc -n 4096 --value component -o fx.npy\n",
    made<MatrixCommand>};

}  // namespace gravlab
