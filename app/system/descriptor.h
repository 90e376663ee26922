// File descriptors that are closed once, and files in memory: neither a program nor its child waits for the other there.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace gravlab {

/// Below 0: none.
class Descriptor {
public:
    explicit Descriptor(int value = -1) : value_(value) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    void close();
    operator int() const { return value_; }

private:
    int value_;
};

/// A file in memory with these bytes, to be read from its start. Throws IoError.
Descriptor memoryFile(std::string_view bytes = {});
/// Writes all bytes; false where the system refuses.
bool writeAll(int file, std::string_view bytes);
/// The bytes from the start of a file, at most so many.
std::string contentOf(int file, std::size_t most);

}  // namespace gravlab
