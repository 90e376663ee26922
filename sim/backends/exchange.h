// Messages from the first part of a force to its helpers, and their results. Rule: a helper answers each message before a
// result of it is taken, so that a failure on one of them stops no other.
#pragma once
#include "sim/core/thread_pool.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace gravlab {

/// An allocator of bytes that nothing fills before they are written.
template <class Byte>
struct Unfilled : std::allocator<Byte> {
    template <class Other>
    struct rebind {
        using other = Unfilled<Other>;
    };
    void construct(Byte*) {}
};
using MessageBytes = std::vector<std::byte, Unfilled<std::byte>>;

/// Writes plain numbers into bytes.
class MessageWriter {
public:
    /// `bytes`: how many are to come, as far as known.
    explicit MessageWriter(std::size_t bytes = 0) { bytes_.reserve(bytes); }
    /// Place for so many bytes, which the caller writes before the next call.
    std::byte* room(std::size_t bytes) {
        bytes_.resize(bytes_.size() + bytes);
        return bytes_.data() + bytes_.size() - bytes;
    }
    template <class Number>
    void add(const Number& number) {
        add(std::span<const Number>(&number, 1));
    }
    template <class Number>
    void add(std::span<const Number> numbers) {
        static_assert(std::is_trivially_copyable_v<Number>);
        if (!numbers.empty()) std::memcpy(room(numbers.size_bytes()), numbers.data(), numbers.size_bytes());
    }
    MessageBytes take() { return std::move(bytes_); }

private:
    MessageBytes bytes_;
};

/// Reads what MessageWriter wrote, in the same order.
class MessageReader {
public:
    explicit MessageReader(std::span<const std::byte> bytes) : left_(bytes) {}
    std::span<const std::byte> rest() const { return left_; }
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
        fetch,    ///< send the result of that evaluation another way than by messages
        abandon,  ///< that evaluation is not wanted any more
        forget,   ///< drop the method
        end       ///< no more messages
    };
    Kind kind = Kind::end;
    std::uint64_t method = 0;  ///< its number
    MessageBytes data{};
};

/// What a helper does. `interrupted`: its result is not wanted any more.
class Helper {
public:
    virtual ~Helper() = default;
    virtual MessageBytes act(const HelperMessage& message, const std::function<bool()>& interrupted) = 0;
    /// How long its thread looks for the next message before it sleeps.
    virtual std::chrono::microseconds awake() const { return {}; }
};

/// Brings messages to one helper or several. Does not wait.
class Carrier {
public:
    virtual ~Carrier() = default;  ///< the helpers end
    virtual void send(std::shared_ptr<const HelperMessage> message) = 0;
};

/// A helper with a thread of its own, which does messages in order; a newer one about the same method interrupts an older
/// one.
class HelperThread final : public Carrier {
public:
    /// Takes each answer on that thread. `failure`: a sentence; empty: none.
    using Answered = std::function<void(const HelperMessage& message, std::string failure, MessageBytes result)>;
    HelperThread(std::unique_ptr<Helper> helper, Answered answered);
    ~HelperThread() override;
    void send(std::shared_ptr<const HelperMessage> message) override;
    bool ended() const { return ended_; }  ///< after a message `end`

private:
    void serve();
    bool interrupted(std::uint64_t method);

    std::unique_ptr<Helper> helper_;
    Answered answered_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<const HelperMessage>> waiting_;
    std::map<std::uint64_t, std::string> unmade_;  ///< why methods are missing
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

/// Bytes between rank 0 and another rank, beside their messages. Any thread.
class Transfers {
public:
    virtual ~Transfers() = default;
    using Done = std::shared_ptr<const std::atomic<bool>>;
    /// Begins, after a call of `before` on the thread that does it. The flag becomes true at the end, and the bytes stay
    /// until then. Those of a channel match in their order.
    virtual Done transfer(bool out, int rank, int channel, std::span<std::byte> bytes, std::function<void()> before) = 0;
    /// Whether the bytes may be in memory of a CUDA device.
    virtual bool takesDevices() const = 0;
    /// Where devices compute, cores are free: what comes is looked for without sleep for kAwakeForDevices.
    virtual void stayAwake() = 0;
};
constexpr std::chrono::milliseconds kAwakeForDevices{20};

/// The answers of one helper. Any thread.
class Answers {
public:
    void expect(std::uint64_t method);
    void take(HelperMessage::Kind kind, std::uint64_t method, std::string failure, MessageBytes result);
    /// The helper is gone; all that is awaited has failed.
    void lose(const std::string& why);
    /// Whether nothing is awaited any more.
    bool complete(std::uint64_t method, Deadline deadline);
    // Nothing changes an answer while nothing is awaited for it.
    std::string failure(std::uint64_t method);
    std::span<const std::byte> result(std::uint64_t method);

private:
    struct Answer {
        std::size_t awaited = 0;  ///< messages that are not answered yet
        std::string failure;      ///< of the newest message; empty: none
        MessageBytes result;
    };
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::uint64_t, Answer> of_;
    std::string lost_;
};

/// The side of the first part. One thread drives it.
class Exchange {
public:
    /// `weight`: how large the first part is, beside those of the helpers.
    explicit Exchange(double weight) : weights_{weight} {}
    /// Adds a helper with a thread of this process.
    void add(std::unique_ptr<Helper> helper, double weight);
    /// Adds helpers elsewhere, with names for their failures.
    void add(std::unique_ptr<Carrier> carrier, std::span<const std::string> names, std::span<const double> weights,
             std::span<const std::shared_ptr<Answers>> answers);

    std::size_t helpers() const { return answers_.size(); }
    const std::vector<double>& weights() const { return weights_; }  ///< of all parts, the first one's first
    /// Sends a message to every helper. Does not wait.
    void send(HelperMessage message);
    /// Whether every helper has answered the newest message about that method; waits for that until the deadline. Throws
    /// DeviceError, which names the helper, when all have answered and one of them failed.
    bool answered(std::uint64_t method, Deadline deadline);
    /// The result of that message on a helper, once all have answered.
    std::span<const std::byte> result(std::uint64_t method, std::size_t helper) const {
        return answers_[helper]->result(method);
    }
    /// A number that no other method has.
    std::uint64_t newMethod() { return ++methods_; }

private:
    std::vector<std::shared_ptr<Answers>> answers_;
    std::vector<std::string> names_;  ///< empty: "helper 1 of 3"
    std::vector<double> weights_;
    std::vector<std::unique_ptr<Carrier>> carriers_;
    std::uint64_t methods_ = 0;
};

}  // namespace gravlab
