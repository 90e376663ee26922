// What is packed in a gzip file, in order, in bounded memory.
// Rule: a few kilobytes may not become more than a table could: what unpacks too far is refused, not followed.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace gravlab {

class Gunzip {
public:
    static bool begins(std::string_view head) { return head.starts_with("\x1f\x8b"); }

    /// `start` comes first and must outlive this; what `fd` still has comes behind it, -1: nothing. `name` is for messages.
    Gunzip(std::string name, std::string_view start, int fd);
    ~Gunzip();

    /// Up to `count` bytes; fewer only at the end. Throws InputError for what is damaged, cut short, no gzip behind its end
    /// or unpacks beyond kMostRatio; IoError when the system cannot read.
    std::size_t read(char* to, std::size_t count);

    static constexpr std::size_t kMostRatio = 200, kFreeBytes = std::size_t{1} << 22;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gravlab
