#include "app/serve/hub.h"

#include "app/control/json_value.h"
#include "app/system/built_in.h"
#include "sim/api/errors.h"

#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace gravlab {
namespace {

constexpr std::size_t kMostClients = 64, kMostWaiting = 4096, kMostCalls = 64;
constexpr int kMostMessages = 1000;                      // of a client in a second
constexpr double kHelloLimit = 5;                        // [s]
constexpr double kStalled = 4, kLost = 10;               // [s] without an answer
constexpr double kKeyPause = 2, kKeyGathers = 0.1;       // [s] between key pictures; until one is made for all who wait
constexpr double kJpegPause = 1.0 / 20, kBesides = 0.2;  // [s] of a client of JPEG, and of one that waits for a key picture
constexpr double kPointerPause = 1.0 / 30;               // [s]
constexpr std::uint16_t kMalformed = 1002, kFlood = 1008, kSilent = 4008, kEnds = 1001;

}  // namespace

std::string newSecret() {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) throw Error(ExitCode::io, "the system gives no random numbers");
    std::string text;
    for (const unsigned char byte : bytes)
        for (const int half : {byte >> 4, byte & 15}) text += "0123456789abcdef"[half];
    return text;
}

Hub::Hub(HubSettings settings, std::function<double()> clock) : settings_(std::move(settings)), clock_(std::move(clock)) {}

void Hub::attach(Wire* wire) {
    const std::lock_guard lock(mutex_);
    wire_ = wire;
}

void Hub::opened(ConnectionId id) {
    const std::lock_guard lock(mutex_);
    if (clients_.size() >= kMostClients) return wire_->close(id, kFlood, "64 browsers are connected already");
    clients_[id].openedAt = clock_();
}

void Hub::closed(ConnectionId id) {
    const std::lock_guard lock(mutex_);
    callers_.erase(id);
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    const std::uint32_t person = found->second.person;
    clients_.erase(found);
    if (person == 0) return;
    people_.leave(person, clock_());
    if (person == people_.driver()) arrived_.events.push_back(FocusEvent{false});  // keys and buttons are up
    sendPeople();
    encodes_.notify_one();
}

void Hub::sendText(ConnectionId id, const std::string& json) {
    wire_->send(id, std::make_shared<const std::string>(json), false);
}

void Hub::message(ConnectionId id, std::string_view bytes, bool binary) {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(id);
    if (found == clients_.end() || ended_) return;
    Client& client = found->second;
    const double now = clock_();
    if (now - client.countedAt >= 1) client.messages = 0, client.countedAt = now;
    if (++client.messages > kMostMessages) return wire_->close(id, kFlood, "too many messages");
    try {
        if (binary) throw UsageError("a message is text");
        act(id, client, parseMessage(bytes));
    } catch (const UsageError& error) {
        wire_->close(id, kMalformed, error.what());
    }
}

