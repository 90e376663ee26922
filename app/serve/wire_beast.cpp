// The only file that knows Boost. One thread runs all sockets.
#include "app/serve/wire.h"

#include "app/serve/protocol.h"
#include "sim/api/errors.h"

#include <utility>  // Boost 1.74 forgets it

#include <boost/asio.hpp>
#include <boost/beast.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <thread>

namespace gravlab {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr std::size_t kMostHead = 8192, kMostBody = 65536, kMostQueued = std::size_t{8} << 20, kMostConnections = 256;
constexpr auto kHeadLimit = std::chrono::seconds(5);
constexpr auto kTick = std::chrono::milliseconds(100);

struct Shared;

/// What pages of this program may do: load nothing from elsewhere, and be shown in no foreign frame.
void secure(Response& response) {
    response.set("Content-Security-Policy",
                 "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
                 "img-src 'self' blob: data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cache-Control", "no-store");
}

/// A connection: a request of HTTP, or a WebSocket from then on.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(tcp::socket socket, ConnectionId id, Shared& shared) : stream_(std::move(socket)), id_(id), shared_(shared) {}
    void begin();
    void send(Bytes bytes, bool binary);
    void answer(int status, std::string json);
    void close(std::uint16_t code, const std::string& why);

private:
    using Socket = beast::websocket::stream<beast::tcp_stream>;
    void readHead();
    void take();
    void reply(http::status status, std::string_view type, std::string body);
    void accept(Request request);
    void read();
    void write();
    void end();
    template <class Act>
    void refuse(Act act);

    beast::tcp_stream stream_;
    const ConnectionId id_;
    Shared& shared_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::string_body>> parser_;
    std::optional<Response> response_;
    std::optional<Socket> socket_;
    bool open_ = false, closing_ = false, writing_ = false;
    asio::ip::address address_;
    std::deque<std::pair<Bytes, bool>> queue_;
    std::size_t queued_ = 0;
};

struct Shared {
    Shared(const WireSettings& s, std::string_view p, WireHandler& h) : settings(s), page(p), handler(h) {}
    const WireSettings settings;
    const std::string_view page;
    WireHandler& handler;
    asio::io_context context{1};
    std::map<ConnectionId, std::weak_ptr<Connection>> all;
    std::map<asio::ip::address, int> wrong;  ///< secrets in this minute
};

void Connection::begin() {
    beast::error_code ignored;
    stream_.socket().set_option(tcp::no_delay(true), ignored);
    // What is late must wait here, where newer pictures can replace it, and not in the kernel.
    stream_.socket().set_option(asio::socket_base::send_buffer_size(512 * 1024), ignored);
#ifdef TCP_NOTSENT_LOWAT
    stream_.socket().set_option(asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>(128 * 1024), ignored);
#endif
    if (const tcp::endpoint from = stream_.socket().remote_endpoint(ignored); !ignored) address_ = from.address();
    readHead();
}

/// Does it after a second where this address has sent more than a few wrong secrets in a minute. It is not shut out, because
/// a class may share one address.
template <class Act>
void Connection::refuse(Act act) {
    constexpr int kFew = 5;
    if (++shared_.wrong[address_] <= kFew) return act();
    const auto pause = std::make_shared<asio::steady_timer>(shared_.context, std::chrono::seconds(1));
    pause->async_wait([self = shared_from_this(), pause, act](beast::error_code) { act(); });
}

void Connection::readHead() {
    parser_.emplace();
    parser_->header_limit(kMostHead);
    parser_->body_limit(kMostBody);
    stream_.expires_after(kHeadLimit);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
        if (error) return self->end();
        self->stream_.expires_never();
        self->take();
    });
}

void Connection::take() {
    Request request = parser_->release();
    const auto view = [&](auto field) { return std::string_view(request[field].data(), request[field].size()); };
    const std::string target(request.target().data(), request.target().size());
    if (const std::string why = refusedByNames(shared_.settings, view(http::field::host), view(http::field::origin));
        !why.empty())
        return reply(http::status::forbidden, "text/plain", why + "\n");
    const std::string path = target.substr(0, target.find('?'));
    if (beast::websocket::is_upgrade(request)) return accept(std::move(request));
    if (request.method() == http::verb::get && (path == "/" || path == "/index.html"))
        return reply(http::status::ok, "text/html; charset=utf-8", std::string(shared_.page));
    if (request.method() == http::verb::post && path == "/rpc") {
        const std::string_view given = view(http::field::authorization);
        constexpr std::string_view kBearer = "Bearer ";
        // A client that leaves before the answer is noticed, and this object lives until then.
        stream_.async_read_some(buffer_.prepare(1), [self = shared_from_this()](beast::error_code, std::size_t) {
            if (!self->response_) self->end();
        });
        open_ = true;
        return shared_.handler.called(id_, given.starts_with(kBearer) ? given.substr(kBearer.size()) : std::string_view(),
                                      request.body());
    }
    reply(http::status::not_found, "text/plain", "there is only the page\n");
}

