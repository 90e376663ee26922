// Eight bytes per step through eight tables ("slicing by 8", Kounavis and Berry 2005): the same on every processor.
#include "sim/io/file/checksum.h"

#include <array>

namespace gravlab {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78u;
using Table = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Table makeTable() {
    Table table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? kPolynomial : 0);
        table[0][byte] = value;
    }
    for (std::uint32_t byte = 0; byte < 256; ++byte)
        for (std::size_t slice = 1; slice < 8; ++slice)
            table[slice][byte] = (table[slice - 1][byte] >> 8) ^ table[0][table[slice - 1][byte] & 0xff];
    return table;
}
constexpr Table kTable = makeTable();

// Read byte by byte, so that the value is the same on big-endian machines; compilers make it one load.
std::uint32_t littleEndian(const unsigned char* from) {
    return static_cast<std::uint32_t>(from[0]) | static_cast<std::uint32_t>(from[1]) << 8 |
           static_cast<std::uint32_t>(from[2]) << 16 | static_cast<std::uint32_t>(from[3]) << 24;
}

}  // namespace

std::uint32_t crc32c(const void* bytes, std::size_t count, std::uint32_t before) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    std::uint32_t value = ~before;
    for (; count >= 8; count -= 8, at += 8) {
        const std::uint32_t low = littleEndian(at) ^ value, high = littleEndian(at + 4);
        value = kTable[7][low & 0xff] ^ kTable[6][low >> 8 & 0xff] ^ kTable[5][low >> 16 & 0xff] ^ kTable[4][low >> 24] ^
                kTable[3][high & 0xff] ^ kTable[2][high >> 8 & 0xff] ^ kTable[1][high >> 16 & 0xff] ^ kTable[0][high >> 24];
    }
    for (; count > 0; --count, ++at) value = (value >> 8) ^ kTable[0][(value ^ *at) & 0xff];
    return ~value;
}

}  // namespace gravlab
