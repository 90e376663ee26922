// fork, limits, a pipe, and messages for the ways in which a helper ends.
#include "sim/io/hdf5/helper_process.h"

#include "sim/api/errors.h"
#include "sim/io/file/process_limit.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace gravlab {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

/// Makes a forked copy of the process a helper.
void becomeHelper(const HelperLimits& limits, std::uint64_t claimed) {
    // The program's own handlers save emergency snapshots and print; a helper must not.
    for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE, SIGXCPU, SIGXFSZ, SIGTERM, SIGINT, SIGHUP})
        std::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
    limitForGood(RLIMIT_CORE, 0);
    limitForGood(RLIMIT_CPU, limits.seconds);
    if (claimed > 0) limitForGood(RLIMIT_DATA, claimed + limits.memoryBytes);
    // Messages of a failing library are not the program's.
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) {
        (void)::dup2(nowhere, STDOUT_FILENO);
        (void)::dup2(nowhere, STDERR_FILENO);
    }
}

}  // namespace

void HelperOutput::bytes(const void* from, std::size_t count) {
    const char* at = static_cast<const char*>(from);
    if (buffer_.size() + count > kBufferBytes) flush();
    if (count >= kBufferBytes)
        writeAll(at, count);
    else
        buffer_.insert(buffer_.end(), at, at + count);
}

void HelperOutput::flush() {
    writeAll(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void HelperOutput::writeAll(const char* from, std::size_t count) const {
    while (count > 0) {
        const ssize_t wrote = ::write(fd_, from, count);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) ::_exit(1);  // the reader is gone
        from += wrote;
        count -= static_cast<std::size_t>(wrote);
    }
}

HelperProcess::HelperProcess(const HelperLimits& limits, const std::function<void(HelperOutput&)>& work)
    : silence_(limits.silence) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw IoError("cannot start a helper process: " + std::generic_category().message(errno));
    const std::uint64_t claimed = claimedMemory();
    process_ = ::fork();
    if (process_ < 0) {
        const int error = errno;
        ::close(ends[0]);
        ::close(ends[1]);
        throw IoError("cannot start a helper process: " + std::generic_category().message(error));
    }
    if (process_ == 0) {
        ::close(ends[0]);
        becomeHelper(limits, claimed);
        try {
            HelperOutput output(ends[1]);
            work(output);
            output.flush();
        } catch (...) {
            ::_exit(1);
        }
        // No exit(): handlers registered by the program belong to the original.
        ::_exit(0);
    }
    ::close(ends[1]);
    fd_ = ends[0];
#if defined(F_SETPIPE_SZ)
    (void)::fcntl(fd_, F_SETPIPE_SZ, 1 << 20);  // fewer switches between the two processes
#endif
}

HelperProcess::~HelperProcess() {
    if (fd_ >= 0) ::close(fd_);
    if (process_ <= 0) return;
    (void)::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void HelperProcess::bytes(void* to, std::size_t count) {
    char* at = static_cast<char*>(to);
    while (count > 0) {
        awaitBytes();
        const ssize_t got = ::read(fd_, at, count);
        if (got == 0) reportDeath();
        if (got < 0) {
            if (errno == EINTR) continue;
            throw IoError("cannot read from a helper process: " + std::generic_category().message(errno));
        }
        at += got;
        count -= static_cast<std::size_t>(got);
    }
}

/// A forked process with several threads may wait for a lock that no thread in it will ever release.
void HelperProcess::awaitBytes() {
    pollfd end{.fd = fd_, .events = POLLIN, .revents = 0};
    int ready;
    while ((ready = ::poll(&end, 1, 1000 * silence_)) < 0 && errno == EINTR) {
    }
    if (ready == 0) throw HelperFailure("it made no progress");
}

std::string HelperProcess::text(std::size_t most) {
    const auto size = take<std::uint64_t>();
    if (size > most) throw HelperFailure("it sent invalid data");
    std::string value(static_cast<std::size_t>(size), '\0');
    bytes(value.data(), value.size());
    return value;
}

void HelperProcess::reportDeath() {
    int status = 0;
    pid_t ended;
    while ((ended = ::waitpid(process_, &status, 0)) < 0 && errno == EINTR) {
    }
    process_ = -1;
    if (ended > 0 && WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        if (signal == SIGXCPU || signal == SIGKILL) throw HelperFailure("it did not end in time");
        throw HelperFailure("it crashed with signal " + std::to_string(signal));
    }
    throw HelperFailure("it gave up");
}

}  // namespace gravlab
