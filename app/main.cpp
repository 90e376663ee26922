// Reads the command line and runs one command. The only catch of the program turns errors into a sentence and an exit code.
#include "app/bench/own_trial.h"
#include "app/bench/tune_cache.h"
#include "app/commands/command_rows.h"
#include "app/system/progress.h"
#include "app/system/standard_streams.h"
#include "sim/core/error.h"
#include "sim/core/text.h"

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

namespace gravlab {
namespace {

int runProgram(int argc, char** argv) {
    Options options = parseOptions(argc, argv);
    options.simulation.tuning = readTuning(tuneCachePath());
    const WaitLine waits;
    if (options.command == Subcommand::version) return static_cast<int>(ExitCode::ok);  // --help and --version have printed
    return commandRow(options.command).run(options);
}

int report(const char* text, ExitCode code) {
    std::fflush(stdout);
    std::fprintf(stderr, "gravlab: %s\n", printable(text).c_str());
    return static_cast<int>(code);
}

}  // namespace
}  // namespace gravlab

int main(int argc, char** argv) {
    using namespace gravlab;
    try {
        holdStandardStreams();
        if (argc == 2 && argv[1] == kTrialWord) return runTrialHere();
        const int code = runProgram(argc, argv);
        if (code == 0) finishStandardOutput();
        return code;
    } catch (const Error& error) {
        return report(error.what(), error.code());
    } catch (const std::bad_alloc&) {
        return report("out of memory; choose fewer bodies", ExitCode::deviceFailure);
    } catch (const std::system_error& error) {
        return report((std::string("the system refused what a run needs: ") + error.what() +
                       "; look at the limits of threads, memory and open files (ulimit -a)")
                          .c_str(),
                      ExitCode::deviceFailure);
    } catch (const std::exception& error) {
        return report(error.what(), ExitCode::deviceFailure);
    }
}
