#include "app/serve/rpc.h"

#include "app/control/action.h"
#include "app/control/json_value.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/headless/picture_copy.h"
#include "app/parameters/parameter.h"
#include "app/session/session.h"
#include "app/system/host_clock.h"
#include "app/system/picture.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace gravlab {
namespace {

using nlohmann::json;

constexpr std::size_t kMostWait = 32;  // calls of those who watch, who leave as many for others

/// Parameters and actions, from their tables.
std::string schema() {
    nlohmann::ordered_json all{
        {"methods",
         {{"do", "{line}: a line of a script, and its answer"},
          {"state", "{since}: parameters that changed after that revision"},
          {"picture", "{width, height, panels}: a PNG in base64"},
          {"bodies", "{arrays}: bodies of the last complete step in base64, as docs/python.md has them"},
          {"schema", "this"}}}};
    for (const Parameter& row : parameters())
        all["parameters"].push_back({{"path", row.path},
                                     {"label", row.label},
                                     {"unit", row.unit},
                                     {"range", row.fact() ? std::string("measured") : allowedText(row)},
                                     {"default", row.defaultText},
                                     {"idea", row.idea}});
    for (const Menu& menu : menus())
        for (const Action& row : menu.rows)
            all["actions"].push_back({{"name", row.name}, {"label", row.label}, {"idea", row.idea}, {"keys", keyText(row)}});
    return jsonLine(all);
}

}  // namespace

Rpc::Rpc(Session& session, Hub& hub) : session_(session), hub_(hub), memory_(memfd_create("gravlab", MFD_CLOEXEC)) {
    session_.app->reports.files.shared = memory_;
}

Rpc::~Rpc() {
    for (Open& one : open_) one.script->abandon("the program ends");
    close(memory_);
}

/// Those who watch get at most a tenth of the time of the frame loop.
void Rpc::rest(double begun) {
    const double now = hostClock();
    restUntil_ = now + 9 * (now - begun);
}

void Rpc::take(const Hub::Call& call) {
    const auto refuse = [&](int code, const std::string& why) { hub_.answer(call, rpcError(call.rpc.id, code, why)); };
    try {
        const double begun = hostClock();
        if (!call.mayChange && (call.rpc.method == "picture" || call.rpc.method == "bodies")) {
            if (later_.size() >= kMostWait) throw UsageError("too many calls wait already");
            if (begun < restUntil_) return later_.push_back(call);
            restUntil_ = begun + 1;  // bodies come later
        }
        const json params = json::parse(call.rpc.params, nullptr, false);
        const auto text = [&](const char* name) {
            return params.is_object() && params.contains(name) && params[name].is_string() ? params[name].get<std::string>()
                                                                                           : std::string();
        };
        if (call.rpc.method == "do") {
            const std::optional<ScriptLine> line = parseScriptLine(text("line"));
            if (!line) return refuse(kRpcRefused, "do needs {\"line\": TEXT}, a line of a script");
            const bool reads = line->verb == Verb::get || line->verb == Verb::waitFor || line->verb == Verb::waitSeconds ||
                               line->verb == Verb::expect;
            if (!reads && !call.mayChange) return refuse(kRpcWatching, "you are watching; the driver changes the run");
            return begin(call, text("line"), false);
        }
        if (call.rpc.method == "bodies") {
            sharedArraysOf(text("arrays"));
            return begin(call, "do share " + text("arrays"), true);
        }
        std::string result;
        if (call.rpc.method == "state") {
            const bool given = params.is_object() && params.contains("since") && params["since"].is_number_integer();
            result = state(given ? params["since"].get<std::int64_t>() : 0);
        } else if (call.rpc.method == "picture") {
            result = picture(call.rpc.params);
            rest(begun);
        } else if (call.rpc.method == "schema") {
            result = schema();
        } else {
            return refuse(kRpcUnknown, "the methods are do, state, picture, bodies and schema");
        }
        hub_.answer(call, rpcResult(call.rpc.id, result));
    } catch (const DeviceError&) {
        throw;
    } catch (const std::exception& error) {
        refuse(kRpcRefused, error.what());
    }
}

void Rpc::begin(const Hub::Call& call, const std::string& line, bool bodies) {
    if (open_.size() >= (call.mayChange ? 2 : 1) * kMostWait) throw UsageError("too many calls wait already");
    open_.push_back({.call = call, .script = nullptr, .bodies = bodies});
    const std::size_t at = open_.size() - 1;
    const Sender sender{Sender::Kind::socket, call.connection};
    // Answers come during look() alone, when the list does not change.
    open_[at].script = std::make_unique<Script>(
        session_.controller, sender,
        [this, id = call.connection, name = call.rpc.id](const ScriptAnswer& answer) {
            for (Open& one : open_)
                if (one.call.connection == id && one.call.rpc.id == name && isEnd(answer.status))
                    one.answer = jsonText(answer);
        },
        true);
    open_[at].script->take(1, line);
}

void Rpc::look() {
    for (Open& one : open_)
        if (hub_.waits(one.call))
            one.script->look(session_.app->document, hostClock());
        else
            one.script->abandon("its client has left");
    std::erase_if(open_, [&](const Open& one) {
        if (one.answer.empty()) return false;
        const bool failed = one.answer.find(R"("status":"applied")") == std::string::npos;
        const double begun = hostClock();
        hub_.answer(one.call, rpcResult(one.call.rpc.id, one.bodies && !failed ? sharedBodies() : one.answer));
        if (one.bodies) rest(begun);
        return true;
    });
    if (later_.empty() || hostClock() < restUntil_) return;
    const Hub::Call next = later_.front();
    later_.pop_front();
    if (hub_.waits(next)) take(next);
}

std::string Rpc::state(std::int64_t since) {
    ++revision_;
    nlohmann::ordered_json changed = nlohmann::ordered_json::object();
    for (const Parameter& row : parameters()) {
        const nlohmann::ordered_json value = jsonValue(row.get(session_.app->document));
        auto& [text, when] = values_[row.path];
        if (const std::string now = jsonLine(value); when == 0 || now != text) text = now, when = revision_;
        if (when > since) changed[row.path] = value;
    }
    return jsonLine({{"revision", revision_}, {"values", changed}});
}

std::string Rpc::picture(const std::string& params) {
    const json wanted = json::parse(params, nullptr, false);
    const auto whole = [&](const char* name, int usual) {
        const auto value = wanted.value(name, json(usual));
        if (!value.is_number_integer() || value.get<int>() < 16 || value.get<int>() > 4096)
            throw UsageError(std::string("a picture has a ") + name + " from 16 to 4096");
        return value.get<int>();
    };
    const int width = whole("width", 1280), height = whole("height", 720);
    const bool panels = wanted.value("panels", false);
    // PictureCopy repeats the look of the last frame. While no client watches, the run draws no frames, so this draws one.
    OffscreenTarget frame(width, height);
    session_.app->draw(frame.framebuffer(), frame.width(), frame.height());
    const std::vector<std::uint8_t> rgb = PictureCopy(session_.screen.renderer).pixels(*session_.app, width, height, panels);
    MemorySink png;
    writePng(png, rgb, width, height, {});
    return jsonLine({{"png", base64(png.text())}});
}

std::string Rpc::sharedBodies() const {
    struct stat size {};
    std::string bytes;
    if (fstat(memory_, &size) == 0) bytes.resize(static_cast<std::size_t>(size.st_size));
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t got = pread(memory_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
        if (got <= 0) break;
        at += static_cast<std::size_t>(got);
    }
    return R"({"status":"applied","block":")" + base64(bytes) + "\"}";
}

}  // namespace gravlab
