#include "app/film/film_thread.h"

#include <exception>
#include <utility>

namespace gravlab {

FilmThread::FilmThread(std::unique_ptr<FilmWriter> writer)
    : writer_(std::move(writer)),
      worker_(
          [this](const Frame& frame, auto&) {
              if (failed_) return false;
              failed_ = true;
              if (frame.last)
                  writer_->finish();
              else
                  writer_->write(frame.rgb);
              failed_ = false;
              return frame.last;
          },
          QueuePolicy::fifo) {}

FilmThread::~FilmThread() { worker_.drop(); }

/// Collects the results of frames.
void FilmThread::take() {
    try {
        while (const std::optional<bool> finished = worker_.poll()) done_ |= *finished;
    } catch (const std::exception& error) {
        error_ = error.what();
        done_ = true;
        worker_.drop();
    }
}

bool FilmThread::hasRoom() { return !done() && worker_.waiting() < kMostQueued; }

void FilmThread::push(std::vector<std::uint8_t> rgb) {
    if (!done()) worker_.ask({.rgb = std::move(rgb)});
}

void FilmThread::end() {
    if (!done() && !std::exchange(ending_, true)) worker_.ask({.rgb = {}, .last = true});
}

void FilmThread::discard() {
    worker_.drop();
    writer_->discarded = true;
}

bool FilmThread::done() {
    take();
    return done_;
}

const std::string& FilmThread::error() {
    take();
    return error_;
}

}  // namespace gravlab
