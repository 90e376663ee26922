// A served run without sockets and without codecs: links of any kind are scripted, and time is a number.
#include "app/serve/hub.h"
#include "app/serve/people.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ServeProtocol, headsComeBackAsTheyWere) {
    const PictureHead head{.codec = Codec::h264,
                           .key = false,
                           .still = true,
                           .layer = 1,
                           .frame = 0xfedcba98,
                           .echo = 7,
                           .captured = 0x123456789abcdef,
                           .width = 1920,
                           .height = 1080,
                           .bytes = 3,
                           .step = 1ull << 40};
    const std::string bytes = packed(head);
    ASSERT_EQ(bytes.size(), kPictureHead);
    const auto back = pictureHead(bytes + "abc");
    ASSERT_TRUE(back);
    EXPECT_EQ(packed(*back), bytes);
    EXPECT_FALSE(pictureHead(bytes + "ab")) << "a picture that is cut off";
    EXPECT_FALSE(pictureHead(bytes.substr(0, 20)));
    EXPECT_EQ(std::get<Shown>(parseMessage(R"({"t":"shown","frame":4294967295})")).frame, 0xffffffffu);
}

TEST(ServeProtocol, badMessagesAreRefusedInASentence) {
    for (const char* text :
         {"", "3", "{", R"({"t":"nonsense"})", R"({"t":"input","n":1,"events":3})", R"({"t":"input","n":-1,"events":[]})",
          R"({"t":"input","n":1,"events":[3]})", R"({"t":"input","n":1,"events":[{"type":"boo"}]})",
          R"({"t":"hello","token":3})", R"({"t":"wheel","do":"steal"})", R"({"method":""})", R"({"t":"shown","frame":-1})",
          R"({"t":"input","n":1,"events":[{"type":"pointer_move","x":"1"}]})"})
        EXPECT_THROW(parseMessage(text), UsageError) << text;
    EXPECT_THROW(parseMessage(std::string(kLongestMessage + 1, ' ')), UsageError);
    const std::string deep = std::string(32000, '[') + std::string(32000, ']');
    EXPECT_THROW(parseMessage(R"({"method":"do","params":)" + deep + "}"), UsageError) << "it would take the stack";
    const auto batch = std::get<InputBatch>(parseMessage(
        R"({"t":"input","n":4294967295,"events":[{"type":"pointer_down","x":1e30,"y":-1e30,"button":77,"modifiers":255},
            {"type":"key_down","code":"KeyZ","key":"y"},{"type":"text","letters":[97,233,7]}]})"));
    ASSERT_EQ(batch.events.size(), 5u);  // a place comes with each press
    const auto& press = std::get<PointerEvent>(batch.events[1]);
    EXPECT_LE(press.at.x, 32768);
    EXPECT_LE(press.button, 4);
    EXPECT_EQ(std::get<KeyEvent>(batch.events[2]).physical, Key{'Z'});
    EXPECT_EQ(std::get<KeyEvent>(batch.events[2]).printed, Key{'Y'});
    EXPECT_EQ(std::get<TextEvent>(batch.events[4]).letter, 0xe9u);
}

/// Whoever adds a key to the table must be able to press it in a browser.
TEST(ServeProtocol, everyKeyHasACodeInBrowsers) {
    std::map<int, int> coded;
    for (const char* code : {"Space",        "Comma",
                             "Minus",        "Period",
                             "Equal",        "BracketLeft",
                             "BracketRight", "Escape",
                             "Enter",        "Tab",
                             "Backspace",    "Insert",
                             "Delete",       "ArrowRight",
                             "ArrowLeft",    "ArrowDown",
                             "ArrowUp",      "PageUp",
                             "PageDown",     "Home",
                             "End",          "NumpadSubtract",
                             "NumpadAdd",    "NumpadEnter",
                             "F1",           "F2",
                             "F3",           "F4",
                             "F6",           "F10",
                             "F11",          "F12",
                             "Numpad1",      "Numpad9",
                             "ShiftLeft",    "ControlLeft",
                             "AltLeft",      "MetaLeft",
                             "ShiftRight",   "ControlRight",
                             "AltRight",     "MetaRight"})
        EXPECT_NE(keyOfCode(code), Key::none) << code;
    EXPECT_EQ(keyOfCode("Numpad9"), Key::pad9);
    EXPECT_EQ(keyOfCode("F12"), Key::f12);
    EXPECT_EQ(keyOfCode("Digit9"), Key{'9'});
    for (const char* code : {"", "F", "F13", "Key", "Keyq", "Digit", "NumpadX", "IntlBackslash"})
        EXPECT_EQ(keyOfCode(code), Key::none) << code;
}