void Hub::act(ConnectionId id, Client& client, const Message& message) {
    const double now = clock_();
    if (const auto* hello = std::get_if<Hello>(&message)) {
        const bool host = equalSecrets(hello->token, settings_.driveToken);
        if (client.person != 0 || (!host && !equalSecrets(hello->token, settings_.watchToken)))
            return wire_->close(id, kForbidden,
                                "the address is not that of this run; take the one that the program prints now");
        const Person& person = people_.enter(host, hello->name, hello->seat, newSecret(), now);
        client.person = person.id;
        client.host = host;
        client.video = hello->video && !noVideo_;
        client.gatedAt = now;
        const nlohmann::ordered_json welcome{{"t", "welcome"},      {"id", person.id},      {"host", host},
                                             {"seat", person.seat}, {"version", version()}, {"class", settings_.classroom}};
        sendText(id, jsonLine(welcome));
        for (const auto& [kind, json] : kept_) sendText(id, json);
        if (!items_.empty()) {
            std::string all;
            for (const auto& [name, json] : items_) all += (all.empty() ? "" : ",") + json;
            sendText(id, R"({"t":"items","set":[)" + all + "]}");
        }
        handed();
        sendPeople();
        encodes_.notify_one();
        frames_.notify_one();
        return;
    }
    if (client.person == 0) return wire_->close(id, kForbidden, "the first message says who connects");
    const bool drives = client.person == people_.driver();
    if (const auto* batch = std::get_if<InputBatch>(&message)) {
        if (!drives) return;
        // In a long step of the frame loop the older ones are lost, and keys and buttons are up.
        if (arrived_.events.size() > kMostWaiting) arrived_.events = {FocusEvent{false}};
        arrived_.events.insert(arrived_.events.end(), batch->events.begin(), batch->events.end());
        arrived_.echo = batch->number;
        frames_.notify_one();
        const auto moved = std::ranges::find_if(batch->events, [](const InputEvent& event) {
            const auto* pointer = std::get_if<PointerEvent>(&event);
            return pointer && pointer->change == PointerEvent::Change::move;
        });
        if (moved == batch->events.end() || now - pointerAt_ < kPointerPause) return;
        pointerAt_ = now;
        const glm::vec2 at = std::get<PointerEvent>(*moved).at;
        const std::string json = jsonLine({{"t", "pointer"}, {"x", at.x}, {"y", at.y}});
        for (const auto& [other, one] : clients_)
            if (other != id && one.person != 0) sendText(other, json);
    } else if (const auto* size = std::get_if<SizeWish>(&message)) {
        client.size = *size;
        if (drives) arrived_.size = *size, frames_.notify_one();
    } else if (const auto* visible = std::get_if<Visible>(&message)) {
        if (!std::exchange(client.visible, visible->on) && visible->on) client.gated = true, client.gatedAt = now;
        encodes_.notify_one();
        frames_.notify_one();
    } else if (const auto* shown = std::get_if<Shown>(&message)) {
        client.flow.acked(shown->frame, now);
        offerStill(id, client);
        encodes_.notify_one();
    } else if (const auto* pasted = std::get_if<Pasted>(&message)) {
        if (drives) arrived_.pasted = pasted->text;
    } else if (const auto* wheel = std::get_if<WheelWish>(&message)) {
        using What = WheelWish::What;
        const bool changed = wheel->what == What::ask    ? people_.ask(client.person)
                             : wheel->what == What::give ? people_.give(client.person, wheel->to)
                                                         : people_.takeWheel(client.person);
        if (!changed) return;
        if (wheel->what != What::ask) arrived_.events.push_back(FocusEvent{false});
        handed();
        sendPeople();
    } else if (const auto* call = std::get_if<RpcCall>(&message)) {
        if (arrived_.calls.size() >= kMostCalls)
            return sendText(id, rpcError(call->id, kRpcRefused, "64 calls wait already"));
        arrived_.calls.push_back({id, false, client.host || drives, *call});
        callers_.insert(id);
        frames_.notify_one();
    }
}

void Hub::called(ConnectionId id, std::string_view token, std::string_view body) {
    const std::lock_guard lock(mutex_);
    const bool host = equalSecrets(token, settings_.driveToken);
    if (!host && !equalSecrets(token, settings_.watchToken)) return wire_->answer(id, 401, {});
    try {
        if (ended_ || arrived_.calls.size() >= kMostCalls) return wire_->answer(id, 503, {});
        arrived_.calls.push_back({id, true, host, parseCall(body)});
        callers_.insert(id);
        frames_.notify_one();
    } catch (const UsageError& error) {
        wire_->answer(id, 400, rpcError("null", kRpcMalformed, error.what()));
    }
}

/// The picture has the size that the driver's page wants.
void Hub::handed() {
    for (auto& [id, client] : clients_) {
        client.flow.watches = client.person != people_.driver();
        if (!client.flow.watches && client.person != 0 && client.size) arrived_.size = client.size;
    }
    frames_.notify_one();
}

