// The middle of a run in browsers: what clients send goes to the frame loop, and pictures go to the clients that have room.
// Rule: any thread may call it, each call is short, and it knows neither sockets nor codecs nor OpenGL.
#pragma once
#include "app/serve/flow.h"
#include "app/serve/people.h"
#include "app/serve/protocol.h"
#include "app/serve/wire.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gravlab {

/// A drawn picture before it is encoded: planes of 8 bits, full range (BT.601), 4:2:0; sizes are even.
struct RawPicture {
    PictureHead head;  ///< without codec and bytes
    std::vector<std::uint8_t> i420{};
    std::vector<std::uint8_t> rgba{};  ///< of a still: bottom row first
};

struct HubSettings {
    std::string driveToken, watchToken;
    bool classroom = false;  ///< viewers get each second picture at most
};

class Hub final : public WireHandler {
public:
    /// `clock`: [s].
    Hub(HubSettings settings, std::function<double()> clock);
    void attach(Wire* wire);

    // The wire's thread.
    void opened(ConnectionId id) override;
    void message(ConnectionId id, std::string_view bytes, bool binary) override;
    void closed(ConnectionId id) override;
    void called(ConnectionId id, std::string_view token, std::string_view body) override;
    void tick() override;

    // The frame loop.
    struct Call {
        ConnectionId connection = 0;
        bool http = false, mayChange = false;
        RpcCall rpc;
    };
    struct Arrived {
        std::vector<InputEvent> events;
        std::uint32_t echo = 0;  ///< number of the newest of them
        std::vector<Call> calls;
        std::optional<SizeWish> size;
        std::optional<std::string> pasted;
        bool any() const { return !events.empty() || !calls.empty() || size || pasted; }
    };
    /// Waits until something has arrived, `seconds` at most, and then until `pause` is over.
    bool await(double seconds, double pause = 0);
    Arrived take();
    void answer(const Call& call, const std::string& json);
    /// Whether the client of the call is there.
    bool waits(const Call& call) const;
    /// A message for all, or for the driver alone. `kept`: its kind; the newest of a kind also goes to those who come later.
    void say(const std::string& json, bool driverAlone = false, const std::string& kept = {});
    /// The controls of the panels by name, as JSON; clients get what has changed.
    void show(std::map<std::string, std::string> items);
    bool hostDrives() const;
    bool watched() const;  ///< somebody sees the picture
    void give(std::shared_ptr<RawPicture> picture);
    void giveStill(std::shared_ptr<RawPicture> still);
    /// Closes all connections with the reason; no job follows.
    void end(const std::string& why);

    // The encoder.
    struct Job {
        std::shared_ptr<RawPicture> picture;
        bool video = false, key = false, jpeg = false, still = false;
        double share = 1;  ///< of the bit rate
    };
    /// What to encode now, if anything.
    std::optional<Job> job();
    /// Waits for one; empty: the end.
    std::optional<Job> awaitJob();
    void deliver(const PictureHead& head, Bytes bytes);
    /// No video can be made: all clients get JPEG from now on.
    void noVideo();

    std::uint64_t keys() const;  ///< key pictures so far

private:
    struct Client {
        std::uint32_t person = 0;  ///< 0: it has not said who it is
        bool host = false, video = false, visible = true, gated = true;
        Flow flow;
        double gatedAt = 0, jpegAt = -1, openedAt = 0, countedAt = 0;
        int messages = 0;                    ///< since countedAt
        std::uint32_t shown = 0, still = 0;  ///< newest picture and still that it was given
        std::optional<SizeWish> size;
    };
    void act(ConnectionId id, Client& client, const Message& message);
    void send(ConnectionId id, Client& client, const PictureHead& head, const Bytes& bytes);
    void sendText(ConnectionId id, const std::string& json);
    void sendPeople();
    void handed();
    void offerStill(ConnectionId id, Client& client);
    bool wantsJpeg(const Client& client, double now) const;

    const HubSettings settings_;
    const std::function<double()> clock_;
    mutable std::mutex mutex_;
    std::condition_variable frames_, encodes_;
    Wire* wire_ = nullptr;
    std::map<ConnectionId, Client> clients_;
    People people_;
    RateShare rate_;
    std::set<ConnectionId> callers_;  ///< connections that wait for an answer
    Arrived arrived_;
    std::map<std::string, std::string> kept_, items_;
    std::shared_ptr<RawPicture> newest_, restless_;  ///< `restless_`: a still that waits for the encoder
    PictureHead stillHead_;
    Bytes still_;
    std::uint32_t videoFrame_ = 0;  ///< newest that went into the stream
    double keyAt_ = -10, pointerAt_ = -1;
    bool ended_ = false, noVideo_ = false;
    std::uint64_t keys_ = 0;
};

/// Random bytes as text, for tokens and seats.
std::string newSecret();

}  // namespace gravlab
