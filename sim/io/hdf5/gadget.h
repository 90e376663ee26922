// What reader and writer of Gadget-style HDF5 share: the names in the file and the seal behind it.
#pragma once
#include "sim/io/formats/units.h"
#include "sim/io/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gravlab {
struct BodyRow;
}

namespace gravlab::gadget {

inline constexpr std::size_t kTypes = 6;  ///< PartType0 .. PartType5
inline constexpr const char* kOwnGroup = "Gravlab";
inline constexpr const char* kStateGroup = "State";
inline constexpr int kOwnVersion = 1;
/// All bodies are written as this type (halo), so that their order is kept.
inline constexpr std::size_t kWrittenType = 1;

/// Bytes behind the HDF5 part of a file of ours: how long that part is and its check sum. HDF5 readers ignore them; a file
/// that was cut, or changed in a single bit, no longer fits its seal.
struct Seal {
    std::uint64_t length = 0;    ///< bytes before the seal
    std::uint32_t checksum = 0;  ///< CRC-32C of those bytes

    static constexpr std::size_t kBytes = 24;
    std::string bytes() const;
    /// Empty when these are not the intact bytes of a seal.
    static std::optional<Seal> parsed(std::string_view bytes);
};

/// All of a file but its bodies.
struct Preface {
    Snapshot snapshot;  ///< no bodies
    std::uint64_t bodies = 0;
    std::uint64_t files = 1;  ///< that the snapshot is in, with this one
    std::uint64_t whole = 0;  ///< bodies of all of them, as the header says
    bool own = false;         ///< written by this program: G = 1
    bool hasIds = false, hasGroups = false, hasVelocities = false;
    std::optional<StatedUnits> units;
    double hubble = 1;  ///< HubbleParam of the header
};

/// Where a block of bodies stands in the file, for messages.
struct BlockPlace {
    std::uint32_t type = 0;
    std::uint32_t count = 0;
    std::uint64_t firstRow = 0;
};
inline constexpr std::uint32_t kRowsABlock = 1 << 15;
inline constexpr std::uint64_t kMostFiles = 1 << 16;

/// Reads the HDF5 part of a file and hands over its parts in order. Runs where a crash of the library does no harm; the
/// values are as the file has them, not yet checked for being finite. `sealed`: a right seal stands behind it.
class Receiver {
public:
    virtual ~Receiver() = default;
    virtual void preface(const Preface& preface) = 0;
    virtual void block(const BlockPlace& place, const BodyRow* rows) = 0;
};
void parse(const Source& source, const ReadOptions& options, bool sealed, Receiver& to);

}  // namespace gravlab::gadget
