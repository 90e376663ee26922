// Names in Gadget-style HDF5 files, for reader and writer, and the seal at the end.
#pragma once
#include "sim/io/formats/units.h"
#include "sim/io/snapshot.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// CRC-32C. Castagnoli, Braeuer, Herrmann 1993; reflected polynomial 0x82F63B78, check value of "123456789" is 0xE3069283.
/// The check sum of bytes that follow earlier bytes with the check sum `before` (0 at the start). About 2 GB/s on one core.
std::uint32_t crc32c(const void* bytes, std::size_t count, std::uint32_t before = 0);

}  // namespace gravlab

namespace gravlab::gadget {

inline constexpr std::size_t kTypes = 6;  ///< PartType0 .. PartType5
inline constexpr const char* kOwnGroup = "Gravlab";
inline constexpr const char* kStateGroup = "State";
/// State array with radius and spin of each body.
inline constexpr std::string_view kSurfaces = "contact.surfaces";
/// Numbers of the first term of bonds, by their names. Its attribute is the number of the term.
inline constexpr const char* kBondGroup = "Bonds";
inline constexpr const char* kBondTerm = "Term";
inline constexpr int kOwnVersion = 1;
/// All bodies are written as this type (halo), so that they keep their order.
inline constexpr std::size_t kWrittenType = 1;

/// Bytes after the HDF5 part of this program's files: the length of that part and its check sum. HDF5 readers ignore them; a
/// file that was cut, or changed in a single bit, no longer matches its seal.
struct Seal {
    std::uint64_t length = 0;    ///< bytes before the seal
    std::uint32_t checksum = 0;  ///< CRC-32C of those bytes

    static constexpr std::size_t kBytes = 24;
    std::string bytes() const;
    /// The seal in these bytes; empty when it is not intact.
    static std::optional<Seal> parsed(std::string_view bytes);
};

/// The content of a file except its bodies.
struct Preface {
    Snapshot snapshot;  ///< no bodies
    std::uint64_t bodies = 0;
    std::uint64_t files = 1;  ///< of the snapshot, this one included
    std::uint64_t whole = 0;  ///< bodies in all files, according to the header
    bool own = false;         ///< written by this program: G = 1
    bool hasIds = false, hasGroups = false, hasVelocities = false;
    std::optional<StatedUnits> units;
    double hubble = 1;  ///< HubbleParam of the header
};

/// Columns of a block of bodies, and how many numbers of a body each has.
enum Column : std::uint8_t {
    kPlaceColumn,
    kVelocityColumn,
    kMassColumn,
    kResponseColumn,
    kIdColumn,
    kGroupColumn,
    kSurfaceColumn,
    kColumns
};
inline constexpr std::array<std::size_t, kColumns> kNumbers{3, 3, 1, 1, 1, 1, 4};
using Columns = std::array<std::vector<char>, kColumns>;

/// Bodies that follow each other in the file.
struct BodyBlock {
    std::uint32_t type = 0;
    std::uint32_t count = 0;
    std::uint64_t firstRow = 0;
    double tableMass = 0;                        ///< where there are no masses
    std::array<std::uint8_t, kColumns> width{};  ///< bytes of a number; 0: the file lacks the column
};
inline constexpr std::uint32_t kRowsPerBlock = 1 << 15;
inline constexpr std::uint64_t kMostFiles = 1 << 16;

/// Receives the parts of the HDF5 part of a file, in order. The parser runs in a process where a crash of the library does
/// no harm. The values are those of the file, not yet checked for being finite. `sealed`: a valid seal follows.
class Receiver {
public:
    virtual ~Receiver() = default;
    virtual void preface(const Preface& preface) = 0;
    virtual void block(const BodyBlock& block, const Columns& columns) = 0;
};
void parse(const Source& source, const ReadOptions& options, bool sealed, Receiver& to);

}  // namespace gravlab::gadget
