// Writes frames in a separate thread, so that drawing and encoding do not wait for each other. Rule: frames are written in
// order.
#pragma once
#include "app/film/film.h"
#include "app/system/worker.h"

#include <memory>
#include <string>
#include <vector>

namespace gravlab {

class FilmThread {
public:
    /// Most frames that wait for the encoder.
    static constexpr std::size_t kMostQueued = 4;

    explicit FilmThread(std::unique_ptr<FilmWriter> writer);
    /// Stops writing; the writer removes or keeps its file as it was set.
    ~FilmThread();
    FilmThread(const FilmThread&) = delete;
    FilmThread& operator=(const FilmThread&) = delete;

    /// Whether the queue has room for another frame. Never waits.
    bool hasRoom();
    /// Frames that the encoder has not begun, with the end of the film.
    std::size_t waiting() const { return worker_.waiting(); }
    /// Queues a frame, whatever the length of the queue; check hasRoom() first, or memory grows. Does nothing after a
    /// failure.
    void push(std::vector<std::uint8_t> rgb);
    /// Call it after the last frame: the thread writes the queued frames and finishes the film.
    void end();
    /// The film is unwanted: the destructor removes its file.
    void discard();
    /// True once finished or failed.
    bool done();
    /// Waits until done(); call it after end().
    void wait() { worker_.wait(); }
    /// The error; empty without one.
    const std::string& error();

private:
    struct Frame {
        std::vector<std::uint8_t> rgb;
        bool last = false;  ///< the end marker, which is not a frame
    };

    void take();

    std::unique_ptr<FilmWriter> writer_;
    bool failed_ = false;  // used by the thread alone
    bool ending_ = false, done_ = false;
    std::string error_;
    Worker<Frame, bool> worker_;  // returns whether the film is finished; last, because it uses all of the above
};

}  // namespace gravlab
