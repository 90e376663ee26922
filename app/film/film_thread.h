// Writes frames beside the picture, so that neither waits for an encoder. Rule: frames are written in the order they came.
#pragma once
#include "app/film/film.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gravlab {

class FilmThread {
public:
    /// Frames that may wait for the encoder.
    static constexpr std::size_t kMostQueued = 4;

    explicit FilmThread(std::unique_ptr<FilmWriter> writer);
    /// Writes no more; the writer takes back or keeps what there is, as it was told.
    ~FilmThread();
    FilmThread(const FilmThread&) = delete;
    FilmThread& operator=(const FilmThread&) = delete;

    /// Whether another frame may come. Never waits.
    bool hasRoom() const;
    /// Takes it however many wait; ask hasRoom() before, or memory grows. After a failure it does nothing.
    void push(std::vector<std::uint8_t> rgb);
    /// No frame comes any more: writes what is queued and finishes the film, on the thread.
    void end();
    /// The film is not wanted: what was written goes when this does.
    void discard();
    /// True once finished or failed.
    bool done() const;
    /// What went wrong; empty as long as nothing did.
    std::string error() const;

private:
    void work();

    std::unique_ptr<FilmWriter> writer_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::vector<std::uint8_t>> frames_;
    bool ending_ = false, stopping_ = false, done_ = false;
    std::string error_;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace gravlab
