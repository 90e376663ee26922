// Memory for many bodies: touched by all threads, without other changes.
#include "sim/core/pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gravlab {
namespace {

constexpr std::size_t kMany = (std::size_t{48} << 20) / sizeof(std::uint32_t) + 3;

TEST(Pages, whatIsThereStaysAndTheRestIsZero) {
    std::vector<std::uint32_t> values(1000);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i + 1;
    resizeTouched(values, kMany);
    ASSERT_EQ(values.size(), kMany);
    for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(values[i], i + 1);
    EXPECT_TRUE(std::all_of(values.begin() + 1000, values.end(), [](std::uint32_t value) { return value == 0; }));
    // Existing room is not allocated again, and its content is not touched.
    std::fill(values.begin(), values.end(), 7u);
    const std::uint32_t* before = values.data();
    resizeTouched(values, kMany / 2);
    resizeTouched(values, kMany - 1);
    EXPECT_EQ(values.data(), before);
    EXPECT_EQ(values.front(), 7u);
    EXPECT_EQ(values[kMany / 2 - 1], 7u);
    EXPECT_EQ(values[kMany - 2], 0u);
}

TEST(Pages, nothingBesideTheGivenMemoryIsWritten) {
    std::vector<std::uint8_t> memory(std::size_t{40} << 20, 9);
    const std::size_t from = 12345, bytes = (std::size_t{33} << 20) + 77;
    touchPages(memory.data() + from, bytes);
    for (std::size_t i = 0; i < from; ++i) ASSERT_EQ(memory[i], 9);
    for (std::size_t i = from + bytes; i < memory.size(); ++i) ASSERT_EQ(memory[i], 9);
    EXPECT_TRUE(std::ranges::any_of(memory, [](std::uint8_t value) { return value == 0; }));
    EXPECT_NO_FATAL_FAILURE(touchPages(nullptr, 0));
}

}  // namespace
}  // namespace gravlab
