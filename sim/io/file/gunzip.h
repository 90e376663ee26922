// The content of a gzip file, in order, in bounded memory. Rule: refuse a file that unpacks further than any table could.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace gravlab {

class Gunzip {
public:
    static bool begins(std::string_view head) { return head.starts_with("\x1f\x8b"); }

    /// `start` holds the first bytes and must outlive this object; the bytes left in `fd` follow, -1: none. `name` is for
    /// messages.
    Gunzip(std::string name, std::string_view start, int fd);
    ~Gunzip();

    /// Up to `count` bytes; fewer only at the end. Throws InputError for damaged or cut data, other bytes after the end, or
    /// unpacking beyond kMostRatio; IoError when the system cannot read.
    std::size_t read(char* to, std::size_t count);

    static constexpr std::size_t kMostRatio = 200, kFreeBytes = std::size_t{1} << 22;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gravlab
