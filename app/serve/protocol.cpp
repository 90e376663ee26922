#include "app/serve/protocol.h"

#include "app/control/json_value.h"
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

template <class Whole>
void put(std::string& to, Whole value) {
    for (std::size_t i = 0; i < sizeof value; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

template <class Whole>
Whole take(std::string_view& from) {
    Whole value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
        value = static_cast<Whole>(value | static_cast<Whole>(static_cast<unsigned char>(from[i])) << (8 * i));
    from.remove_prefix(sizeof value);
    return value;
}

[[noreturn]] void refuse(const std::string& what) { throw UsageError("a message " + what); }

json parsed(std::string_view text) {
    if (text.size() > kLongestMessage) refuse("is longer than 65,536 bytes");
    json all = json::parse(text, nullptr, false);
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

int wholeIn(const json& from, const char* name, int least, int most) {
    return static_cast<int>(std::lround(numberIn(from, name, static_cast<float>(least), static_cast<float>(most))));
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
    {"Comma", Key::comma},
    {"Minus", Key::minus},
    {"Period", Key::period},
    {"Equal", Key::equal},
    {"BracketLeft", Key::leftBracket},
    {"BracketRight", Key::rightBracket},
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

/// The characters of UTF-8 text, without those that control a terminal.
void addLetters(std::vector<InputEvent>& to, std::string_view text) {
    for (std::size_t at = 0; at < text.size() && to.size() < kMostEvents;) {
        const auto first = static_cast<unsigned char>(text[at++]);
        const int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        unsigned letter = more == 0 ? first : first & (0x3fu >> more);
        for (int i = 0; i < more && at < text.size(); ++i)
            letter = letter << 6 | (static_cast<unsigned char>(text[at++]) & 0x3fu);
        if (letter >= ' ' && letter != 0x7f) to.push_back(TextEvent{letter});
    }
}

void addEvent(std::vector<InputEvent>& to, const json& from) {
    if (!from.is_object()) refuse("has an event that is no object");
    const std::string type = textOf(from, "type", 20);
    const int modifiers = wholeIn(from, "modifiers", 0, 15);
    using Change = PointerEvent::Change;
    PointerEvent pointer{.at = {numberIn(from, "x", -kFarthest, kFarthest), numberIn(from, "y", -kFarthest, kFarthest)},
                         .button = wholeIn(from, "button", 0, 4),
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
        addLetters(to, textOf(from, "text", kLongestMessage));
    } else if (type == "focus" || type == "blur") {
        to.push_back(FocusEvent{type == "focus"});
    } else if (type != "pointer_move") {
        refuse("has an event of the unknown type '" + printable(type) + "'");
    }
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

std::string packed(const PictureHead& head) {
    std::string bytes;
    bytes.reserve(kPictureHead);
    put<std::uint8_t>(bytes, 1);
    put(bytes, static_cast<std::uint8_t>(head.codec));
    put(bytes, static_cast<std::uint8_t>((head.key ? 1 : 0) | (head.still ? 2 : 0)));
    put(bytes, head.layer);
    put<std::uint32_t>(bytes, 0);
    put(bytes, head.frame);
    put(bytes, head.echo);
    put(bytes, head.captured);
    put(bytes, head.width);
    put(bytes, head.height);
    put(bytes, head.bytes);
    put(bytes, head.step);
    return bytes;
}

std::optional<PictureHead> pictureHead(std::string_view bytes) {
    if (bytes.size() < kPictureHead || bytes[0] != 1 || (bytes[1] != 1 && bytes[1] != 3)) return std::nullopt;
    PictureHead head;
    head.codec = static_cast<Codec>(bytes[1]);
    head.key = bytes[2] & 1;
    head.still = bytes[2] & 2;
    head.layer = static_cast<std::uint8_t>(bytes[3]);
    const std::size_t all = bytes.size();
    bytes.remove_prefix(8);
    head.frame = take<std::uint32_t>(bytes);
    head.echo = take<std::uint32_t>(bytes);
    head.captured = take<std::uint64_t>(bytes);
    head.width = take<std::uint16_t>(bytes);
    head.height = take<std::uint16_t>(bytes);
    head.bytes = take<std::uint32_t>(bytes);
    head.step = take<std::uint64_t>(bytes);
    if (head.bytes != all - kPictureHead) return std::nullopt;
    return head;
}

std::string packed(const Ack& ack) {
    std::string bytes("\2\0\0\0", 4);
    put(bytes, ack.frame);
    return bytes;
}

std::optional<Ack> ackOf(std::string_view bytes) {
    if (bytes.size() != 8 || bytes[0] != 2) return std::nullopt;
    bytes.remove_prefix(4);
    return Ack{take<std::uint32_t>(bytes)};
}

Message parseMessage(std::string_view text) {
    const json all = parsed(text);
    if (all.contains("method")) return callOf(all);
    const std::string kind = textOf(all, "t", 20);
    if (kind == "hello") {
        Hello hello{textOf(all, "token", 100), textOf(all, "name", kLongestName), textOf(all, "seat", 100),
                    flagIn(all, "video")};
        hello.name = printable(hello.name);
        return hello;
    }
    if (kind == "input") {
        const auto events = all.find("events"), number = all.find("n");
        if (events == all.end() || !events->is_array() || events->size() > kMostEvents)
            refuse("has no list of at most 256 events");
        if (number == all.end() || !number->is_number_unsigned()) refuse("of events has no number");
        InputBatch batch{static_cast<std::uint32_t>(number->get<std::uint64_t>()), {}};
        for (const json& event : *events) addEvent(batch.events, event);
        return batch;
    }
    if (kind == "size")
        return SizeWish{wholeIn(all, "width", 0, 16384), wholeIn(all, "height", 0, 16384), numberIn(all, "scale", 1, 4)};
    if (kind == "visible") return Visible{flagIn(all, "on")};
    if (kind == "paste") return Pasted{textOf(all, "text", kLongestMessage)};
    if (kind == "wheel") {
        const std::string what = textOf(all, "do", 10);
        using What = WheelWish::What;
        if (what != "ask" && what != "give" && what != "take") refuse("about the wheel neither asks, gives nor takes");
        return WheelWish{what == "ask"    ? What::ask
                         : what == "give" ? What::give
                                          : What::take,
                         static_cast<std::uint32_t>(wholeIn(all, "to", 0, 1 << 24))};
    }
    refuse("has the unknown kind '" + printable(kind) + "'");
}

RpcCall parseCall(std::string_view text) {
    const json all = parsed(text);
    return callOf(all);
}

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

std::string base64(std::string_view bytes) {
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        unsigned bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (unsigned i = 0; i < 4; ++i) text += at + i > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * i) & 63];
    }
    return text;
}

bool equalSecrets(std::string_view a, std::string_view b) {
    unsigned different = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < b.size(); ++i)
        different |=
            static_cast<unsigned char>(b[i]) ^ static_cast<unsigned>(static_cast<unsigned char>(i < a.size() ? a[i] : 0));
    return different == 0;
}

}  // namespace gravlab
