// What clients of this machine get from a run in browsers: rates, and the time from an input to its decoded picture.
#include "app/serve/codec.h"
#include "app/serve/serve.h"
#include "app/system/host_clock.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

struct Seen {
    int pictures = 0, keys = 0, undecoded = 0;
    std::uint64_t bytes = 0;
    double first = -1;                ///< [s] from the connection to the first picture
    std::vector<double> delays = {};  ///< [s] from an input to its decoded picture
    std::string ended{};
};

/// A client that answers as a page does. The driver decodes, and orbits the camera all the time.
Seen watch(std::uint16_t port, const std::string& token, bool drives, const std::atomic<bool>& stop,
           std::atomic<bool>& shows) {
    Seen seen;
    const double begun = hostClock();
    const auto wire = connectTo(port);
    wire->send(R"({"t":"hello","token":")" + token + R"(","video":true})", false);
    const auto decoder = drives ? openDecoder() : nullptr;
    RawPicture decoded;
    std::uint32_t number = 0, shown = 0;
    std::deque<std::pair<std::uint32_t, double>> inputs;
    const auto turn = [&] {
        const double angle = 0.05 * ++number;
        inputs.emplace_back(number, hostClock());
        wire->send(formatted(R"({"t":"input","n":%u,"events":[{"type":"pointer_move","x":%.0f,"y":%.0f}]})", number,
                             640 + 100 * std::cos(angle), 360 + 100 * std::sin(angle)),
                   false);
    };
    std::string bytes;
    bool binary = false, pressed = false;
    while (!stop && wire->receive(bytes, binary)) {
        const std::optional<PictureHead> head = binary ? pictureHead(bytes) : std::nullopt;
        if (!head) continue;
        if (seen.first < 0) seen.first = hostClock() - begun;
        shows = true;
        ++seen.pictures;
        seen.keys += head->codec == Codec::h264 && head->key;
        seen.bytes += bytes.size();
        if (decoder && head->codec == Codec::h264)
            seen.undecoded += !decoder->decode(std::string_view(bytes).substr(kPictureHead), decoded);
        wire->send(formatted(R"({"t":"shown","frame":%u})", head->frame), false);
        if (!drives) continue;
        if (!std::exchange(pressed, true))
            wire->send(R"({"t":"input","n":0,"events":[{"type":"pointer_down","x":640,"y":360}]})", false);
        while (!inputs.empty() && inputs.front().first <= head->echo) {
            if (inputs.front().first == head->echo) seen.delays.push_back(hostClock() - inputs.front().second);
            inputs.pop_front();
        }
        if (head->echo >= shown) shown = head->echo, turn();
    }
    if (!stop) seen.ended = bytes;
    wire->close();
    std::ranges::sort(seen.delays);
    return seen;
}

double part(const std::vector<double>& sorted, double share) {
    return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

void benchClients(std::uint16_t port, const std::string& drive, const std::string& watchers, int viewers, double seconds) {
    // A signal belongs to the frame loop.
    std::atomic<bool> stop = false, shows = false;
    std::vector<Seen> all(static_cast<std::size_t>(viewers) + 1);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < all.size(); ++i)
        threads.emplace_back([&, i] {
            try {
                // Viewers join a run that is shown already.
                while (i > 0 && !shows && !stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                all[i] = watch(port, i == 0 ? drive : watchers, i == 0, stop, shows);
            } catch (const std::exception& error) {
                all[i].ended = error.what();
            }
        });
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    stop = true;
    for (std::thread& thread : threads) thread.join();
    const Seen& driver = all.front();
    if (driver.delays.empty()) std::printf("no input was answered in %g s, so what follows says nothing\n", seconds);
    std::printf("driver: %.1f pictures/s, %.1f Mbit/s, %d key pictures, %d not decoded, first after %.0f ms\n",
                driver.pictures / seconds, 8e-6 * static_cast<double>(driver.bytes) / seconds, driver.keys, driver.undecoded,
                1e3 * driver.first);
    std::printf("input to decoded picture: p50 %.1f ms, p95 %.1f ms, of %zu\n", 1e3 * part(driver.delays, 0.5),
                1e3 * part(driver.delays, 0.95), driver.delays.size());
    double least = 1e9, most = 0, bytes = 0, first = 0;
    for (const Seen& seen : std::span(all).subspan(1)) {
        least = std::min(least, seen.pictures / seconds);
        most = std::max(most, seen.pictures / seconds);
        bytes += static_cast<double>(seen.bytes);
        first = std::max(first, seen.first);
    }
    if (viewers > 0)
        std::printf("%d viewers: %.1f to %.1f pictures/s, %.1f Mbit/s in all, first after %.0f ms at most\n", viewers, least,
                    most, 8e-6 * bytes / seconds, 1e3 * first);
    for (const Seen& seen : all)
        if (!seen.ended.empty()) std::printf("a client ended: %s\n", seen.ended.c_str());
    std::fflush(stdout);
    std::raise(SIGTERM);
}

}  // namespace gravlab
