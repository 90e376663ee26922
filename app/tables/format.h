// Numbers as people read them. Texts that a panel shows in every frame use small fixed buffers, without allocation.
#pragma once
#include "sim/core/text.h"  // formatted()

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A short text by value; converts to the types of printf and ImGui.
struct Text {
    char text[40] = {};
    operator const char*() const { return text; }
};

/// 65,536
Text grouped(std::uint64_t value);
/// Three digits and a prefix: 12.4 G, 980 M, 3.20. Append the unit directly; the space is included.
Text withPrefix(double value);
/// Milliseconds with significant digits: 0, 0.012, 3.4, 120.
Text milliseconds(double value);
/// A relative error: 0, 3.1e-16.
Text errorText(double value);
/// Events per second: 0.045, 3.4, 14,936.
Text rateText(double value);
/// Significant digits without trailing zeros: 0.025, 1e-07, 12.566.
Text shortNumber(double value);

/// A text as content of an HTML page.
std::string htmlText(std::string_view text);
/// Bytes as letters (RFC 4648).
std::string base64(std::string_view bytes);

/// Lines of cells, in columns as wide as their longest cell. With `numbers` all but the first column end at the right.
std::string alignedText(const std::vector<std::vector<std::string>>& rows, bool numbers);

/// The middle of the sorted values, or the mean of the two in the middle; 0 for no values.
inline double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace gravlab
