// Where a writer puts its bytes: a file that is replaced as a whole, or memory. Rule: a writer only appends, so that every
// format works on every sink.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gravlab {

class ByteSink {
public:
    virtual ~ByteSink() = default;
    /// Appends `count` bytes. Throws IoError when they cannot be stored.
    virtual void write(const void* bytes, std::size_t count) = 0;
    void write(std::string_view text) { write(text.data(), text.size()); }
};

class MemorySink : public ByteSink {
public:
    using ByteSink::write;
    void write(const void* bytes, std::size_t count) override { text_.append(static_cast<const char*>(bytes), count); }
    const std::string& text() const { return text_; }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

}  // namespace gravlab
