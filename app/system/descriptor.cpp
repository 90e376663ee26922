#include "app/system/descriptor.h"

#include "sim/api/errors.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace gravlab {

void Descriptor::close() {
    if (value_ >= 0) ::close(value_);
    value_ = -1;
}

Descriptor memoryFile(std::string_view bytes) {
    Descriptor file(::memfd_create("gravlab", MFD_CLOEXEC));
    if (file < 0 || !writeAll(file, bytes) || ::lseek(file, 0, SEEK_SET) != 0)
        throw IoError("no memory for another process: " + std::generic_category().message(errno));
    return file;
}

bool writeAll(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string contentOf(int file, std::size_t most) {
    std::string all;
    std::array<char, 65536> block;
    while (all.size() < most) {
        const ssize_t got = ::pread(file, block.data(), block.size(), static_cast<off_t>(all.size()));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        all.append(block.data(), static_cast<std::size_t>(got));
    }
    return all;
}

}  // namespace gravlab