TEST(ServeProtocol, textOfBytesAndSecrets) {
    EXPECT_EQ(base64("Man"), "TWFu");
    EXPECT_EQ(base64("Ma"), "TWE=");
    EXPECT_EQ(base64("M"), "TQ==");
    EXPECT_EQ(base64(""), "");
    EXPECT_TRUE(equalSecrets("abc", "abc"));
    for (const char* other : {"", "ab", "abd", "abcd"}) EXPECT_FALSE(equalSecrets(other, "abc")) << other;
    const std::string one = newSecret();
    EXPECT_EQ(one.size(), 32u);
    EXPECT_NE(one, newSecret());
}

TEST(ServeNames, othersPagesAndNamesAreRefused) {
    const WireSettings settings{.listen = "192.168.7.7", .hosts = {"lab.example"}, .origins = {"https://hub.example"}};
    EXPECT_THAT(refusedByNames(settings, "127.0.0.1:7777", ""), IsEmpty());
    EXPECT_THAT(refusedByNames(settings, "[::1]:7777", "http://[::1]:7777"), IsEmpty());
    EXPECT_THAT(refusedByNames(settings, "lab.example", "https://lab.example"), IsEmpty());
    EXPECT_THAT(refusedByNames(settings, "192.168.7.7:80", "https://hub.example"), IsEmpty());
    EXPECT_THAT(refusedByNames(settings, "evil.example:7777", ""), HasSubstr("--host-name"));
    EXPECT_THAT(refusedByNames(settings, "127.0.0.1.evil.example", ""), HasSubstr("--host-name"));
    EXPECT_THAT(refusedByNames(settings, "", ""), HasSubstr("--host-name"));
    EXPECT_THAT(refusedByNames(settings, "127.0.0.1:7777", "http://evil.example"), HasSubstr("--origin"));
    EXPECT_THAT(refusedByNames(settings, "127.0.0.1:7777", "http://127.0.0.1:8888"), HasSubstr("--origin"));
    EXPECT_THAT(refusedByNames(settings, "127.0.0.1:7777", "null"), HasSubstr("--origin"));
}

TEST(ServePeople, theWheelIsAskedForGivenAndTaken) {
    People people;
    const std::uint32_t viewer = people.enter(false, "Ada", "", "s1", 0).id;
    EXPECT_EQ(people.driver(), 0u) << "a viewer does not drive by coming first";
    const std::uint32_t host = people.enter(true, "", "", "s2", 0).id;
    EXPECT_EQ(people.driver(), host);
    EXPECT_FALSE(people.give(viewer, viewer));
    EXPECT_FALSE(people.takeWheel(viewer));
    EXPECT_TRUE(people.ask(viewer));
    EXPECT_TRUE(people.give(host, viewer));
    EXPECT_EQ(people.driver(), viewer);
    EXPECT_FALSE(people.driverIsHost());
    EXPECT_TRUE(people.takeWheel(host));
    EXPECT_TRUE(people.driverIsHost());
}

TEST(ServePeople, aSeatIsKeptForHalfAMinute) {
    People people;
    const std::uint32_t host = people.enter(true, "", "", "secret", 0).id;
    EXPECT_NE(people.enter(true, "", "secret", "other", 1).id, host) << "somebody is in that seat";
    people.leave(host, 2);
    EXPECT_NE(people.enter(false, "", "secret", "third", 3).id, host) << "a viewer does not become the host by a seat";
    EXPECT_EQ(people.enter(true, "", "secret", "fourth", 20).id, host);
    EXPECT_EQ(people.driver(), host);
    people.leave(host, 30);
    {
        People others;
        const std::uint32_t first = others.enter(true, "", "", "a", 0).id, second = others.enter(true, "", "", "b", 0).id;
        others.leave(first, 0);
        others.leave(second, 10);
        others.update(31);
        EXPECT_EQ(others.driver(), 0u);
        EXPECT_EQ(others.enter(true, "", "b", "c", 32).id, second);
        EXPECT_EQ(others.driver(), second) << "the only host who is there";
    }
    EXPECT_FALSE(people.update(59));
    EXPECT_TRUE(people.update(61));
    EXPECT_NE(people.driver(), host) << "the other host drives now";
    EXPECT_NE(people.driver(), 0u);
}

