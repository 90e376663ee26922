// Starts the real program and reads what it says: exit code, both streams, time. For the tests of the command line.
#pragma once
#include "tests/files.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

namespace fs = std::filesystem;

/// What a finished program left.
struct Outcome {
    int code = -1;  ///< exit code; 128 + signal when a signal ended it
    std::string out, err;
    double seconds = 0;
};

/// A folder that is gone afterwards.
class ScratchFolder {
public:
    ScratchFolder() {
        char name[] = "/tmp/gravlab-cli-XXXXXX";
        if (const char* made = ::mkdtemp(name)) path_ = made;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    fs::path operator/(const char* name) const { return path_ / name; }
    const fs::path& path() const { return path_; }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

private:
    fs::path path_;
};

inline std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

inline std::vector<double> numbersOf(const std::string& line) {
    std::vector<double> numbers;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) numbers.push_back(std::strtod(cell.c_str(), nullptr));
    return numbers;
}

/// How the program is started.
struct Start {
    fs::path folder = fs::current_path();
    bool display = false;  ///< keeps DISPLAY and WAYLAND_DISPLAY
    fs::path state{};      ///< XDG_STATE_HOME; empty: a folder of the program's own
    fs::path input = "/dev/null";
    std::vector<std::string> environment{};  ///< "NAME=value" beside what the tests have
    const char* program = GRAVLAB_BINARY;
};

/// A program under way. Its name differs from the OpenGL one, which this binary has as well.
class StartedProgram {
public:
    StartedProgram(std::vector<std::string> arguments, const Start& start) {
        outFile_ = scratch_ / "out";
        errFile_ = scratch_ / "err";
        arguments.insert(arguments.begin(), start.program);
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        std::vector<char*> environment;
        const auto replaced = [&](std::string_view entry) {
            const std::string_view name = entry.substr(0, entry.find('=') + 1);
            return std::ranges::any_of(start.environment, [&](const std::string& one) { return one.starts_with(name); });
        };
        for (char** entry = environ; *entry; ++entry)
            if (!replaced(*entry))
                if (start.display ||
                    (std::strncmp(*entry, "DISPLAY=", 8) != 0 && std::strncmp(*entry, "WAYLAND_DISPLAY=", 16) != 0))
                    if (std::strncmp(*entry, "XDG_STATE_HOME=", 15) != 0 && std::strncmp(*entry, "XDG_CACHE_HOME=", 15) != 0)
                        environment.push_back(*entry);
        std::string state = "XDG_STATE_HOME=" + (start.state.empty() ? scratch_.path() : start.state).string();
        environment.push_back(state.data());
        std::string cache = "XDG_CACHE_HOME=" + scratch_.path().string();  // what a person has tuned must not show
        environment.push_back(cache.data());
        std::vector<std::string> more = start.environment;
        for (std::string& entry : more) environment.push_back(entry.data());
        environment.push_back(nullptr);

        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, start.input.c_str(), O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, outFile_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errFile_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_addchdir_np(&actions, start.folder.c_str());
        begin_ = std::chrono::steady_clock::now();
        const int error = ::posix_spawn(&pid_, start.program, &actions, nullptr, argv.data(), environment.data());
        posix_spawn_file_actions_destroy(&actions);
        if (error != 0) ADD_FAILURE() << "cannot start " << start.program << ": " << std::strerror(error);
    }

    pid_t id() const { return pid_; }
    void send(int signal) const { ::kill(pid_, signal); }
    std::string errorsSoFar() const { return contentOf(errFile_); }
    std::string outputSoFar() const { return contentOf(outFile_); }

    Outcome wait() {
        Outcome outcome;
        int status = 0;
        ::waitpid(pid_, &status, 0);
        outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        outcome.out = contentOf(outFile_);
        outcome.err = contentOf(errFile_);
        return outcome;
    }

private:
    ScratchFolder scratch_;
    fs::path outFile_, errFile_;
    pid_t pid_ = 0;
    std::chrono::steady_clock::time_point begin_;
};

inline Outcome runGravlab(std::vector<std::string> arguments, const Start& start = {}) {
    return StartedProgram(std::move(arguments), start).wait();
}

}  // namespace gravlab
