#include "app/film/film_thread.h"

#include <exception>
#include <utility>

namespace gravlab {

FilmThread::FilmThread(std::unique_ptr<FilmWriter> writer) : writer_(std::move(writer)), thread_([this] { work(); }) {}

FilmThread::~FilmThread() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

bool FilmThread::hasRoom() const {
    const std::lock_guard lock(mutex_);
    return frames_.size() < kMostQueued && !done_;
}

void FilmThread::push(std::vector<std::uint8_t> rgb) {
    {
        const std::lock_guard lock(mutex_);
        if (done_) return;
        frames_.push_back(std::move(rgb));
    }
    changed_.notify_all();
}

void FilmThread::end() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
}

void FilmThread::discard() {
    const std::lock_guard lock(mutex_);
    writer_->discarded = true;  // looked at by its destructor alone
    stopping_ = true;
}

bool FilmThread::done() const {
    const std::lock_guard lock(mutex_);
    return done_;
}

std::string FilmThread::error() const {
    const std::lock_guard lock(mutex_);
    return error_;
}

void FilmThread::work() {
    std::unique_lock lock(mutex_);
    try {
        while (true) {
            changed_.wait(lock, [this] { return stopping_ || ending_ || !frames_.empty(); });
            if (stopping_) return;
            if (frames_.empty()) break;
            const std::vector<std::uint8_t> frame = std::move(frames_.front());
            frames_.pop_front();
            lock.unlock();
            writer_->write(frame);
            lock.lock();
        }
        lock.unlock();
        writer_->finish();
        lock.lock();
    } catch (const std::exception& error) {
        if (!lock.owns_lock()) lock.lock();
        error_ = error.what();
    }
    done_ = true;
}

}  // namespace gravlab
