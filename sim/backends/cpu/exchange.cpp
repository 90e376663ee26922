#include "sim/backends/cpu/exchange.h"

#include "sim/api/errors.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

namespace gravlab::cpu {
namespace {

using Kind = HelperMessage::Kind;

/// A helper with its thread, the messages that wait for it, and its answers.
class HelperThread {
public:
    explicit HelperThread(std::unique_ptr<Helper> helper) : helper_(std::move(helper)), thread_([this] { serve(); }) {}
    ~HelperThread() {
        send(std::make_shared<const HelperMessage>());
        thread_.join();
    }

    void send(std::shared_ptr<const HelperMessage> message) {
        {
            const std::lock_guard lock(mutex_);
            ++answers_[message->method].awaited;
            waiting_.push_back(std::move(message));
        }
        changed_.notify_all();
    }
    bool answered(std::uint64_t method, Deadline deadline) {
        std::unique_lock lock(mutex_);
        const auto none = [&] { return answers_[method].awaited == 0; };
        if (deadline != kNoDeadline) return changed_.wait_until(lock, deadline, none);
        changed_.wait(lock, none);
        return true;
    }
    // The thread changes no answer that nothing is awaited for.
    const std::string& failure(std::uint64_t method) {
        const std::lock_guard lock(mutex_);
        return answers_[method].failure;
    }
    std::span<const std::byte> result(std::uint64_t method) {
        const std::lock_guard lock(mutex_);
        return answers_[method].data;
    }

private:
    struct Answer {
        std::size_t awaited = 0;  ///< messages that are not answered yet
        std::string failure;      ///< of the newest message; empty: none
        std::vector<std::byte> data;
    };

    void serve() {
        for (;;) {
            std::shared_ptr<const HelperMessage> message;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [this] { return !waiting_.empty(); });
                message = std::move(waiting_.front());
                waiting_.pop_front();
            }
            if (message->kind == Kind::end) return;
            Answer answer;
            if (message->kind == Kind::force) answer.failure = failure(message->method);  // of its creation
            try {
                if (answer.failure.empty())
                    answer.data = helper_->act(*message, [&] { return interrupted(message->method); });
            } catch (const std::bad_alloc&) {
                answer.failure = "its memory is short; use fewer bodies or fewer devices";
            } catch (const std::exception& error) {
                answer.failure = error.what();
            } catch (...) {
                answer.failure = "an unknown error";
            }
            {
                const std::lock_guard lock(mutex_);
                answer.awaited = answers_[message->method].awaited - 1;
                answers_[message->method] = std::move(answer);
                if (message->kind == Kind::forget) answers_.erase(message->method);
            }
            changed_.notify_all();
        }
    }
    bool interrupted(std::uint64_t method) {
        const std::lock_guard lock(mutex_);
        return std::ranges::any_of(waiting_,
                                   [&](const auto& next) { return next->kind == Kind::end || next->method == method; });
    }

    std::unique_ptr<Helper> helper_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<const HelperMessage>> waiting_;
    std::map<std::uint64_t, Answer> answers_;
    std::thread thread_;
};

class ThreadExchange final : public Exchange {
public:
    explicit ThreadExchange(std::vector<std::unique_ptr<Helper>> helpers) {
        for (auto& helper : helpers) threads_.push_back(std::make_unique<HelperThread>(std::move(helper)));
    }
    std::size_t helpers() const override { return threads_.size(); }
    void send(HelperMessage message) override {
        const auto shared = std::make_shared<const HelperMessage>(std::move(message));
        for (const auto& thread : threads_) thread->send(shared);
    }
    bool answered(std::uint64_t method, Deadline deadline) override {
        for (const auto& thread : threads_)
            if (!thread->answered(method, deadline)) return false;
        for (std::size_t k = 0; k < threads_.size(); ++k)
            if (const std::string& failure = threads_[k]->failure(method); !failure.empty())
                throw DeviceError("helper " + std::to_string(k + 1) + " of " + std::to_string(threads_.size()) +
                                  " could not compute its part of the force: " + failure);
        return true;
    }
    std::span<const std::byte> result(std::uint64_t method, std::size_t helper) const override {
        return threads_[helper]->result(method);
    }

private:
    std::vector<std::unique_ptr<HelperThread>> threads_;
};

}  // namespace

std::unique_ptr<Exchange> exchangeOfThreads(std::vector<std::unique_ptr<Helper>> helpers) {
    return std::make_unique<ThreadExchange>(std::move(helpers));
}

}  // namespace gravlab::cpu
