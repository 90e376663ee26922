// Numbers in the byte order of a file.
#pragma once
#include "sim/api/errors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace gravlab {

template <class Word>
Word reversed(Word word) {
    auto bytes = std::bit_cast<std::array<char, sizeof(Word)>>(word);
    std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<Word>(bytes);
}

/// The value whose bytes begin at `from`. `Word` is the unsigned integer of its size.
template <class Value, class Word>
Value loaded(const char* from, bool bigEndian) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    if (bigEndian != (std::endian::native == std::endian::big)) word = reversed(word);
    return std::bit_cast<Value>(word);
}

template <class Word, class Value>
void append(std::string& to, Value value, bool bigEndian) {
    Word word = std::bit_cast<Word>(value);
    if (bigEndian != (std::endian::native == std::endian::big)) word = reversed(word);
    char bytes[sizeof word];
    std::memcpy(bytes, &word, sizeof word);
    to.append(bytes, sizeof word);
}

/// The number of that body as a file of this format has it. Throws IoError beyond the range of float.
inline float narrowed(double value, std::size_t body, const char* format) {
    const auto narrow = static_cast<float>(value);
    if (std::isfinite(narrow)) return narrow;
    throw IoError("body " + std::to_string(body) + " leaves the range of " + format +
                  "'s 32-bit floats: write .hdf5 or .csv instead");
}

}  // namespace gravlab
