#include "sim/api/units.h"

#include "sim/core/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string>

namespace gravlab {
namespace {

using namespace si;

constexpr double kLightSpeed = 299792458;

// Names in lower case and without '_', separated by blanks: programs write Msun, MSun, M_sun and solMass alike.
struct Symbol {
    std::string_view names;
    ParsedUnit unit;
};
const Symbol kSymbols[] = {
    {"m", {1, 1, 0, 0, false}},
    {"cm", {1e-2, 1, 0, 0, false}},
    {"km", {1e3, 1, 0, 0, false}},
    {"au ua", {kAstronomicalUnit, 1, 0, 0, false}},
    {"rearth", {6.3781e6, 1, 0, 0, false}},
    {"rjup", {7.1492e7, 1, 0, 0, false}},
    {"rsun solrad r☉", {6.957e8, 1, 0, 0, false}},
    {"ly lyr", {kLightSpeed * kYear, 1, 0, 0, false}},
    {"pc parsec", {kParsec, 1, 0, 0, false}},
    {"kpc", {kParsec * 1e3, 1, 0, 0, false}},
    {"mpc", {kParsec * 1e6, 1, 0, 0, false}},
    {"kg", {1, 0, 1, 0, false}},
    {"g", {1e-3, 0, 1, 0, false}},
    {"mearth mearths", {5.9722e24, 0, 1, 0, false}},
    {"mjup mjupiter", {1.89813e27, 0, 1, 0, false}},
    {"msun solmass m☉ m⊙", {kSunMass, 0, 1, 0, false}},
    {"s", {1, 0, 0, 1, false}},
    {"d day days", {kDay, 0, 0, 1, false}},
    {"yr year years", {kYear, 0, 0, 1, false}},
    {"myr", {kYear * 1e6, 0, 0, 1, false}},
    {"gyr", {kYear * 1e9, 0, 0, 1, false}},
    {"kms kms-1", {1e3, 1, 0, -1, false}},
    {"ms", {1, 1, 0, -1, false}},
    {"c", {kLightSpeed, 1, 0, -1, false}},
    {"rad", {1, 0, 0, 0, false}},
    {"length", {1, 1, 0, 0, true}},
    {"mass", {1, 0, 1, 0, true}},
    {"time", {1, 0, 0, 1, true}},
};

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<ParsedUnit> symbol(std::string_view text) {
    if (const std::optional<double> number = numberFrom<double>(text)) return ParsedUnit{*number, 0, 0, 0, false};
    std::string lower;
    for (char c : text)
        if (c != '_') lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    // Case distinguishes metres from mega and grams from giga; elsewhere programs write units in any case.
    const bool clear = text.size() > 1 || text == lower;
    const bool mega = lower != "mpc" && lower != "myr" ? true : text.front() == 'M';
    const auto named = [&](const Symbol& row) {
        return (' ' + std::string(row.names) + ' ').find(' ' + lower + ' ') != std::string::npos;
    };
    const auto row = std::ranges::find_if(kSymbols, named);
    if (row != std::end(kSymbols) && clear && mega && lower.find(' ') == std::string::npos) return row->unit;
    return std::nullopt;
}

/// Takes the digits of an exponent from the end of a name: "s-1", "m2".
int takePower(std::string_view& name) {
    std::size_t digits = name.size();
    while (digits > 0 && isDigit(name[digits - 1])) --digits;
    if (digits > 0 && digits < name.size() && (name[digits - 1] == '-' || name[digits - 1] == '+')) --digits;
    const std::size_t first = digits + (digits < name.size() && name[digits] == '+');
    int power = 1;
    const auto parsed = std::from_chars(name.data() + first, name.data() + name.size(), power);
    if (parsed.ec == std::errc{}) name = name.substr(0, digits);
    return power;
}

}  // namespace

std::optional<ParsedUnit> parsedUnit(std::string_view text) {
    ParsedUnit product;
    std::size_t at = 0;
    const auto skipBlanks = [&] {
        while (at < text.size() && text[at] == ' ') ++at;
    };
    skipBlanks();
    for (bool first = true; at < text.size(); first = false, skipBlanks()) {
        int sign = 1;
        if (!first && (text[at] == '*' || text[at] == '/' || text[at] == '.')) {
            sign = text[at] == '/' ? -1 : 1;
            ++at;
            skipBlanks();
        }
        // A term ends at a separator, but "1e-3" and "1000.0" keep their dots, and "**" begins an exponent.
        const bool number = at < text.size() && isDigit(text[at]);
        if (number && !first && sign > 0) return std::nullopt;  // "kpc*2" is no unit, but "2 kpc" and "kpc/0.7" are
        std::size_t stop = text.find_first_of(number ? " */" : " */.^", at);
        if (stop == std::string_view::npos) stop = text.size();
        std::string_view name = text.substr(at, stop - at);
        int power = 1;
        if (!number && !symbol(name)) power = takePower(name);
        const std::optional<ParsedUnit> term = symbol(name);
        if (!term) return std::nullopt;
        std::size_t digits = 0;
        if (text.substr(stop).starts_with("**")) digits = stop + 2;
        if (text.substr(stop).starts_with("^")) digits = stop + 1;
        if (digits > 0) {
            const auto parsed = std::from_chars(text.data() + digits, text.data() + text.size(), power);
            if (parsed.ec != std::errc{}) return std::nullopt;
            stop = static_cast<std::size_t>(parsed.ptr - text.data());
        }
        if (power < -9 || power > 9) return std::nullopt;
        power *= sign;
        product.factor *= std::pow(term->factor, power);
        product.length += term->length * power;
        product.mass += term->mass * power;
        product.time += term->time * power;
        product.nbody |= term->nbody;
        at = stop;
    }
    if (trimmed(text).empty() || !(product.factor > 0) || !std::isfinite(product.factor)) return std::nullopt;
    return product;
}

}  // namespace gravlab