void Hub::sendPeople() {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Person& one : people_.all())
        list.push_back(
            {{"id", one.id}, {"name", one.name}, {"host", one.host}, {"asks", one.asks}, {"away", one.left >= 0}});
    const std::string json = jsonLine({{"t", "people"}, {"driver", people_.driver()}, {"list", list}});
    for (const auto& [id, client] : clients_)
        if (client.person != 0) sendText(id, json);
}

void Hub::tick() {
    const std::lock_guard lock(mutex_);
    const double now = clock_();
    if (people_.update(now)) handed(), sendPeople();
    for (auto& [id, client] : clients_) {
        if (client.person == 0 && now - client.openedAt > kHelloLimit)
            wire_->close(id, kForbidden, "nobody has said who connects");
        if (client.flow.age(now) > kLost) wire_->close(id, kSilent, "this page has shown no picture for ten seconds");
        if (client.flow.age(now) > kStalled && !client.gated) client.gated = true, client.gatedAt = now;
    }
    encodes_.notify_one();
}

bool Hub::await(double seconds, double pause) {
    std::unique_lock lock(mutex_);
    const double begun = clock_();
    const auto span = [](double s) { return std::chrono::duration<double>(std::max(s, 0.0)); };
    const bool any = frames_.wait_for(lock, span(seconds), [&] { return arrived_.any(); });
    lock.unlock();
    if (any) std::this_thread::sleep_for(span(begun + std::min(pause, seconds) - clock_()));
    return any;
}

Hub::Arrived Hub::take() {
    const std::lock_guard lock(mutex_);
    const std::uint32_t echo = arrived_.echo;
    Arrived all = std::exchange(arrived_, {});
    arrived_.echo = echo;
    return all;
}

void Hub::answer(const Call& call, const std::string& json) {
    const std::lock_guard lock(mutex_);
    if (call.http)
        wire_->answer(call.connection, 200, json);
    else if (clients_.contains(call.connection))
        sendText(call.connection, json);
}

bool Hub::waits(const Call& call) const {
    const std::lock_guard lock(mutex_);
    return callers_.contains(call.connection);
}

void Hub::say(const std::string& json, bool driverAlone, const std::string& kept) {
    const std::lock_guard lock(mutex_);
    if (!kept.empty() && std::exchange(kept_[kept], json) == json) return;
    for (const auto& [id, client] : clients_)
        if (client.person != 0 && (!driverAlone || client.person == people_.driver())) sendText(id, json);
}

void Hub::show(std::map<std::string, std::string> items) {
    const std::lock_guard lock(mutex_);
    std::string set, gone;
    for (const auto& [name, json] : items)
        if (const auto before = items_.find(name); before == items_.end() || before->second != json)
            set += (set.empty() ? "" : ",") + json;
    for (const auto& [name, json] : items_)
        if (!items.contains(name)) gone += (gone.empty() ? "" : ",") + jsonLine(name);
    if (set.empty() && gone.empty()) return;
    items_ = std::move(items);
    for (const auto& [id, client] : clients_)
        if (client.person != 0) sendText(id, R"({"t":"items","set":[)" + set + R"(],"gone":[)" + gone + "]}");
}

bool Hub::hostDrives() const {
    const std::lock_guard lock(mutex_);
    return people_.driverIsHost();
}

bool Hub::watched() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(clients_, [](const auto& one) { return one.second.person != 0 && one.second.visible; });
}

void Hub::give(std::shared_ptr<RawPicture> picture) {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, client] : clients_)
        if (client.person != 0 && client.person == people_.driver() && client.video && client.visible)
            rate_.drawn(newest_ && client.shown == newest_->head.frame, client.flow.room(clock_()), clock_());
    newest_ = std::move(picture);
    restless_ = nullptr;
    still_ = nullptr;
    encodes_.notify_one();
}

void Hub::giveStill(std::shared_ptr<RawPicture> still) {
    const std::lock_guard lock(mutex_);
    restless_ = std::move(still);
    encodes_.notify_one();
}

