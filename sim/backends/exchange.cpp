#include "sim/backends/exchange.h"

#include "sim/api/errors.h"

#include <algorithm>
#include <new>
#include <utility>

namespace gravlab {

HelperThread::HelperThread(std::unique_ptr<Helper> helper, Answered answered)
    : helper_(std::move(helper)), answered_(std::move(answered)), thread_([this] { serve(); }) {}

HelperThread::~HelperThread() {
    send(std::make_shared<const HelperMessage>());
    thread_.join();
}

void HelperThread::send(std::shared_ptr<const HelperMessage> message) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(message));
    }
    changed_.notify_all();
}

void HelperThread::serve() {
    for (;;) {
        std::shared_ptr<const HelperMessage> message;
        {
            const auto until = std::chrono::steady_clock::now() + helper_->awake();
            std::unique_lock lock(mutex_);
            while (waiting_.empty() && std::chrono::steady_clock::now() < until) {
                lock.unlock();
                std::this_thread::yield();
                lock.lock();
            }
            changed_.wait(lock, [this] { return !waiting_.empty(); });
            message = std::move(waiting_.front());
            waiting_.pop_front();
        }
        if (message->kind == HelperMessage::Kind::end) break;
        std::string failure;
        MessageBytes result;
        if (const auto why = unmade_.find(message->method);
            message->kind == HelperMessage::Kind::force && why != unmade_.end())
            failure = why->second;
        try {
            if (failure.empty()) result = helper_->act(*message, [&] { return interrupted(message->method); });
        } catch (const std::bad_alloc&) {
            failure = "its memory is short; use fewer bodies or fewer devices";
        } catch (const std::exception& error) {
            failure = error.what();
        } catch (...) {
            failure = "an unknown error";
        }
        if (message->kind == HelperMessage::Kind::create && !failure.empty()) unmade_[message->method] = failure;
        if (message->kind == HelperMessage::Kind::forget) unmade_.erase(message->method);
        // The memory of its data is free when the answer is there: the list of memory counts it once.
        const HelperMessage head{.kind = message->kind, .method = message->method};
        message.reset();
        answered_(head, std::move(failure), std::move(result));
    }
    ended_ = true;
}

bool HelperThread::interrupted(std::uint64_t method) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(
        waiting_, [&](const auto& next) { return next->kind == HelperMessage::Kind::end || next->method == method; });
}

void Answers::expect(std::uint64_t method) {
    const std::lock_guard lock(mutex_);
    ++of_[method].awaited;
}

void Answers::take(HelperMessage::Kind kind, std::uint64_t method, std::string failure, MessageBytes result) {
    {
        const std::lock_guard lock(mutex_);
        of_[method] = {of_[method].awaited - 1, std::move(failure), std::move(result)};
        if (kind == HelperMessage::Kind::forget) of_.erase(method);
    }
    changed_.notify_all();
}

void Answers::lose(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        lost_ = why;
    }
    changed_.notify_all();
}

bool Answers::complete(std::uint64_t method, Deadline deadline) {
    std::unique_lock lock(mutex_);
    const auto none = [&] { return of_[method].awaited == 0 || !lost_.empty(); };
    if (deadline != kNoDeadline) return changed_.wait_until(lock, deadline, none);
    changed_.wait(lock, none);
    return true;
}

std::string Answers::failure(std::uint64_t method) {
    const std::lock_guard lock(mutex_);
    return lost_.empty() ? of_[method].failure : lost_;
}

std::span<const std::byte> Answers::result(std::uint64_t method) {
    const std::lock_guard lock(mutex_);
    return of_[method].result;
}

void Exchange::add(std::unique_ptr<Helper> helper, double weight) {
    const auto answers = std::make_shared<Answers>();
    const auto take = [answers](const HelperMessage& message, std::string failure, MessageBytes result) {
        answers->take(message.kind, message.method, std::move(failure), std::move(result));
    };
    add(std::make_unique<HelperThread>(std::move(helper), take), std::vector<std::string>{""}, std::vector{weight},
        std::vector{answers});
}

void Exchange::add(std::unique_ptr<Carrier> carrier, std::span<const std::string> names, std::span<const double> weights,
                   std::span<const std::shared_ptr<Answers>> answers) {
    names_.insert(names_.end(), names.begin(), names.end());
    weights_.insert(weights_.end(), weights.begin(), weights.end());
    answers_.insert(answers_.end(), answers.begin(), answers.end());
    carriers_.push_back(std::move(carrier));
}

void Exchange::send(HelperMessage message) {
    for (const auto& answers : answers_) answers->expect(message.method);
    const auto shared = std::make_shared<const HelperMessage>(std::move(message));
    for (const auto& carrier : carriers_) carrier->send(shared);
}

bool Exchange::answered(std::uint64_t method, Deadline deadline) {
    for (const auto& answers : answers_)
        if (!answers->complete(method, deadline)) return false;
    for (std::size_t k = 0; k < answers_.size(); ++k)
        if (const std::string failure = answers_[k]->failure(method); !failure.empty())
            throw DeviceError(
                (names_[k].empty() ? "helper " + std::to_string(k + 1) + " of " + std::to_string(helpers()) : names_[k]) +
                " could not compute its part of the force: " + failure);
    return true;
}

}  // namespace gravlab
