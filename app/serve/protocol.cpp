#include "app/serve/protocol.h"

#include "app/control/json_value.h"
#include "app/serve/wire.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

namespace gravlab {
namespace {

using nlohmann::json;

constexpr std::size_t kMostEvents = 256, kLongestName = 40;
constexpr float kFarthest = 32768;  // pixels

[[noreturn]] void refuse(const std::string& what) { throw UsageError("a message " + what); }

json parsed(std::string_view text) {
    if (text.size() > kLongestMessage) refuse("is longer than 65,536 bytes");
    constexpr int kDeepest = 32;  // a text of deeper ones is written by as many calls
    const auto shallow = [](int depth, json::parse_event_t, json&) {
        if (depth > kDeepest) refuse("has lists in lists beyond 32");
        return true;
    };
    json all = json::parse(text, shallow, false);
    if (!all.is_object()) refuse("is no JSON object");
    return all;
}

std::string textOf(const json& from, const char* name, std::size_t most) {
    const auto found = from.find(name);
    if (found == from.end()) return {};
    if (!found->is_string()) refuse(std::string("has '") + name + "' that is no text");
    std::string text = found->get<std::string>();
    if (text.size() > most) refuse(std::string("has a '") + name + "' that is too long");
    return text;
}

float numberIn(const json& from, const char* name, float least, float most) {
    const auto found = from.find(name);
    if (found == from.end()) return std::clamp(0.0f, least, most);
    if (!found->is_number()) refuse(std::string("has '") + name + "' that is no number");
    const double value = found->get<double>();
    if (!std::isfinite(value)) refuse(std::string("has '") + name + "' that is not finite");
    return static_cast<float>(std::clamp<double>(value, least, most));
}

int wholeIn(const json& from, const char* name, int most) {
    return static_cast<int>(std::lround(numberIn(from, name, 0, static_cast<float>(most))));
}

std::uint32_t countIn(const json& from, const char* name) {
    const auto found = from.find(name);
    if (found == from.end() || !found->is_number_unsigned()) refuse(std::string("has no number '") + name + "'");
    return static_cast<std::uint32_t>(found->get<std::uint64_t>());
}

bool flagIn(const json& from, const char* name) {
    const auto found = from.find(name);
    return found != from.end() && found->is_boolean() && found->get<bool>();
}

struct CodedKey {
    std::string_view code;
    Key key;
};
constexpr CodedKey kCodedKeys[] = {
    {"Space", Key::space},
    {"Comma", Key{','}},
    {"Minus", Key{'-'}},
    {"Period", Key{'.'}},
    {"Equal", Key::equal},
    {"BracketLeft", Key{'['}},
    {"BracketRight", Key{']'}},
    {"Escape", Key::escape},
    {"Enter", Key::enter},
    {"Tab", Key::tab},
    {"Backspace", Key::backspace},
    {"Insert", Key::insert},
    {"Delete", Key::remove},
    {"ArrowRight", Key::right},
    {"ArrowLeft", Key::left},
    {"ArrowDown", Key::down},
    {"ArrowUp", Key::up},
    {"PageUp", Key::pageUp},
    {"PageDown", Key::pageDown},
    {"Home", Key::home},
    {"End", Key::end},
    {"NumpadSubtract", Key::padMinus},
    {"NumpadAdd", Key::padPlus},
    {"NumpadEnter", Key::padEnter},
    {"ShiftLeft", Key::leftShift},
    {"ControlLeft", Key::leftControl},
    {"AltLeft", Key::leftAlt},
    {"MetaLeft", Key::leftSuper},
    {"ShiftRight", Key::rightShift},
    {"ControlRight", Key::rightControl},
    {"AltRight", Key::rightAlt},
    {"MetaRight", Key::rightSuper},
};

void addEvent(std::vector<InputEvent>& to, const json& from) {
    if (!from.is_object()) refuse("has an event that is no object");
    const std::string type = textOf(from, "type", 20);
    const int modifiers = wholeIn(from, "modifiers", 15);
    using Change = PointerEvent::Change;
    PointerEvent pointer{.at = {numberIn(from, "x", -kFarthest, kFarthest), numberIn(from, "y", -kFarthest, kFarthest)},
                         .button = wholeIn(from, "button", 4),
                         .modifiers = modifiers,
                         .time = numberIn(from, "time", 0, 1e9f)};
    if (type.starts_with("pointer_") && type != "pointer_leave") to.push_back(pointer);  // the place comes with each of them
    if (type == "pointer_down" || type == "pointer_up") {
        pointer.change = type == "pointer_down" ? Change::press : Change::release;
        to.push_back(pointer);
    } else if (type == "pointer_leave") {
        to.push_back(PointerEvent{.change = Change::leave});
    } else if (type == "wheel") {
        to.push_back(PointerEvent{.change = Change::scroll,
                                  .modifiers = modifiers,
                                  .scroll = {numberIn(from, "dx", -20, 20), numberIn(from, "dy", -20, 20)}});
    } else if (type == "key_down" || type == "key_up") {
        const std::string key = textOf(from, "key", 40);
        const bool ascii = key.size() == 1 && key[0] > ' ' && key[0] < 0x7f;
        const int letter = ascii ? std::toupper(static_cast<unsigned char>(key[0])) : 0;
        to.push_back(KeyEvent{.physical = keyOfCode(textOf(from, "code", 40)),
                              .printed = letter == '+' ? Key::equal : static_cast<Key>(letter),
                              .modifiers = modifiers,
                              .down = type == "key_down",
                              .repeat = flagIn(from, "repeat")});
    } else if (type == "text") {
        const auto letters = from.find("letters");
        if (letters == from.end() || !letters->is_array() || letters->size() > kMostEvents) refuse("has no list of letters");
        for (const json& one : *letters)  // without those that control a terminal
            if (one.is_number_unsigned() && one >= 0x20 && one != 0x7f && one <= 0x10ffff)
                to.push_back(TextEvent{one.get<unsigned>()});
    } else if (type == "focus" || type == "blur") {
        to.push_back(FocusEvent{type == "focus"});
    } else if (type != "pointer_move") {
        refuse("has an event of the unknown type '" + printable(type) + "'");
    }
}

/// "127.0.0.1:7777" -> "127.0.0.1", "[::1]:7777" -> "[::1]".
std::string_view withoutPort(std::string_view name) {
    const std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos || name.ends_with(']') ? name : name.substr(0, colon);
}

RpcCall callOf(const json& all) {
    const auto id = all.find("id"), params = all.find("params");
    RpcCall call{id == all.end() ? "null" : id->dump(-1, ' ', true, json::error_handler_t::replace),
                 textOf(all, "method", 40),
                 params == all.end() ? "{}" : params->dump(-1, ' ', true, json::error_handler_t::replace)};
    if (call.method.empty()) refuse("of a program has no method");
    return call;
}

}  // namespace

std::string packed(const PictureHead& head) { return {reinterpret_cast<const char*>(&head), kPictureHead}; }

std::optional<PictureHead> pictureHead(std::string_view bytes) {
    PictureHead head;
    if (bytes.size() < kPictureHead) return std::nullopt;
    std::memcpy(&head, bytes.data(), kPictureHead);
    const bool known = head.type == 1 && (head.codec == Codec::h264 || head.codec == Codec::jpeg);
    return known && head.bytes == bytes.size() - kPictureHead ? std::optional(head) : std::nullopt;
}

Message parseMessage(std::string_view text) {
    const json all = parsed(text);
    if (all.contains("method")) return callOf(all);
    const std::string kind = textOf(all, "t", 20);
    if (kind == "hello")
        return Hello{textOf(all, "token", 100), printable(textOf(all, "name", kLongestName)), textOf(all, "seat", 100),
                     flagIn(all, "video")};
    if (kind == "input") {
        const auto events = all.find("events");
        if (events == all.end() || !events->is_array() || events->size() > kMostEvents)
            refuse("has no list of at most 256 events");
        InputBatch batch{countIn(all, "n"), {}};
        for (const json& event : *events) addEvent(batch.events, event);
        return batch;
    }
    if (kind == "size")
        return SizeWish{wholeIn(all, "width", 16384), wholeIn(all, "height", 16384), numberIn(all, "scale", 1, 4)};
    if (kind == "shown") return Shown{countIn(all, "frame")};
    if (kind == "visible") return Visible{flagIn(all, "on")};
    if (kind == "paste") return Pasted{textOf(all, "text", kLongestMessage)};
    if (kind == "wheel") {
        const std::string what = textOf(all, "do", 10);
        using What = WheelWish::What;
        if (what != "ask" && what != "give" && what != "take") refuse("about the wheel neither asks, gives nor takes");
        return WheelWish{what == "ask"    ? What::ask
                         : what == "give" ? What::give
                                          : What::take,
                         static_cast<std::uint32_t>(wholeIn(all, "to", 1 << 24))};
    }
    refuse("has the unknown kind '" + printable(kind) + "'");
}

RpcCall parseCall(std::string_view text) { return callOf(parsed(text)); }

std::string rpcResult(const std::string& id, const std::string& result) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}";
}