void Hub::end(const std::string& why) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    encodes_.notify_all();
    for (const auto& [id, client] : clients_) wire_->close(id, kEnds, why);
}

bool Hub::wantsJpeg(const Client& client, double now) const {
    if (client.person == 0 || !client.visible || client.shown == newest_->head.frame) return false;
    if (client.video && !client.gated) return false;
    return now - client.jpegAt >= (client.video ? kBesides : kJpegPause) && client.flow.room(now);
}

std::optional<Hub::Job> Hub::job() {
    const std::lock_guard lock(mutex_);
    const double now = clock_();
    if (restless_) return Job{.picture = std::exchange(restless_, nullptr), .still = true};
    if (!newest_) return std::nullopt;
    Job job{.picture = newest_, .share = rate_.now()};
    double waits = -1;
    bool streams = false;
    for (const auto& [id, client] : clients_) {
        if (client.person == 0 || !client.visible) continue;
        job.jpeg = job.jpeg || wantsJpeg(client, now);
        if (!client.video) continue;
        if (client.gated && client.flow.empty()) waits = std::max(waits, now - client.gatedAt);
        if (client.gated) continue;
        streams = true;
        job.video = job.video || (newest_->head.frame != videoFrame_ && client.flow.room(now));
    }
    // All clients that wait for a key picture get the same one. Where no client has a stream, it delays none.
    job.key = waits >= 0 && (!streams || (waits >= kKeyGathers && now - keyAt_ >= kKeyPause));
    job.video = job.video || job.key;
    if (!job.video && !job.jpeg) return std::nullopt;
    return job;
}

std::optional<Hub::Job> Hub::awaitJob() {
    constexpr auto kLook = std::chrono::milliseconds(50);
    while (true) {
        if (std::optional<Job> found = job()) return found;
        std::unique_lock lock(mutex_);
        if (ended_) return std::nullopt;
        encodes_.wait_for(lock, kLook);
    }
}

void Hub::send(ConnectionId id, Client& client, const PictureHead& head, const Bytes& bytes) {
    client.flow.sent(head.frame, clock_());
    client.shown = head.frame;
    wire_->send(id, bytes, true);
}

void Hub::offerStill(ConnectionId id, Client& client) {
    if (!still_ || client.person == 0 || !client.visible || client.still == stillHead_.frame || !client.flow.room(clock_()))
        return;
    client.still = stillHead_.frame;
    send(id, client, stillHead_, still_);
}

void Hub::deliver(const PictureHead& head, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    const double now = clock_();
    if (head.still) {
        if (newest_ && newest_->head.frame != head.frame) return;  // it moves again
        stillHead_ = head;
        still_ = std::move(bytes);
        for (auto& [id, client] : clients_) offerStill(id, client);
        return;
    }
    const bool video = head.codec == Codec::h264;
    if (video) videoFrame_ = head.frame;
    if (video && head.key) keyAt_ = now, ++keys_;
    for (auto& [id, client] : clients_) {
        if (client.person == 0 || !client.visible) continue;
        if (!video) {
            if (!wantsJpeg(client, now)) continue;
            client.jpegAt = now;
            send(id, client, head, bytes);
            continue;
        }
        if (!client.video) continue;
        if (head.key && client.gated && client.flow.room(now)) client.gated = false;
        if (client.gated || (settings_.classroom && client.flow.watches && head.layer > 0)) continue;
        if (client.flow.room(now, head.layer == 0)) {
            send(id, client, head, bytes);
        } else if (head.layer == 0) {  // all later pictures need it
            client.gated = true;
            client.gatedAt = now;
        }
    }
}

void Hub::noVideo() {
    const std::lock_guard lock(mutex_);
    noVideo_ = true;
    for (auto& [id, client] : clients_) client.video = false;
}

std::uint64_t Hub::keys() const {
    const std::lock_guard lock(mutex_);
    return keys_;
}

}  // namespace gravlab
