#include "app/system/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>

extern char** environ;  // NOLINT: the environment of POSIX

namespace gravlab {

int ChildProcess::start(const std::string& program, std::vector<std::string> words, Ends ends) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int given[] = {ends.in, ends.out, ends.error};
    for (int i = 0; i < 3; ++i) {
        if (given[i] == kNull) posix_spawn_file_actions_addopen(&actions, i, "/dev/null", i == 0 ? O_RDONLY : O_WRONLY, 0);
        if (given[i] >= 0) posix_spawn_file_actions_adddup2(&actions, given[i], i);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int error = posix_spawnp(&id_, program.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) id_ = -1;
    return error;
}

void ChildProcess::kill() {
    if (running()) ::kill(-id_, SIGKILL);
}

std::optional<int> ChildProcess::wait(bool blocks) {
    int status = 0;
    pid_t ended = 0;
    do ended = running() ? waitpid(id_, &status, blocks ? 0 : WNOHANG) : -1;
    while (ended < 0 && running() && errno == EINTR);
    if (ended == 0) return std::nullopt;
    id_ = -1;
    return status;
}

}  // namespace gravlab
