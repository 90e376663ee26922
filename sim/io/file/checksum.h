// CRC-32C of the bytes of a checkpoint: detects changes by a disk, a copy or a killed process. Source: Castagnoli, Braeuer,
// Herrmann 1993; reflected polynomial 0x82F63B78, check value of "123456789" is 0xE3069283.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gravlab {

/// The check sum of bytes that follow earlier bytes with the check sum `before` (0 at the start). About 2 GB/s on one core.
std::uint32_t crc32c(const void* bytes, std::size_t count, std::uint32_t before = 0);

}  // namespace gravlab
