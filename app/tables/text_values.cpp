#include "app/tables/text_values.h"

#include "sim/api/errors.h"

#include <cmath>
#include <limits>

namespace gravlab {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& expected) {
    throw UsageError(std::string(option) + " '" + std::string(text) + "': expected " + expected);
}

constexpr double kMost = std::numeric_limits<double>::max();

/// A finite number of at least `least`.
double realIn(std::string_view option, std::string_view text, double least, const char* expected) {
    const auto value = wholeText<double>(text);
    if (!value || !(*value >= least && *value <= kMost)) refuse(option, text, expected);
    return *value;
}

}  // namespace

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    if (const auto value = wholeText<std::int64_t>(text)) return value;
    constexpr double kExact = 9007199254740992.0;  // 2^53: not every larger whole number is a double
    const auto real = wholeText<double>(text);
    if (!real || !(std::abs(*real) <= kExact) || *real != std::trunc(*real) || text.find_first_of("eE") == text.npos)
        return std::nullopt;
    return static_cast<std::int64_t>(*real);
}

std::optional<std::int64_t> wholeMultiple(std::string_view text) {
    const std::size_t suffix = text.empty() ? text.npos : std::string_view("kKmMgG").find(text.back());
    if (suffix == text.npos) return wholeNumber(text);
    const auto value = wholeText<std::int64_t>(text.substr(0, text.size() - 1));
    std::int64_t product = 0;
    if (!value || __builtin_mul_overflow(*value, std::int64_t{1} << (10 * (suffix / 2 + 1)), &product)) return std::nullopt;
    return product;
}

std::int64_t parseInteger(std::string_view option, std::string_view text, std::int64_t least, std::int64_t most) {
    const auto value = wholeNumber(text);
    if (value && *value >= least && *value <= most) return *value;
    std::string expected = "a whole number of at least " + std::to_string(least);
    if (most != std::numeric_limits<std::int64_t>::max()) expected += " and at most " + std::to_string(most);
    refuse(option, text, expected);
}

std::size_t parseBodies(std::string_view option, std::string_view text) {
    const auto value = wholeMultiple(text);
    if (!value || *value < 1 || *value > kMaxBodies)
        refuse(option, text, "a number of bodies from 1 to 2147483647, such as 65536, 64k (= 65536) or 1M (= 1048576)");
    return static_cast<std::size_t>(*value);
}

double parseReal(std::string_view option, std::string_view text) { return realIn(option, text, -kMost, "a finite number"); }

double parsePositive(std::string_view option, std::string_view text) {
    return realIn(option, text, std::numeric_limits<double>::denorm_min(), "a finite number above 0");
}

double parseNonNegative(std::string_view option, std::string_view text) {
    return realIn(option, text, 0, "a finite number of at least 0");
}

std::pair<int, int> parseSize(std::string_view option, std::string_view text) {
    const std::size_t cross = text.find_first_of("xX");
    if (cross != std::string_view::npos) {
        const auto width = wholeText<int>(text.substr(0, cross));
        const auto height = wholeText<int>(text.substr(cross + 1));
        const auto fits = [](const std::optional<int>& pixels) { return pixels && *pixels >= 1 && *pixels <= 16384; };
        if (fits(width) && fits(height)) return {*width, *height};
    }
    refuse(option, text, "WIDTHxHEIGHT in pixels, both from 1 to 16384, such as 1280x720");
}

std::optional<std::string> nameUnlessAuto(const std::string& text) {
    return text == "auto" ? std::nullopt : std::optional(text);
}

std::vector<std::string> splitList(const std::vector<std::string>& texts) {
    std::vector<std::string> pieces;
    for (const std::string& text : texts) {
        std::size_t start = 0;
        while (start <= text.size()) {
            const std::size_t end = std::min(text.find_first_of(", \t", start), text.size());
            if (end > start) pieces.push_back(text.substr(start, end - start));
            start = end + 1;
        }
    }
    return pieces;
}

}  // namespace gravlab
