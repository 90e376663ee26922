#include "app/system/standard_streams.h"

#include "sim/core/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

namespace gravlab {

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

void finishStandardOutput() {
    const bool failedBefore = std::ferror(stdout) != 0;
    errno = 0;
    if (std::fflush(stdout) == 0 && !failedBefore) return;
    const std::string why = errno != 0 ? std::strerror(errno) : "an earlier write failed";
    throw IoError("not everything could be printed: " + why);
}

}  // namespace gravlab
