// What reader and writer of Gadget-style HDF5 share: the names in the file and the seal behind it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace gravlab::gadget
