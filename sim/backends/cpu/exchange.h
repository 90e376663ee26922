// Messages from the first part of a force to its helpers, and their results. Rule: a helper answers each message before a
// result of it is taken, so that a failure on one of them stops no other.
#pragma once
#include "sim/core/thread_pool.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace gravlab::cpu {

/// Writes plain numbers into bytes.
class Packed {
public:
    template <class Number>
    void add(const Number& number) {
        add(std::span<const Number>(&number, 1));
    }
    template <class Number>
    void add(std::span<const Number> numbers) {
        static_assert(std::is_trivially_copyable_v<Number>);
        const auto bytes = std::as_bytes(numbers);
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Reads what Packed wrote, in the same order.
class Unpacked {
public:
    explicit Unpacked(std::span<const std::byte> bytes) : left_(bytes) {}
    template <class Number>
    Number get() {
        Number number{};
        get(std::span<Number>(&number, 1));
        return number;
    }
    template <class Number>
    void get(std::span<Number> numbers) {
        static_assert(std::is_trivially_copyable_v<Number>);
        if (left_.size() < numbers.size_bytes()) throw std::logic_error("a message is shorter than its reader expects");
        if (!numbers.empty()) std::memcpy(numbers.data(), left_.data(), numbers.size_bytes());
        left_ = left_.subspan(numbers.size_bytes());
    }

private:
    std::span<const std::byte> left_;
};

/// A message to all helpers. It has no addresses, so it can leave the process.
struct HelperMessage {
    enum class Kind : std::uint8_t {
        create,   ///< make a method
        force,    ///< compute a part of an evaluation; the result is the part's sums
        abandon,  ///< that evaluation is not wanted any more
        forget,   ///< drop the method
        end       ///< no more messages
    };
    Kind kind = Kind::end;
    std::uint64_t method = 0;  ///< its number
    std::vector<std::byte> data{};
};

/// The side of the first part. One thread drives it.
class Exchange {
public:
    virtual ~Exchange() = default;
    virtual std::size_t helpers() const = 0;
    /// Sends a message to every helper. They do messages in order; a newer one about the same method interrupts an older
    /// one. Does not wait.
    virtual void send(HelperMessage message) = 0;
    /// Whether every helper has answered the newest message about that method; waits for that until the deadline. Throws
    /// DeviceError, which names the helper, when all have answered and one of them failed.
    virtual bool answered(std::uint64_t method, Deadline deadline) = 0;
    /// The result of that message on a helper, once all have answered.
    virtual std::span<const std::byte> result(std::uint64_t method, std::size_t helper) const = 0;

    /// A number that no other method has.
    std::uint64_t newMethod() { return ++methods_; }

private:
    std::uint64_t methods_ = 0;
};

/// What a helper does. `interrupted`: its result is not wanted any more.
class Helper {
public:
    virtual ~Helper() = default;
    virtual std::vector<std::byte> act(const HelperMessage& message, const std::function<bool()>& interrupted) = 0;
};

/// An exchange with helpers that are threads of this process.
std::unique_ptr<Exchange> exchangeOfThreads(std::vector<std::unique_ptr<Helper>> helpers);

}  // namespace gravlab::cpu
