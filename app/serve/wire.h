// Sockets: one port for the page, the calls of programs and the WebSocket of pictures and input. Boost stays in
// wire_beast.cpp. Rule: no thread waits for a socket; functions queue what is to be sent.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

using ConnectionId = std::uint32_t;
using Bytes = std::shared_ptr<const std::string>;
inline constexpr std::uint16_t kForbidden = 4003;  ///< code of a connection that ends for a wrong secret

struct WireSettings {
    std::string listen = "127.0.0.1";
    std::uint16_t port = 7777;           ///< 0: a free one
    std::vector<std::string> hosts{};    ///< further names of this machine, as browsers may call it
    std::vector<std::string> origins{};  ///< pages of other servers that may connect
};

/// Why a request is refused by the names in its head; empty: it is not. A page of another server must not reach this one
/// through its reader's browser, also not by a name that leads here.
std::string refusedByNames(const WireSettings& settings, std::string_view host, std::string_view origin);

/// Receives what happens at sockets, on the wire's thread.
class WireHandler {
public:
    virtual ~WireHandler() = default;
    virtual void opened(ConnectionId id) = 0;
    virtual void message(ConnectionId id, std::string_view bytes, bool binary) = 0;
    /// Also that of a call.
    virtual void closed(ConnectionId id) = 0;
    /// A call of a program; Wire::answer() ends it.
    virtual void called(ConnectionId id, std::string_view token, std::string_view body) = 0;
    /// Ten times a second.
    virtual void tick() = 0;
};

/// Any thread may call it.
class Wire {
public:
    virtual ~Wire() = default;
    virtual std::uint16_t port() const = 0;
    virtual void send(ConnectionId id, Bytes bytes, bool binary) = 0;
    virtual void close(ConnectionId id, std::uint16_t code, std::string why) = 0;
    virtual void answer(ConnectionId id, int status, std::string json) = 0;
};

/// Opens the port and a thread. Throws IoError. `page` is the answer to a browser; the handler must outlive the wire.
std::unique_ptr<Wire> openWire(const WireSettings& settings, std::string_view page, WireHandler& handler);

/// A client of one connection, for tests and measurements. It waits.
class WireClient {
public:
    virtual ~WireClient() = default;
    virtual void send(std::string_view bytes, bool binary) = 0;
    /// The next message; false: the connection has ended, and `bytes` is why.
    virtual bool receive(std::string& bytes, bool& binary) = 0;
    virtual void close() = 0;
};
/// Throws IoError. `host` and `origin` as a browser would send them; empty: as usual, and none.
std::unique_ptr<WireClient> connectTo(std::uint16_t port, const std::string& host = {}, const std::string& origin = {});

}  // namespace gravlab
