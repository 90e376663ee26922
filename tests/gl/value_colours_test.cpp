// Values of a buffer as colours of a table: the colour of each pixel belongs to its value.
#include "render/value_colours.h"

#include "app/bench/pair_matrix.h"
#include "app/frontends/headless/headless.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gravlab::test {
namespace {

TEST(ValueColours, everyPixelHasTheColourOfItsValue) {
    const HeadlessContext context;
    // The table of the pair matrix: 256 colours that all differ.
    std::vector<std::uint32_t> table;
    for (int k = 0; k < 256; ++k) table.push_back(matrixColour(PairMatrix::kDecades * (1 - static_cast<float>(k) / 255)));
    constexpr int kWidth = 37, kHeight = 19;  // no multiples of a compute group
    std::vector<float> values;
    for (int k = 0; k < kWidth * kHeight; ++k)
        values.push_back(k == 5 ? -3.f : k == 6 ? 7.f : static_cast<float>(k) / (kWidth * kHeight - 1));
    Buffer buffer;
    glNamedBufferStorage(buffer.id(), static_cast<GLsizeiptr>(values.size() * sizeof(float)), values.data(), 0);
    ValueColours colours(table);
    ImageTexture picture;
    for (int round = 0; round < 2; ++round) colours.paint(buffer.id(), kWidth, kHeight, picture);
    ASSERT_NE(picture.id(), 0u);
    std::vector<std::uint32_t> pixels(values.size());
    glGetTextureImage(picture.id(), 0, GL_RGBA, GL_UNSIGNED_BYTE, static_cast<int>(4 * pixels.size()), pixels.data());
    std::size_t wrong = 0, different = 0;
    for (std::size_t k = 0; k < pixels.size(); ++k) {
        const float level = std::clamp(values[k], 0.f, 1.f);
        wrong += pixels[k] == table[static_cast<std::size_t>(level * 255 + 0.5f)] ? 0 : 1;
        different += pixels[k] != pixels[0] ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(different, pixels.size() / 2) << "a picture of one colour proves nothing";
    EXPECT_EQ(pixels[5], table.front());
    EXPECT_EQ(pixels[6], table.back());
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

}  // namespace
}  // namespace gravlab::test
