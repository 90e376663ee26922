// Writes frames beside the picture, so that neither waits for an encoder. Rule: frames are written in the order they came.
#pragma once
#include "app/film/film.h"
#include "app/system/worker.h"

#include <memory>
#include <string>
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
    bool hasRoom();
    /// Frames that the encoder has not begun, with the end of the film.
    std::size_t waiting() const { return worker_.waiting(); }
    /// Takes it however many wait; ask hasRoom() before, or memory grows. After a failure it does nothing.
    void push(std::vector<std::uint8_t> rgb);
    /// No frame comes any more: writes what is queued and finishes the film, on the thread.
    void end();
    /// The film is not wanted: what was written goes when this does.
    void discard();
    /// True once finished or failed.
    bool done();
    /// Waits for that; after end().
    void wait() { worker_.wait(); }
    /// What went wrong; empty as long as nothing did.
    const std::string& error();

private:
    struct Frame {
        std::vector<std::uint8_t> rgb;
        bool last = false;  ///< there are no more, and this is none
    };

    void take();

    std::unique_ptr<FilmWriter> writer_;
    bool failed_ = false;  // the thread's own
    bool ending_ = false, done_ = false;
    std::string error_;
    Worker<Frame, bool> worker_;  // gives whether the film is finished; last: it uses all of the above
};

}  // namespace gravlab
