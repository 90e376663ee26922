// Messages between a run and browsers: bytes and JSON on one side, plain data on the other. It knows no socket.
// Rule: whatever comes from outside is data or a UsageError with a sentence; no size in it is believed.
#pragma once
#include "app/ui/input.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gravlab {

/// Name of the protocol and its version, as the page and the program state it when they connect.
inline constexpr const char* kServeProtocol = "gravlab.1";
inline constexpr std::size_t kLongestMessage = 65536;  ///< bytes from a client in one message

enum class Codec : std::uint8_t { h264 = 1, jpeg = 3 };

/// What precedes the bytes of a picture, as it lies in the memory of any machine with a GPU: little endian.
struct PictureHead {
    std::uint8_t type = 1;
    Codec codec = Codec::jpeg;
    std::uint8_t key = 1;    ///< 1: it needs no earlier picture
    std::uint8_t still = 0;  ///< 1: the picture rests, in full quality
    std::uint8_t layer = 0;  ///< 1: no later picture needs it
    std::uint8_t none[3] = {};
    std::uint32_t frame = 0;     ///< rises with every picture that was drawn
    std::uint32_t echo = 0;      ///< newest input that the picture shows
    std::uint64_t captured = 0;  ///< clock of the program when it was drawn [us]
    std::uint16_t width = 0, height = 0;
    std::uint32_t bytes = 0;  ///< that follow
    std::uint64_t step = 0;
};
inline constexpr std::size_t kPictureHead = sizeof(PictureHead);
static_assert(kPictureHead == 40 && std::endian::native == std::endian::little);
std::string packed(const PictureHead& head);
/// Empty for bytes that are no picture, or too few.
std::optional<PictureHead> pictureHead(std::string_view bytes);

/// The first message of a client.
struct Hello {
    std::string token, name, seat;
    bool video = false;  ///< it can decode H.264
};
/// Events of the pointer and the keys, in their order.
struct InputBatch {
    std::uint32_t number = 0;
    std::vector<InputEvent> events;
};
struct SizeWish {
    int width = 0, height = 0;
    float scale = 1;  ///< device pixels for each pixel of the page
};
struct Visible {
    bool on = true;
};
/// The client shows this picture and all before it.
struct Shown {
    std::uint32_t frame = 0;
};
/// The wheel decides who drives.
struct WheelWish {
    enum class What { ask, give, take } what = What::ask;
    std::uint32_t to = 0;  ///< give: to whom
};
struct Pasted {
    std::string text;
};
/// JSON-RPC 2.0, as text.
struct RpcCall {
    std::string id, method, params;
};
using Message = std::variant<Hello, InputBatch, SizeWish, Visible, Shown, WheelWish, Pasted, RpcCall>;

/// Throws UsageError.
Message parseMessage(std::string_view text);
/// A call alone, as a request of HTTP has it. Throws UsageError.
RpcCall parseCall(std::string_view text);
/// The answer of a call: `result` is JSON. An error has its sentence.
std::string rpcResult(const std::string& id, const std::string& result);
std::string rpcError(const std::string& id, int code, const std::string& why);
inline constexpr int kRpcRefused = -32000, kRpcWatching = -32001, kRpcMalformed = -32600, kRpcUnknown = -32601;

/// The key of a browser's KeyboardEvent.code.
Key keyOfCode(std::string_view code);

/// Compares texts in a time that does not depend on where they differ.
bool equalSecrets(std::string_view a, std::string_view b);

}  // namespace gravlab
