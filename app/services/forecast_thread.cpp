// One worker; it looks up from its path fifty times a second.
#include "app/services/forecast_thread.h"

#include "sim/core/error.h"

#include <utility>

namespace gravlab {

void ForecastThread::ask(ForecastQuestion question) {
    {
        const std::lock_guard lock(mutex_);
        question_ = std::move(question);
        ++asked_;
        busy_ = true;
    }
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
    changed_.notify_all();
}

void ForecastThread::drop() {
    const std::lock_guard lock(mutex_);
    question_.reset();
    ++asked_;
    busy_ = false;
    path_ = {};
    news_ = true;
    changed_.notify_all();
}

bool ForecastThread::take(Forecast& path) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(news_, false)) return false;
    path = path_;
    return true;
}

bool ForecastThread::busy() const {
    const std::lock_guard lock(mutex_);
    return busy_;
}

void ForecastThread::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !busy_; });
}

void ForecastThread::work(const std::stop_token& stop) {
    constexpr double kPiece = 0.02;  // [s]
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return question_.has_value(); })) {
        const ForecastQuestion question = *std::exchange(question_, std::nullopt);
        const std::uint64_t mine = asked_;
        Forecast failed;
        lock.unlock();
        std::optional<Forecaster> forecaster;
        try {
            forecaster.emplace(question);
            for (bool complete = false; !complete && !stop.stop_requested();) {
                complete = forecaster->advance(kPiece);
                const std::lock_guard guard(mutex_);
                if (mine != asked_) break;
                path_ = forecaster->path();
                news_ = true;
            }
        } catch (const std::exception& error) {
            failed.complete = true;
            failed.failure = error.what();
        }
        forecaster.reset();
        lock.lock();
        if (mine != asked_) continue;
        if (!failed.failure.empty()) {
            path_ = std::move(failed);
            news_ = true;
        }
        busy_ = false;
        changed_.notify_all();
    }
}

}  // namespace gravlab