void Connection::reply(http::status status, std::string_view type, std::string body) {
    response_.emplace(status, 11);
    response_->set(http::field::content_type, boost::string_view(type.data(), type.size()));
    secure(*response_);
    response_->keep_alive(false);
    response_->body() = std::move(body);
    response_->prepare_payload();
    stream_.expires_after(std::chrono::seconds(30));
    http::async_write(stream_, *response_, [self = shared_from_this()](beast::error_code, std::size_t) { self->end(); });
}

void Connection::answer(int status, std::string json) {
    const auto act = [this, status, json = std::move(json)] {
        if (!socket_ && !response_) reply(static_cast<http::status>(status), "application/json", json);
    };
    status == 401 ? refuse(act) : act();
}

void Connection::accept(Request request) {
    socket_.emplace(std::move(stream_));
    beast::websocket::stream_base::timeout limits =
        beast::websocket::stream_base::timeout::suggested(beast::role_type::server);
    limits.handshake_timeout = kHeadLimit;
    limits.idle_timeout = std::chrono::seconds(60);
    limits.keep_alive_pings = true;
    socket_->set_option(limits);
    socket_->read_message_max(kMostBody);
    socket_->auto_fragment(false);
    socket_->set_option(beast::websocket::stream_base::decorator([](beast::websocket::response_type& response) {
        response.set(http::field::sec_websocket_protocol, kServeProtocol);
    }));
    const auto protocol = request[http::field::sec_websocket_protocol];
    const bool known = std::string_view(protocol.data(), protocol.size()) == kServeProtocol;
    socket_->async_accept(request, [self = shared_from_this(), known](beast::error_code error) {
        if (error) return self->end();
        if (!known) return self->close(4001, "this page and the program are of different versions; load the page again");
        self->open_ = true;
        self->shared_.handler.opened(self->id_);
        self->read();
    });
}

void Connection::read() {
    socket_->async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
        if (error) return self->end();
        const auto bytes = self->buffer_.cdata();
        if (!self->closing_)
            self->shared_.handler.message(self->id_, {static_cast<const char*>(bytes.data()), bytes.size()},
                                          self->socket_->got_binary());
        self->buffer_.consume(self->buffer_.size());
        self->read();
    });
}

void Connection::send(Bytes bytes, bool binary) {
    if (!open_ || closing_) return;
    queued_ += bytes->size();
    if (queued_ > kMostQueued) return end();  // it does not read
    queue_.emplace_back(std::move(bytes), binary);
    if (!writing_) write();
}

void Connection::write() {
    writing_ = true;
    const auto& [bytes, binary] = queue_.front();
    socket_->binary(binary);
    socket_->async_write(asio::buffer(*bytes), [self = shared_from_this()](beast::error_code error, std::size_t) {
        self->writing_ = false;
        if (error) return self->end();
        self->queued_ -= self->queue_.front().first->size();
        self->queue_.pop_front();
        if (!self->queue_.empty()) self->write();
    });
}

void Connection::close(std::uint16_t code, const std::string& why) {
    if (!socket_ || std::exchange(closing_, true)) return;
    const auto act = [this, code, reason = why.substr(0, 120)] {
        socket_->async_close({static_cast<beast::websocket::close_code>(code), reason},
                             [self = shared_from_this()](beast::error_code) { self->end(); });
    };
    code == kForbidden ? refuse(act) : act();
}

void Connection::end() {
    beast::error_code ignored;
    beast::get_lowest_layer(socket_ ? socket_->next_layer() : stream_).socket().close(ignored);
    if (std::exchange(open_, false)) shared_.handler.closed(id_);
    shared_.all.erase(id_);
}

