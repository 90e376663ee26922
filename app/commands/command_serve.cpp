// `gravlab serve`: the window of a session in browsers.
#include "app/commands/option_groups.h"
#include "app/serve/serve.h"
#include "sim/api/errors.h"

namespace gravlab {
namespace {

struct ServeCommand : Subcommand {
    ServeOptions serve;

    void add(OptionRows& rows) override;
    void check() override {
        if (serve.classroom) {
            constexpr int kWidth = 1280, kHeight = 720;
            constexpr double kMegabits = 13;  // 6 Mbit/s at this size
            if (!start.has("--size")) serve.width = kWidth, serve.height = kHeight;
            if (!start.has("--bitrate")) serve.megabits = kMegabits;
        }
        if (serve.megabits > 1000) throw UsageError("--bitrate is at most 1000 Mbit per second");
        checkStart(*this, {.ownKernels = true});
    }
    int run() override { return runServe(start, serve); }
};

void ServeCommand::add(OptionRows& rows) {
    serve.width = 1920;
    serve.height = 1080;
    addSceneOrFile(rows, "collision");
    addBonds(rows);
    addRun(rows);
    addTwin(rows, true);
    addPicture(rows, serve, true);
    rows.whole("--port", "NUMBER", serve.wire.port, 0, 65535, "where browsers connect; 0 takes a free one [7777]");
    rows.text("--listen", "ADDRESS", serve.wire.listen,
              "address of this machine; others than this machine reach 0.0.0.0 [127.0.0.1]");
    rows.list(
        "--host-name", "LIST", [this](auto&, auto& names) { serve.wire.hosts = names; },
        "further names by which browsers call this machine, as behind a proxy");
    rows.list(
        "--origin", "LIST", [this](auto&, auto& names) { serve.wire.origins = names; },
        "pages of other servers that may connect, such as https://hub.example.org");
    rows.text("--files", "FOLDER", serve.files, "where the driver reads and writes files, and nowhere else [nowhere]");
    rows.text("--lesson", "NAME", serve.lesson, "begin a lesson, see 'gravlab list lessons', or a FILE.toml with one");
    rows.of("film.frames_per_second", "--fps", "RATE", serve.fps, "most pictures per second [60]");
    rows.read("--bitrate", "MBIT", serve.megabits, parsePositive, "of video at 1920x1080, in Mbit per second [20]");
    rows.flag("--class", serve.classroom, "for many viewers: 1280x720, 6 Mbit per second, half of the pictures");
    rows.flag("--allow-kernels", serve.allowKernels, "the host may run kernels of his own in the lab, which are programs");
    rows.read("--autosave", "SECONDS", serve.autosaveSeconds, parseNonNegative,
              "save the run that often, to be offered after a crash; 0 is off [60]");
    rows.whole("--rewind-memory", "MB", start.rewindMegabytes, 0, 1 << 24, "for states to go back to; 0 keeps none [256]");
    rows.read("--bench", "SECONDS", serve.benchSeconds, parsePositive, "measure what clients of this machine get, and end");
    rows.whole("--viewers", "COUNT", serve.viewers, 0, 60, "of --bench, beside the driver [30]").needs("--bench");
}

}  // namespace

constinit const CommandRow kServeCommand{
    "serve", "show and drive a run in browsers, from a machine without a display",
    "  gravlab serve                        prints an address for the driver, and one for viewers\n"
    "  gravlab serve disc --class           for a class, on a server\n"
    "  gravlab serve run.hdf5 --port 0      continues from a file, at a free port\n",
    made<ServeCommand>};

}  // namespace gravlab
