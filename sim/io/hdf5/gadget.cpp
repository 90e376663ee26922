// The seal and its check sum, and the message of a build without HDF5.
#include "sim/io/hdf5/gadget.h"

#include "sim/api/errors.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/byte_order.h"
#include "sim/io/formats/formats.h"

#include <array>

namespace gravlab {
namespace {

// Eight bytes per step through eight tables ("slicing by 8", Kounavis and Berry 2005): the same on every processor.
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

std::uint32_t wordAt(const char* from) { return loaded<std::uint32_t, std::uint32_t>(from, false); }

}  // namespace

std::uint32_t crc32c(const void* bytes, std::size_t count, std::uint32_t before) {
    const auto* at = static_cast<const char*>(bytes);
    std::uint32_t value = ~before;
    for (; count >= 8; count -= 8, at += 8) {
        const std::uint32_t low = wordAt(at) ^ value, high = wordAt(at + 4);
        value = kTable[7][low & 0xff] ^ kTable[6][low >> 8 & 0xff] ^ kTable[5][low >> 16 & 0xff] ^ kTable[4][low >> 24] ^
                kTable[3][high & 0xff] ^ kTable[2][high >> 8 & 0xff] ^ kTable[1][high >> 16 & 0xff] ^ kTable[0][high >> 24];
    }
    for (; count > 0; --count, ++at) value = (value >> 8) ^ kTable[0][(value ^ static_cast<unsigned char>(*at)) & 0xff];
    return ~value;
}

namespace gadget {

constexpr std::string_view kMagic = "GRAVSEAL";

std::string Seal::bytes() const {
    std::string out(kMagic);
    append<std::uint64_t>(out, length, false);
    append<std::uint32_t>(out, checksum, false);
    append<std::uint32_t>(out, crc32c(out.data(), out.size()), false);
    return out;
}

std::optional<Seal> Seal::parsed(std::string_view bytes) {
    if (bytes.size() != kBytes || !bytes.starts_with(kMagic)) return std::nullopt;
    if (wordAt(bytes.data() + 20) != crc32c(bytes.data(), 20)) return std::nullopt;
    return Seal{loaded<std::uint64_t, std::uint64_t>(bytes.data() + 8, false), wordAt(bytes.data() + 16)};
}

}  // namespace gadget

bool looksLikeHdf5(const Source& source) {
    // HDF5 allows a user block before its mark, whose length is a power of two.
    constexpr std::string_view kMark("\x89HDF\r\n\x1a\n", 8);
    for (std::size_t at : {0u, 512u, 1024u, 2048u})
        if (source.head().size() > at && source.head().substr(at).starts_with(kMark)) return true;
    return false;
}

#if defined(GRAVLAB_HAS_HDF5)
Reason hdf5Unavailable() { return {}; }
#else
Reason hdf5Unavailable() {
    return "this build has no HDF5: install libhdf5-dev and configure again, or use .csv, .tab or .tipsy";
}
Snapshot readGadget(Source& source, const ReadOptions&) { throw InputError(source.name() + ": " + hdf5Unavailable()); }
void writeGadget(ByteSink&, const Snapshot&) { throw UsageError(hdf5Unavailable()); }
#endif

}  // namespace gravlab
