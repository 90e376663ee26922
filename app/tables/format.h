// Numbers as people read them. What a panel shows in every frame goes into small fixed buffers: nothing is allocated there.
#pragma once
#include <cstdint>
#include <string>

namespace gravlab {

/// A short text by value; converts to what printf and ImGui take.
struct Text {
    char text[40] = {};
    operator const char*() const { return text; }
};

/// 65,536
Text grouped(std::uint64_t value);
/// Three digits and a prefix: 12.4 G, 980 M, 3.20. The unit follows the text; there is a space before it already.
Text withPrefix(double value);
/// Milliseconds with the digits that matter: 0.012, 3.4, 120.
Text milliseconds(double value);
/// How often something happens in a second: 0.045, 3.4, 14,936.
Text rateText(double value);
/// Significant digits without a long tail of zeros: 0.025, 1e-07, 12.566.
Text shortNumber(double value);

/// What printf would print, of any length.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

}  // namespace gravlab
