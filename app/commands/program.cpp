// Reads the command line and runs one command. The only catch of the program turns errors into a sentence and an exit code.
#include "sim/api/program.h"
#include "app/bench/own_trial.h"
#include "app/bench/tuner.h"
#include "app/commands/subcommand.h"
#include "app/system/progress.h"
#include "sim/api/errors.h"
#include "sim/backends/cpu/backend_cpu.h"
#include "sim/backends/ranks/job.h"
#include "sim/core/text.h"
#include "sim/io/checkpoint.h"
#include "sim/io/experiment.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <system_error>

namespace gravlab {
namespace {

/// Call it before any file is opened. It opens /dev/null when descriptor 0, 1 or 2 is closed, so that no file becomes the
/// standard error and receives messages. Closed pipes and file size limits become errors of the write and no longer end the
/// program.
void holdStandardStreams() {
    for (int stream = 0; stream <= 2; ++stream) {
        struct stat about {};
        if (::fstat(stream, &about) == 0 || errno != EBADF) continue;
        // Open in the wrong direction, so that reading and printing still fail: a closed stream must not look like success.
        const int opened = ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
        if (opened >= 0 && opened != stream)
            ::close(opened);  // the lowest free number is `stream`, unless another thread opens a file
    }
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

/// Call it at the end: flushes the standard output. Throws IoError when that fails.
void finishStandardOutput() {
    const bool failedBefore = std::ferror(stdout) != 0;
    errno = 0;
    if (std::fflush(stdout) == 0 && !failedBefore) return;
    const std::string why = errno != 0 ? std::strerror(errno) : "an earlier write failed";
    throw IoError("not everything could be printed: " + why);
}

int runCommand(int argc, const char* const* argv) {
    const std::unique_ptr<Subcommand> command = parseOptions(argc, argv);
    if (!command) return static_cast<int>(ExitCode::ok);
    command->start.simulation.tuning = readTuning(tuneCachePath());
    const WaitLine waits;
    return command->run();
}

int report(const char* text, ExitCode code) {
    std::fflush(stdout);
    std::fprintf(stderr, "gravlab: %s\n", printable(text).c_str());
    return static_cast<int>(code);
}

/// Joins the processes that mpirun started, if it did.
void joinJob(std::unique_ptr<Job>& job) {
    if (launchedRanks() == 1) return;
    job = std::make_unique<Job>(mpiTransport, rankOfCpu());
    if (job->rank() == 0) {
        job->start();
        std::fprintf(stderr, "gravlab: %s\n", job->greeting().c_str());
        return;
    }
    // Rank 0 ends the others, after it has saved.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
}

int codeOf(int argc, const char* const* argv, std::unique_ptr<Job>& job) {
    try {
        holdStandardStreams();
        if (argc == 2 && argv[1] == kTrialWord) return runTrialHere();
        joinJob(job);
        if (job && job->rank() != 0) return 0;
        const int code = runCommand(argc, argv);
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

}  // namespace

int program(int argc, const char* const* argv) {
    std::unique_ptr<Job> job;
    const int code = codeOf(argc, argv, job);
    return job ? job->end(code) : code;
}

void draw(const Experiment& experiment, const std::string& output, const std::vector<std::string>& options) {
    std::vector<const char*> words{"gravlab", "render", "-o", output.c_str()};
    for (const std::string& option : options) words.push_back(option.c_str());
    const std::unique_ptr<Subcommand> command = parseOptions(static_cast<int>(words.size()), words.data());
    if (!command) return;
    command->start.simulation = startFrom(checkpointOf(ExperimentAccess::simulation(experiment)), "experiment").request;
    if (const int code = command->run(); code != 0) throw IoError("drawing ended with exit code " + std::to_string(code));
}

}  // namespace gravlab
