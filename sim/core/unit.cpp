#include "sim/core/unit.h"

#include <charconv>
#include <cmath>
#include <string>

namespace gravlab {
namespace {

using namespace si;

struct Symbol {
    std::string_view name;
    ParsedUnit unit;
};
const Symbol kSymbols[] = {
    {"m", {1, 1, 0, 0, false}},
    {"cm", {1e-2, 1, 0, 0, false}},
    {"km", {1e3, 1, 0, 0, false}},
    {"au", {kAstronomicalUnit, 1, 0, 0, false}},
    {"rsun", {6.957e8, 1, 0, 0, false}},
    {"pc", {kParsec, 1, 0, 0, false}},
    {"parsec", {kParsec, 1, 0, 0, false}},
    {"kpc", {kParsec * 1e3, 1, 0, 0, false}},
    {"mpc", {kParsec * 1e6, 1, 0, 0, false}},
    {"kg", {1, 0, 1, 0, false}},
    {"g", {1e-3, 0, 1, 0, false}},
    {"msun", {kSunMass, 0, 1, 0, false}},
    {"mearth", {5.9722e24, 0, 1, 0, false}},
    {"mjupiter", {1.89813e27, 0, 1, 0, false}},
    {"s", {1, 0, 0, 1, false}},
    {"day", {kDay, 0, 0, 1, false}},
    {"days", {kDay, 0, 0, 1, false}},
    {"yr", {kYear, 0, 0, 1, false}},
    {"year", {kYear, 0, 0, 1, false}},
    {"years", {kYear, 0, 0, 1, false}},
    {"myr", {kYear * 1e6, 0, 0, 1, false}},
    {"gyr", {kYear * 1e9, 0, 0, 1, false}},
    {"kms", {1e3, 1, 0, -1, false}},
    {"ms", {1, 1, 0, -1, false}},
    {"length", {1, 1, 0, 0, true}},
    {"mass", {1, 0, 1, 0, true}},
    {"time", {1, 0, 0, 1, true}},
};

std::optional<ParsedUnit> symbol(std::string_view text) {
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size()) return ParsedUnit{number, 0, 0, 0, false};
    std::string lower;
    for (char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    // Case distinguishes metres from mega and grams from giga; elsewhere programs write units in any case.
    const bool clear = text.size() > 1 || text == lower;
    const bool mega = lower != "mpc" && lower != "myr" ? true : text.front() == 'M';
    for (const Symbol& row : kSymbols)
        if (row.name == lower && clear && mega) return row.unit;
    return std::nullopt;
}

}  // namespace

std::optional<ParsedUnit> parsedUnit(std::string_view text) {
    ParsedUnit product;
    bool any = false;
    int sign = 1;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == ' ' || c == '*' || c == '/' || c == '.') {
            if (c == '/') sign = -1;
            ++at;
            continue;
        }
        // A term ends at a separator, but "1e-3" and "1000.0" keep their dots, and "**" begins an exponent.
        const bool number = (c >= '0' && c <= '9');
        std::size_t stop = text.find_first_of(number ? " */" : " */.^", at);
        if (stop == std::string_view::npos) stop = text.size();
        const std::optional<ParsedUnit> term = symbol(text.substr(at, stop - at));
        if (!term) return std::nullopt;
        int power = 1;
        std::size_t digits = 0;
        if (text.substr(stop).starts_with("**")) digits = stop + 2;
        if (text.substr(stop).starts_with("^")) digits = stop + 1;
        if (digits > 0) {
            const auto parsed = std::from_chars(text.data() + digits, text.data() + text.size(), power);
            if (parsed.ec != std::errc{} || power < -9 || power > 9) return std::nullopt;
            stop = static_cast<std::size_t>(parsed.ptr - text.data());
        }
        power *= sign;
        sign = 1;
        product.factor *= std::pow(term->factor, power);
        product.length += term->length * power;
        product.mass += term->mass * power;
        product.time += term->time * power;
        product.nbody |= term->nbody;
        any = true;
        at = stop;
    }
    if (!any || !(product.factor > 0) || !std::isfinite(product.factor)) return std::nullopt;
    return product;
}

}  // namespace gravlab
