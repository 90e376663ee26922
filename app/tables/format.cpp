// Formatting by hand where printf has no such format.
#include "app/tables/format.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>

namespace gravlab {

Text grouped(std::uint64_t value) {
    char digits[24];
    const int count = std::snprintf(digits, sizeof digits, "%" PRIu64, value);
    Text out;
    char* to = out.text;
    for (int i = 0; i < count; ++i) {
        *to++ = digits[i];
        const int left = count - 1 - i;
        if (left > 0 && left % 3 == 0) *to++ = ',';
    }
    return out;
}

Text withPrefix(double value) {
    static constexpr struct {
        double size;
        const char* prefix;
    } kPrefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    Text out;
    for (const auto& row : kPrefixes) {
        const double part = value / row.size;
        // 999.5 would be printed as 1000, so use the next prefix.
        if (!(std::abs(part) >= 0.9995) && row.size > 1) continue;
        const int digits = std::abs(part) < 9.995 ? 2 : std::abs(part) < 99.95 ? 1 : 0;
        std::snprintf(out.text, sizeof out.text, "%.*f %s", digits, part, row.prefix);
        break;
    }
    return out;
}

Text milliseconds(double value) {
    Text out;
    const int digits = value == 0 ? 0 : value < 0.0995 ? 3 : value < 0.995 ? 2 : value < 99.5 ? 1 : 0;
    std::snprintf(out.text, sizeof out.text, "%.*f", digits, value);
    return out;
}

Text errorText(double value) {
    Text out;
    std::snprintf(out.text, sizeof out.text, value == 0 ? "%.0f" : "%.1e", value);
    return out;
}

Text rateText(double value) {
    if (value >= 9.95 && value < 1e18) return grouped(static_cast<std::uint64_t>(std::llround(value)));
    Text out;
    std::snprintf(out.text, sizeof out.text, value > 0 && value < 0.095 ? "%.2g" : "%.1f", value);
    return out;
}

Text shortNumber(double value) {
    Text out;
    std::snprintf(out.text, sizeof out.text, "%.5g", value);
    return out;
}

std::string htmlText(std::string_view text) {
    std::string result;
    for (const char c : text)
        result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return result;
}

std::string base64(std::string_view bytes) {
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        unsigned bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (unsigned i = 0; i < 4; ++i) text += at + i > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * i) & 63];
    }
    return text;
}

std::string alignedText(const std::vector<std::vector<std::string>>& rows, bool numbers) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t k = 0; k < row.size(); ++k) {
            const std::string room(widths[k] - row[k].size(), ' ');
            text += (k > 0 ? "  " : "") + (numbers && k > 0 ? room + row[k] : row[k] + room);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    return text;
}

}  // namespace gravlab
