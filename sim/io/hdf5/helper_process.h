// Runs work that may crash on damaged input in its own process and streams the results to this one. Rule: do not trust the
// helper. Its data is bounded and checked again on this side.
#pragma once
#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace gravlab {

/// The helper's end: plain values, texts and arrays, in order. Ends the helper when the reader is gone.
class HelperOutput {
public:
    explicit HelperOutput(int fd) : fd_(fd) {}
    void bytes(const void* from, std::size_t count);
    void flush();
    template <class Value>
    void put(const Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        bytes(&value, sizeof value);
    }
    void text(const std::string& value) {
        put(static_cast<std::uint64_t>(value.size()));
        bytes(value.data(), value.size());
    }
    template <class Value>
    void optional(const std::optional<Value>& value) {
        put(static_cast<std::uint8_t>(value ? 1 : 0));
        if (value) put(*value);
    }

private:
    void writeAll(const char* from, std::size_t count) const;

    int fd_;
    std::vector<char> buffer_;
};

/// How a helper ended before it had sent everything.
struct HelperFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Resources of a helper beyond those that this process uses already.
struct HelperLimits {
    std::uint64_t memoryBytes = 0;
    std::uint64_t seconds = 0;  ///< of processor time
    int silence = 60;           ///< longest time without any data [s], also on a busy machine
};

/// A forked copy of this process that runs `work` and ends; killed with this object. It holds only the locks of the thread
/// that made it and must use neither GPU, window nor standard output. Throws IoError when it cannot start.
class HelperProcess {
public:
    HelperProcess(const HelperLimits& limits, const std::function<void(HelperOutput&)>& work);
    ~HelperProcess();
    HelperProcess(const HelperProcess&) = delete;
    HelperProcess& operator=(const HelperProcess&) = delete;

    /// The next values, in the order in which they were sent. Throws HelperFailure when the helper has died, or IoError.
    void bytes(void* to, std::size_t count);
    template <class Value>
    Value take() {
        static_assert(std::is_trivially_copyable_v<Value>);
        Value value{};
        bytes(&value, sizeof value);
        return value;
    }
    /// Throws HelperFailure for a text longer than `most`.
    std::string text(std::size_t most);
    template <class Value>
    std::optional<Value> optional() {
        if (take<std::uint8_t>() == 0) return std::nullopt;
        return take<Value>();
    }

private:
    [[noreturn]] void reportDeath();
    void awaitBytes();

    int silence_;
    pid_t process_ = -1;
    int fd_ = -1;
};

}  // namespace gravlab
