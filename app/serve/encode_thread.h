// Encodes pictures beside the frame loop: always the newest one, and only while a client has room.
#pragma once
#include "app/serve/codec.h"
#include "app/serve/hub.h"

#include <thread>

namespace gravlab {

class EncodeThread {
public:
    /// `bitRate`: of a picture of 1920x1080 at 60 per second; smaller ones get less. The hub must outlive it.
    EncodeThread(Hub& hub, double fps, double bitRate);
    ~EncodeThread() {
        hub_.end("the program has ended");
        thread_.join();
    }
    EncodeThread(const EncodeThread&) = delete;
    EncodeThread& operator=(const EncodeThread&) = delete;

private:
    void run();
    bool encodeVideo(const Hub::Job& job);
    Hub& hub_;
    double fps_, bitRate_, share_ = 1;
    std::unique_ptr<VideoEncoder> video_;
    int width_ = 0, height_ = 0, failures_ = 0;
    std::thread thread_;
};

}  // namespace gravlab
