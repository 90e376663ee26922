// The seal, and the message of a build without HDF5.
#include "sim/io/hdf5/gadget.h"

#include "sim/api/errors.h"
#include "sim/io/file/checksum.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/formats.h"

namespace gravlab {
namespace gadget {
namespace {

constexpr std::string_view kMagic = "GRAVSEAL";

template <class Word>
void append(std::string& to, Word word) {
    for (std::size_t byte = 0; byte < sizeof word; ++byte) to += static_cast<char>(word >> (8 * byte) & 0xff);
}

template <class Word>
Word loaded(std::string_view from) {
    Word word = 0;
    for (std::size_t byte = 0; byte < sizeof word; ++byte)
        word |= static_cast<Word>(static_cast<unsigned char>(from[byte])) << (8 * byte);
    return word;
}

}  // namespace

std::string Seal::bytes() const {
    std::string out(kMagic);
    append(out, length);
    append(out, checksum);
    append(out, crc32c(out.data(), out.size()));
    return out;
}

std::optional<Seal> Seal::parsed(std::string_view bytes) {
    if (bytes.size() != kBytes || !bytes.starts_with(kMagic)) return std::nullopt;
    if (loaded<std::uint32_t>(bytes.substr(20)) != crc32c(bytes.data(), 20)) return std::nullopt;
    return Seal{loaded<std::uint64_t>(bytes.substr(8)), loaded<std::uint32_t>(bytes.substr(16))};
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
