// Real sockets of a served run on this machine: what a browser and an attacker see. Only in builds with `gravlab serve`.
#include "app/serve/codec.h"
#include "app/serve/hub.h"
#include "app/system/host_clock.h"
#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>

namespace gravlab {
namespace {

using testing::HasSubstr;

class ServeWire : public testing::Test {
protected:
    ServeWire() : wire(openWire({.port = 0}, "<p>the page</p>", hub)) { hub.attach(wire.get()); }
    /// Connects to that address of this machine. Returns the socket, or -1 where no program listens.
    int connected(in_addr_t address) const {
        const int at = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons(wire->port());
        place.sin_addr.s_addr = htonl(address);
        if (connect(at, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0) return at;
        close(at);
        return -1;
    }
    /// Sends bytes to the port and returns what comes back until the end.
    std::string raw(const std::string& bytes) const {
        const int at = connected(INADDR_LOOPBACK);
        EXPECT_GE(at, 0);
        EXPECT_EQ(send(at, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
        std::string all;
        char part[4096];
        for (ssize_t got = 0; (got = recv(at, part, sizeof part, 0)) > 0;) all.append(part, static_cast<std::size_t>(got));
        close(at);
        return all;
    }
    std::string request(const std::string& line, const std::string& more = {}) const {
        return raw(line + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + more + "\r\n");
    }
    /// Why the connection ends after these messages.
    std::string endOf(const std::string& first, bool binary = false) const {
        const auto client = connectTo(wire->port());
        client->send(first, binary);
        std::string bytes;
        bool ignored = false;
        while (client->receive(bytes, ignored)) {
        }
        return bytes;
    }
    Hub hub{{"drive", "watch"}, hostClock};
    std::unique_ptr<Wire> wire;
};

TEST_F(ServeWire, thePageIsAllThatIsThere) {
    const std::string page = request("GET /");
    EXPECT_THAT(page, HasSubstr("200 OK"));
    EXPECT_THAT(page, HasSubstr("<p>the page</p>"));
    EXPECT_THAT(page, HasSubstr("Content-Security-Policy: default-src 'none'"));
    for (const char* path : {"GET /../etc/passwd", "GET /rpc", "POST /", "DELETE /"})
        EXPECT_THAT(request(path), HasSubstr("404")) << path;
    EXPECT_THAT(raw("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), HasSubstr("403"));
    EXPECT_THAT(request("GET /", "Origin: http://evil.example\r\n"), HasSubstr("403"));
    EXPECT_THAT(request("GET /", "X: " + std::string(20000, 'x') + "\r\n"), testing::Not(HasSubstr("the page")));
    raw("\x16\x03\x01nonsense\r\n\r\n");
    EXPECT_THAT(raw("POST /rpc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer drivE\r\nContent-Length: 2\r\n\r\n{}"),
                HasSubstr("401"));
    EXPECT_THAT(request("GET /"), HasSubstr("the page")) << "it still answers";
}

TEST_F(ServeWire, strangersAndNoiseAreShutOut) {
    EXPECT_THROW(connectTo(wire->port(), "evil.example"), IoError);
    EXPECT_THROW(connectTo(wire->port(), "", "http://evil.example"), IoError);
    EXPECT_THAT(endOf(R"({"t":"hello","token":"x"})"), HasSubstr("address"));
    EXPECT_THAT(endOf("nonsense"), HasSubstr("no JSON"));
    EXPECT_NE(endOf(std::string(100000, 'x')), "");
    EXPECT_THAT(endOf("\1\2\3", true), HasSubstr("is text"));
}

TEST_F(ServeWire, onlyThisMachineReachesItUsually) {
    EXPECT_EQ(connected(INADDR_LOOPBACK + 1), -1) << "it listens at further addresses than 127.0.0.1";
}

/// The answer to the sixth wrong secret of an address takes a second; others come at once.
TEST_F(ServeWire, manyWrongSecretsAreAnsweredLate) {
    const std::string wrong =
        "POST /rpc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nContent-Length: 2\r\n\r\n{}";
    for (int i = 0; i < 5; ++i) EXPECT_THAT(raw(wrong), HasSubstr("401"));
    const int at = connected(INADDR_LOOPBACK);
    ASSERT_EQ(send(at, wrong.data(), wrong.size(), MSG_NOSIGNAL), static_cast<ssize_t>(wrong.size()));
    for (int i = 0; i < 5; ++i) EXPECT_THAT(request("GET /"), HasSubstr("the page"));
    char byte = 0;
    EXPECT_EQ(recv(at, &byte, 1, MSG_DONTWAIT), -1) << "guesses cost no time";
    close(at);
}

/// A lower bit rate makes smaller pictures in the same stream, which is what slow links need.
TEST(ServeCodec, theBitRateChangesInTheMiddleOfAStream) {
    constexpr int kWidth = 320, kHeight = 240;
    std::string why;
    const auto encoder = openVideo(kWidth, kHeight, 30, 4'000'000, why);
    if (!encoder) GTEST_SKIP() << why;
    RawPicture picture;
    picture.head.width = kWidth;
    picture.head.height = kHeight;
    unsigned noise = 1;
    const auto bytesOf = [&](int pictures) {
        std::size_t all = 0;
        for (int i = 0; i < pictures; ++i) {
            picture.i420.resize(kWidth * kHeight * 3 / 2);
            for (std::uint8_t& one : picture.i420)
                one = static_cast<std::uint8_t>((noise = noise * 1664525u + 1013904223u) >> 26);
            picture.head.captured += 33333;
            PictureHead head = picture.head;
            std::string bytes;
            encoder->encode(picture, false, head, bytes);
            EXPECT_TRUE(head.key == 0 || (i == 0 && picture.head.captured == 33333)) << "a new rate needs no key picture";
            all += bytes.size();
        }
        return all;
    };
    const std::size_t before = bytesOf(15);
    encoder->setBitRate(1'000'000);
    bytesOf(10);  // until the rate has settled
    EXPECT_LT(2 * bytesOf(15), before);
}

TEST_F(ServeWire, aWelcomeAndAnEnd) {
    const auto client = connectTo(wire->port());
    client->send(R"({"t":"hello","token":"drive"})", false);
    std::string bytes;
    bool binary = true;
    ASSERT_TRUE(client->receive(bytes, binary));
    EXPECT_FALSE(binary);
    EXPECT_THAT(bytes, HasSubstr(R"("t":"welcome")"));
    hub.end("the run has ended");
    while (client->receive(bytes, binary)) {
    }
    EXPECT_EQ(bytes, "the run has ended");
}

TEST_F(ServeWire, aTakenPortIsNamed) {
    try {
        openWire({.port = wire->port()}, "", hub);
        FAIL() << "two programs listen at one port";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), HasSubstr(std::to_string(wire->port())));
        EXPECT_THAT(error.what(), HasSubstr("--port 0"));
    }
    EXPECT_THROW(openWire({.listen = "nowhere"}, "", hub), UsageError);
}

}  // namespace
}  // namespace gravlab
