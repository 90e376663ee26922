// The system calls of a save, as a table, so that a test can make any fail. Rule: sim/io writes through this table only.
#pragma once
#include <sys/types.h>
#include <cstddef>

namespace gravlab {

/// Same meaning and errno as the POSIX calls of these names.
struct FileCalls {
    int (*open)(const char* path, int flags, mode_t mode);
    ssize_t (*write)(int fd, const void* bytes, std::size_t count);
    int (*sync)(int fd);
    int (*close)(int fd);
    int (*setMode)(int fd, mode_t mode);
    int (*link)(const char* from, const char* to);
    int (*rename)(const char* from, const char* to);
    int (*remove)(const char* path);
    /// Takes the disk for so many bytes after the present end; not every file system can.
    int (*reserve)(int fd, std::size_t bytes);
};

/// The table in use: the system's own calls. A test replaces entries while nothing is being saved, and restores them.
FileCalls& fileCalls();

}  // namespace gravlab