/// Clients behind links of a bandwidth and a delay, which answer each picture when it has arrived.
class FakeWire : public Wire {
public:
    struct Link {
        double delay = 0.001, rate = 1e9, free = 0;  ///< [s] there and back, [bit/s], and when the line is free [s]
        double decodes = 0;                          ///< [s] for each picture, one after the other
        bool stopped = false;
        std::deque<std::pair<double, std::uint32_t>> answers = {};
        std::vector<PictureHead> got = {};
        std::vector<double> ages = {};
        std::vector<std::string> texts = {};
        int closed = 0;
    };
    std::uint16_t port() const override { return 1; }
    void send(ConnectionId id, Bytes bytes, bool binary) override {
        Link& link = links[id];
        if (!binary) return link.texts.push_back(*bytes);
        const auto head = pictureHead(*bytes);
        ASSERT_TRUE(head);
        link.free = std::max(link.free, now) + 8 * static_cast<double>(bytes->size()) / link.rate + link.decodes;
        link.ages.push_back(link.free + link.delay / 2 - now);
        link.got.push_back(*head);
        if (!link.stopped) link.answers.emplace_back(link.free + link.delay, head->frame);
    }
    void close(ConnectionId id, std::uint16_t code, std::string) override { links[id].closed = code; }
    void answer(ConnectionId, int status, std::string) override { answered = status; }
    double now = 0;
    int answered = 0;
    std::map<ConnectionId, Link> links;
};

class ServeHub : public testing::Test {
protected:
    ServeHub() { hub.attach(&wire); }
    void join(ConnectionId id, const std::string& token, bool video = true) {
        hub.opened(id);
        say(id, R"({"t":"hello","token":")" + token + R"(","video":)" + (video ? "true}" : "false}"));
    }
    void shown(ConnectionId id, std::uint32_t frame) { say(id, R"({"t":"shown","frame":)" + std::to_string(frame) + "}"); }
    void say(ConnectionId id, const std::string& text) { hub.message(id, text, false); }
    /// Draws 60 pictures per second for that time. The encoder takes no time, so it leaves none out.
    void run(double seconds, std::size_t bytes = 40000) {
        constexpr double kStep = 1e-3;
        for (const double end = wire.now + seconds; wire.now < end; wire.now += kStep) {
            if (wire.now >= due_) {
                due_ += 1.0 / 60;
                auto picture = std::make_shared<RawPicture>();
                picture->head = {.frame = ++frame_, .width = 640, .height = 360};
                hub.give(picture);
            }
            while (const auto job = hub.job()) {
                PictureHead head = job->picture->head;
                share = job->share;
                if (job->video)
                    deliver(head, Codec::h264, job->key, static_cast<std::size_t>(share * static_cast<double>(bytes)));
                if (job->jpeg) deliver(head, Codec::jpeg, true, 4 * bytes);
            }
            if (tick_ <= wire.now) tick_ += 0.1, hub.tick();
            for (auto& [id, link] : wire.links)
                while (!link.answers.empty() && link.answers.front().first <= wire.now) {
                    shown(id, link.answers.front().second);
                    link.answers.pop_front();
                }
        }
    }
    double rate(ConnectionId id, double seconds) const {
        return static_cast<double>(wire.links.at(id).got.size()) / seconds;
    }
    void forget() {
        for (auto& [id, link] : wire.links) link.got.clear(), link.ages.clear();
    }

    FakeWire wire;
    Hub hub{{"drive", "watch"}, [this] { return wire.now; }};
    double share = 1;

private:
    void deliver(PictureHead head, Codec codec, bool key, std::size_t bytes) {
        head.codec = codec;
        head.key = key;
        if (codec == Codec::h264) head.layer = key ? 0 : static_cast<std::uint8_t>(layer_ ^= 1);
        if (codec == Codec::h264 && key) layer_ = 0;
        head.bytes = static_cast<std::uint32_t>(bytes);
        hub.deliver(head, std::make_shared<const std::string>(packed(head) + std::string(bytes, 'x')));
    }
    std::uint32_t frame_ = 0;
    int layer_ = 0;
    double due_ = 0, tick_ = 0;
};

TEST_F(ServeHub, aFastLinkGetsEveryPictureAndOneKey) {
    join(1, "drive");
    run(2);
    EXPECT_GT(rate(1, 2), 58);
    EXPECT_EQ(hub.keys(), 1u);
    EXPECT_TRUE(wire.links[1].got.front().key);
}

