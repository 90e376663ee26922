// Real sockets of a served run on this machine: what a browser and an attacker see. Only in builds with `gravlab serve`.
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
    /// Sends bytes to the port and returns what comes back until the end.
    std::string raw(const std::string& bytes) const {
        const int at = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons(wire->port());
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(connect(at, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
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
    EXPECT_THAT(endOf("\1\2\3", true), HasSubstr("no message"));
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