class BeastWire final : public Wire {
public:
    BeastWire(const WireSettings& settings, std::string_view page, WireHandler& handler)
        : shared_(settings, page, handler), acceptor_(shared_.context), timer_(shared_.context) {
        const std::string where = settings.listen + ":" + std::to_string(settings.port);
        beast::error_code error;
        const auto address = asio::ip::make_address(settings.listen, error);
        if (error) throw UsageError("--listen '" + settings.listen + "' is no address of this machine, such as 127.0.0.1");
        const tcp::endpoint endpoint(address, settings.port);
        acceptor_.open(endpoint.protocol(), error);
        if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
        if (!error) acceptor_.bind(endpoint, error);
        if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
        if (error) throw IoError("cannot listen at " + where + " (" + error.message() + "); --port 0 takes a free port");
        port_ = acceptor_.local_endpoint().port();
        accept();
        tick();
        thread_ = std::thread([this] { shared_.context.run(); });
    }
    ~BeastWire() override {
        shared_.context.stop();
        thread_.join();
    }
    std::uint16_t port() const override { return port_; }
    void send(ConnectionId id, Bytes bytes, bool binary) override {
        with(id, [bytes = std::move(bytes), binary](Connection& one) { one.send(bytes, binary); });
    }
    void close(ConnectionId id, std::uint16_t code, std::string why) override {
        with(id, [code, why = std::move(why)](Connection& one) { one.close(code, why); });
    }
    void answer(ConnectionId id, int status, std::string json) override {
        with(id, [status, json = std::move(json)](Connection& one) { one.answer(status, json); });
    }

private:
    template <class Act>
    void with(ConnectionId id, Act act) {
        asio::post(shared_.context, [this, id, act = std::move(act)] {
            const auto found = shared_.all.find(id);
            if (found == shared_.all.end()) return;
            if (const auto one = found->second.lock()) act(*one);
        });
    }
    void accept() {
        acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
            if (!error && shared_.all.size() < kMostConnections) {
                const auto one = std::make_shared<Connection>(std::move(socket), ++last_, shared_);
                shared_.all[last_] = one;
                one->begin();
            }
            if (error == asio::error::operation_aborted) return;
            if (!error) return accept();
            pause_.expires_after(kTick);  // no descriptors are left
            pause_.async_wait([this](beast::error_code) { accept(); });
        });
    }
    void tick() {
        timer_.expires_after(kTick);
        timer_.async_wait([this](beast::error_code error) {
            if (error) return;
            shared_.handler.tick();
            constexpr std::size_t kTicksOfAMinute = 600, kMostAddresses = 4096;
            if (++ticks_ % kTicksOfAMinute == 0 || shared_.wrong.size() > kMostAddresses) shared_.wrong.clear();
            tick();
        });
    }

    Shared shared_;
    tcp::acceptor acceptor_;
    asio::steady_timer timer_, pause_{shared_.context};
    std::uint16_t port_ = 0;
    ConnectionId last_ = 0;
    std::size_t ticks_ = 0;
    std::thread thread_;
};

class BeastClient final : public WireClient {
public:
    BeastClient(std::uint16_t port, const std::string& host, const std::string& origin) {
        try {
            beast::get_lowest_layer(socket_).connect({asio::ip::make_address("127.0.0.1"), port});
            beast::get_lowest_layer(socket_).set_option(tcp::no_delay(true));
            socket_.set_option(beast::websocket::stream_base::decorator([&](beast::websocket::request_type& request) {
                request.set(http::field::sec_websocket_protocol, kServeProtocol);
                if (!origin.empty()) request.set(http::field::origin, origin);
            }));
            socket_.handshake(host.empty() ? "127.0.0.1:" + std::to_string(port) : host, "/ws");
            socket_.read_message_max(std::size_t{64} << 20);
        } catch (const std::exception& error) {
            throw IoError(std::string("no connection to the run (") + error.what() + ")");
        }
    }
    void send(std::string_view bytes, bool binary) override {
        beast::error_code error;
        socket_.binary(binary);
        socket_.write(asio::buffer(bytes.data(), bytes.size()), error);
    }
    bool receive(std::string& bytes, bool& binary) override {
        beast::flat_buffer buffer;
        beast::error_code error;
        socket_.read(buffer, error);
        if (error) {
            const auto& reason = socket_.reason();
            bytes = reason.reason.empty() ? error.message() : std::string(reason.reason.c_str());
            return false;
        }
        binary = socket_.got_binary();
        bytes.assign(static_cast<const char*>(buffer.cdata().data()), buffer.size());
        return true;
    }
    void close() override {
        beast::error_code ignored;
        beast::get_lowest_layer(socket_).shutdown(tcp::socket::shutdown_both, ignored);
    }

private:
    asio::io_context context_;
    beast::websocket::stream<tcp::socket> socket_{context_};
};

}  // namespace

std::unique_ptr<Wire> openWire(const WireSettings& settings, std::string_view page, WireHandler& handler) {
    return std::make_unique<BeastWire>(settings, page, handler);
}

std::unique_ptr<WireClient> connectTo(std::uint16_t port, const std::string& host, const std::string& origin) {
    return std::make_unique<BeastClient>(port, host, origin);
}

}  // namespace gravlab
