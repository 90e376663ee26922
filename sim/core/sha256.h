// SHA-256 of bytes, to identify a state. Source: FIPS 180-4 (2015), sections 4.1.2, 4.2.2, 5 and 6.2.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gravlab {

class Sha256 {
public:
    void add(const void* bytes, std::size_t count);
    /// The digest as 64 hexadecimal digits. Call it once, after the last add().
    std::string text();

private:
    void block(const std::uint8_t* bytes);
    // The first 32 bits of the fractional parts of the square roots of the first eight primes.
    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::uint8_t, 64> rest_{};
    std::uint64_t count_ = 0;
};

}  // namespace gravlab