TEST_F(ServeHub, aLongStepLeavesNoButtonDown) {
    join(1, "drive");
    say(1, R"({"t":"input","n":1,"events":[{"type":"pointer_down","x":1,"y":1}]})");
    std::string moves;
    for (int i = 0; i < 250; ++i) moves += (i == 0 ? "" : ",") + std::string(R"({"type":"pointer_move","x":1,"y":1})");
    for (int i = 0; i < 30; ++i) say(1, R"({"t":"input","n":2,"events":[)" + moves + "]}");
    say(1, R"({"t":"input","n":3,"events":[{"type":"pointer_up","x":1,"y":1}]})");
    const std::vector<InputEvent> events = hub.take().events;
    EXPECT_LT(events.size(), 5000u);
    EXPECT_EQ(std::get<PointerEvent>(events.back()).change, PointerEvent::Change::release);
}

TEST_F(ServeHub, aLongLinkGetsAlmostAll) {
    join(1, "drive");
    wire.links[1].delay = 0.1;
    run(1);
    forget();
    run(3);
    EXPECT_GT(rate(1, 3), 50) << "two pictures under way would be 20 per second";
}

TEST_F(ServeHub, aSlowLinkGetsFewerPicturesAndNoOldOnes) {
    join(1, "drive");
    wire.links[1].rate = 3e6;  // nine of these a second
    run(3);
    forget();
    run(5);
    EXPECT_GT(rate(1, 5), 7);
    EXPECT_LT(*std::ranges::max_element(wire.links[1].ages), 0.5);
    EXPECT_LE(hub.keys(), 3u) << "the encoder waits for the only client";
}

/// Fewer bits in each picture, and so more pictures; and all of them again on a better link.
TEST_F(ServeHub, theBitRateFollowsTheLinkOfTheDriver) {
    join(1, "drive");
    join(2, "watch");
    wire.links[1].rate = wire.links[2].rate = 8e6;  // of 19.2e6
    run(8);
    forget();
    run(8);
    EXPECT_GT(rate(1, 8), 50);
    EXPECT_LT(share, 0.5);
    wire.links[1].rate = 1e9;
    run(60);
    EXPECT_EQ(share, 1) << "a viewer on a slow link takes no bits from the others";
}

TEST_F(ServeHub, aPageThatDecodesTooSlowlyKeepsItsBits) {
    join(1, "drive");
    wire.links[1].decodes = 1.0 / 30;
    run(20);
    EXPECT_EQ(share, 1);
}

/// The others notice nothing, and pay for few key pictures.
TEST_F(ServeHub, aSlowViewerHarmsNobody) {
    join(1, "drive");
    for (ConnectionId id = 2; id < 8; ++id) join(id, "watch");
    wire.links[7].rate = 3e6;
    wire.links[6].stopped = true;
    run(3);
    forget();
    const std::uint64_t keys = hub.keys();
    run(5);
    for (ConnectionId id = 1; id < 6; ++id) EXPECT_GT(rate(id, 5), 58) << id;
    EXPECT_GT(rate(7, 5), 2);
    EXPECT_LT(*std::ranges::max_element(wire.links[7].ages), 1.0);
    EXPECT_LE(hub.keys() - keys, 3u);
    run(6);
    EXPECT_EQ(wire.links[6].closed, 4008);
    EXPECT_LT(wire.links[6].got.size(), 5u);
}

/// What is sent to a client can be decoded: after a gap of what later pictures need, a key comes first.
TEST_F(ServeHub, noPictureOfAStreamIsMissing) {
    join(1, "drive");
    join(2, "watch");
    wire.links[2].rate = 8e6;
    run(6);
    for (const ConnectionId id : {1u, 2u}) {
        std::map<std::uint32_t, PictureHead> base;
        for (const PictureHead& head : wire.links[1].got)
            if (head.codec == Codec::h264 && head.layer == 0) base[head.frame] = head;
        std::uint32_t last = 0;
        for (const PictureHead& head : wire.links[id].got) {
            if (head.codec != Codec::h264) continue;
            if (!head.key) {
                ASSERT_NE(last, 0u);
                const auto next = base.upper_bound(last);
                EXPECT_TRUE(next == base.end() || next->first >= head.frame)
                    << id << ": " << head.frame << " after " << last;
            }
            if (head.layer == 0) last = head.frame;
        }
    }
}

