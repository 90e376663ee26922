#include "app/serve/encode_thread.h"

#include "app/control/json_value.h"
#include "app/system/host_clock.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gravlab {
namespace {

/// Encodes behind a head, whose number of bytes is then known, and gives both to the clients.
template <class Encode>
void deliver(Hub& hub, PictureHead head, Encode encode) {
    std::string bytes(kPictureHead, '\0');
    encode(head, bytes);
    head.bytes = static_cast<std::uint32_t>(bytes.size() - kPictureHead);
    bytes.replace(0, kPictureHead, packed(head));
    hub.deliver(head, std::make_shared<const std::string>(std::move(bytes)));
}

}  // namespace

EncodeThread::EncodeThread(Hub& hub, double fps, double bitRate)
    : hub_(hub), fps_(fps), bitRate_(bitRate), thread_([this] { run(); }) {}

bool EncodeThread::encodeVideo(const Hub::Job& job) {
    const PictureHead& head = job.picture->head;
    const bool other = head.width != width_ || head.height != height_;
    const auto bitRate = [&](double share) {
        constexpr double kUsual = 1920.0 * 1080, kLeast = 1e6;
        return static_cast<int>(std::max(bitRate_ * share * head.width * head.height / kUsual, kLeast));
    };
    if (other || !video_) {
        width_ = head.width;
        height_ = head.height;
        share_ = 1;
        std::string why;
        video_ = openVideo(width_, height_, fps_, bitRate(1), why);
        if (!video_) {
            std::fprintf(stderr, "gravlab: %s\n", why.c_str());
            hub_.say(jsonLine({{"t", "say"}, {"text", "Pictures come as JPEG, because " + why + "."}}), false, "codec");
            return false;
        }
    }
    if (std::exchange(share_, job.share) != job.share) video_->setBitRate(bitRate(job.share));
    deliver(hub_, head, [&](PictureHead& to, std::string& bytes) {
        to.codec = Codec::h264;
        video_->encode(*job.picture, job.key || other, to, bytes);
    });
    return true;
}

void EncodeThread::run() {
    while (const std::optional<Hub::Job> job = hub_.awaitJob()) {
        try {
            if (job->video && !encodeVideo(*job)) hub_.noVideo();
            if (job->jpeg || job->still)
                deliver(hub_, job->picture->head, [&](PictureHead& head, std::string& bytes) {
                    head.codec = Codec::jpeg;
                    head.still = job->still;
                    encodeJpeg(*job->picture, bytes);
                });
        } catch (const std::exception& error) {
            // Once more with a new encoder, then JPEG alone; the run continues.
            std::fprintf(stderr, "gravlab: a picture for browsers failed: %s\n", error.what());
            video_.reset();
            if (++failures_ > 1) hub_.noVideo();
        }
    }
}

}  // namespace gravlab