std::string rpcError(const std::string& id, int code, const std::string& why) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":)" + jsonLine({{"code", code}, {"message", why}}) + "}";
}

Key keyOfCode(std::string_view code) {
    const auto number = [&](std::size_t from) {
        return code.size() == from + 1 && std::isdigit(static_cast<unsigned char>(code[from])) ? code[from] - '0' : -1;
    };
    if (code.size() == 4 && code.starts_with("Key") && code[3] >= 'A' && code[3] <= 'Z') return static_cast<Key>(code[3]);
    if (code.starts_with("Digit") && number(5) >= 0) return static_cast<Key>('0' + number(5));
    if (code.starts_with("Numpad") && number(6) >= 0) return static_cast<Key>(static_cast<int>(Key::pad1) - 1 + number(6));
    if (code.starts_with("F") && number(1) >= 1) return static_cast<Key>(static_cast<int>(Key::f1) - 1 + number(1));
    if (code.starts_with("F1") && number(2) >= 0 && number(2) <= 2)
        return static_cast<Key>(static_cast<int>(Key::f10) + number(2));
    const auto found = std::ranges::find(kCodedKeys, code, &CodedKey::code);
    return found == std::end(kCodedKeys) ? Key::none : found->key;
}

std::string refusedByNames(const WireSettings& settings, std::string_view host, std::string_view origin) {
    const std::string_view name = withoutPort(host);
    const bool known = name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == settings.listen ||
                       std::ranges::count(settings.hosts, name) > 0;
    if (!known) return "the name of this address is unknown here; --host-name NAME makes it known";
    if (origin.empty()) return {};  // no browser
    const std::size_t scheme = origin.find("://");
    if (scheme != std::string_view::npos && origin.substr(scheme + 3) == host) return {};
    return std::ranges::count(settings.origins, origin) > 0 ? std::string()
                                                            : "a page of another address asks; --origin ORIGIN lets it";
}

bool equalSecrets(std::string_view a, std::string_view b) {
    unsigned different = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < b.size(); ++i)
        different |=
            static_cast<unsigned char>(b[i]) ^ static_cast<unsigned>(static_cast<unsigned char>(i < a.size() ? a[i] : 0));
    return different == 0;
}

}  // namespace gravlab