TEST_F(ServeHub, aPageWithoutADecoderGetsJpeg) {
    join(1, "drive", false);
    run(2);
    EXPECT_GT(rate(1, 2), 15);
    EXPECT_LT(rate(1, 2), 22);
    EXPECT_EQ(hub.keys(), 0u);
    say(1, R"({"t":"visible","on":false})");
    forget();
    run(1);
    EXPECT_THAT(wire.links[1].got, IsEmpty()) << "nobody sees it";
}

TEST_F(ServeHub, onlyTheDriverDrives) {
    join(1, "drive");
    join(2, "watch");
    const char* wheel = R"({"t":"input","n":9,"events":[{"type":"wheel","dy":1}]})";
    say(2, wheel);
    say(2, R"({"t":"size","width":10,"height":10})");
    EXPECT_FALSE(hub.take().size) << "a viewer sets no size";
    EXPECT_THAT(hub.take().events, IsEmpty());
    say(1, wheel);
    const Hub::Arrived arrived = hub.take();
    EXPECT_EQ(arrived.events.size(), 1u);
    EXPECT_EQ(arrived.echo, 9u);
    say(2, R"({"jsonrpc":"2.0","id":1,"method":"do","params":{"line":"do pause"}})");
    ASSERT_EQ(hub.take().calls.size(), 1u);
    say(2, R"({"t":"wheel","do":"ask"})");
    say(1, R"({"t":"wheel","do":"give","to":2})");
    EXPECT_EQ(hub.take().events.size(), 1u) << "keys and buttons of the driver before are up";
    say(2, wheel);
    EXPECT_EQ(hub.take().events.size(), 1u);
    EXPECT_FALSE(hub.hostDrives());
}

TEST_F(ServeHub, whatIsWrongIsClosed) {
    join(1, "drivE");
    EXPECT_EQ(wire.links[1].closed, 4003);
    hub.opened(2);
    say(2, R"({"t":"visible","on":true})");
    EXPECT_EQ(wire.links[2].closed, 4003);
    join(3, "watch");
    say(3, "nonsense");
    EXPECT_EQ(wire.links[3].closed, 1002);
    join(4, "watch");
    hub.message(4, "\1\1\1", true);
    EXPECT_EQ(wire.links[4].closed, 1002);
    join(5, "watch");
    for (int i = 0; i < 1100; ++i) say(5, R"({"t":"visible","on":true})");
    EXPECT_EQ(wire.links[5].closed, 1008);
    hub.opened(6);
    run(6);
    EXPECT_EQ(wire.links[6].closed, 4003) << "nobody has said who connects";
    hub.called(7, "nobody", "{}");
    EXPECT_EQ(wire.answered, 401);
    hub.called(7, "watch", "{");
    EXPECT_EQ(wire.answered, 400);
    hub.called(7, "watch", R"({"id":1,"method":"state"})");
    const auto calls = hub.take().calls;
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_FALSE(calls[0].mayChange);
    EXPECT_TRUE(hub.waits(calls[0]));
    hub.closed(7);
    EXPECT_FALSE(hub.waits(calls[0])) << "its client has left";
}

TEST_F(ServeHub, acksThatLieChangeNothing) {
    join(1, "drive");
    run(1);
    for (const std::uint32_t frame : {0u, 1000000u, 0xffffffffu}) shown(1, frame);
    wire.links[1].stopped = true;
    wire.links[1].answers.clear();
    forget();
    for (int i = 0; i < 50; ++i) shown(1, 0xfffffff0u);
    run(1);
    EXPECT_LT(wire.links[1].got.size(), 12u) << "nothing was shown since";
}

TEST_F(ServeHub, whoComesLaterGetsTheControlsThatAreThere) {
    hub.show({{"a", R"(["a"])"}, {"b", R"(["b"])"}});
    join(1, "watch");
    EXPECT_THAT(wire.links[1].texts, testing::Contains(R"({"t":"items","set":[["a"],["b"]]})"));
    hub.show({{"b", R"(["b",2])"}});
    EXPECT_EQ(wire.links[1].texts.back(), R"({"t":"items","set":[["b",2]],"gone":["a"]})");
    const std::size_t told = wire.links[1].texts.size();
    hub.show({{"b", R"(["b",2])"}});
    EXPECT_EQ(wire.links[1].texts.size(), told) << "nothing has changed";
}

}  // namespace
}  // namespace gravlab
