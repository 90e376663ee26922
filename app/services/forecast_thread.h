// Paths computed beside the frame, on a thread that starts with the first question.
// Rule: asking and reading never wait for a path; a new question drops the old one.
#pragma once
#include "sim/run/forecast.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace gravlab {

class ForecastThread {
public:
    ForecastThread() = default;
    ForecastThread(const ForecastThread&) = delete;
    ForecastThread& operator=(const ForecastThread&) = delete;

    void ask(ForecastQuestion question);
    /// Forgets question and path.
    void drop();
    /// The path as far as it is known; false when nothing has changed since the last call.
    bool take(Forecast& path);
    bool busy() const;
    /// Waits for the whole path. Films do.
    void wait();

private:
    void work(const std::stop_token& stop);

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<ForecastQuestion> question_;
    std::uint64_t asked_ = 0;  ///< questions so far
    Forecast path_;
    bool news_ = false, busy_ = false;
    std::jthread thread_;  // last: it stops and ends before what it uses
};

}  // namespace gravlab
