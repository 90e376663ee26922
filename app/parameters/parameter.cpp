// The common code of all rows: finding one, checking a value, describing the allowed values.
#include "app/parameters/parameter.h"

#include "app/parameters/quantity.h"
#include "app/tables/format.h"
#include "app/tables/text_values.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/io/toml_value.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

namespace gravlab {
namespace {

std::string endText(double end, const Parameter& parameter) {
    constexpr double kMost64 = 18446744073709551615.0;
    if (parameter.kind == Kind::integer && end >= kMost64) return "18446744073709551615";
    if (parameter.kind == Kind::integer)
        return valueText(wholeValue(static_cast<std::uint64_t>(std::abs(end)))).insert(0, end < 0 ? "-" : "");
    return shortestText(end);
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

Bounds shownBounds(const Parameter& parameter, bool shown) {
    Bounds bounds = parameter.bounds;
    if (!shown || parameter.displayUnit.scale == 1) return bounds;
    // Bounds are round numbers in the displayed unit.
    const auto converted = [&](double end) {
        return std::isfinite(end) ? std::round(end * parameter.displayUnit.scale * 1e6) / 1e6 : end;
    };
    bounds.least = converted(bounds.least);
    bounds.most = converted(bounds.most);
    return bounds;
}

std::string allowed(const Parameter& parameter, bool shown) {
    const Bounds bounds = shownBounds(parameter, shown);
    const std::string kind = parameter.kind == Kind::integer ? "a whole number" : "a finite number";
    const bool least = std::isfinite(bounds.least), most = std::isfinite(bounds.most);
    switch (parameter.kind) {
        case Kind::flag:
            if (shown && !parameter.storedAs.on.empty())
                return std::string(parameter.storedAs.off) + " or " + std::string(parameter.storedAs.on);
            return "true or false";
        case Kind::choice:
            return parameter.names.empty() ? listed(parameter.choices()) : std::string(parameter.names);
        case Kind::names:
            return "all, none or some of " + listed(parameter.choices());
        case Kind::text:
            return "a text";
        case Kind::list:
            return "[" + std::string(parameter.size == 3 ? "x, y, z" : "...") + "], " + std::to_string(parameter.size) +
                   " finite numbers";
        case Kind::integer:
        case Kind::number:
            break;
    }
    std::string text = kind;
    if (least && bounds.aboveLeast)
        text +=
            " above " + endText(bounds.least, parameter) + (most ? " and at most " + endText(bounds.most, parameter) : "");
    else if (least && most)
        text += " of at least " + endText(bounds.least, parameter) + " and at most " + endText(bounds.most, parameter);
    else if (least)
        text += " of at least " + endText(bounds.least, parameter);
    if (!bounds.zero) text += " other than 0";
    if (parameter.multiples) text += ", such as 65536, 64k (= 65536) or 1M (= 1048576)";
    return text;
}

std::string nounOf(const Parameter& parameter) {
    if (!parameter.noun.empty()) return std::string(parameter.noun);
    std::string noun(parameter.label);
    noun.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(noun.front())));
    return noun;
}

/// "auto, or ": the words that a row accepts beside its values.
std::string otherwise(const Parameter& parameter) {
    if (parameter.specialValue.empty()) return {};
    return std::string(parameter.specialValue) + (parameter.automatic ? ", auto, or " : ", or ");
}

bool within(const Bounds& bounds, double number) {
    return std::isfinite(number) && number >= bounds.least && number <= bounds.most &&
           !(bounds.aboveLeast && number == bounds.least) && (bounds.zero || number != 0);
}

/// Parses 64k, 1M, 1G and 1e4.
std::optional<Value> multiple(const Value& value) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (const auto* real = std::get_if<double>(&value); real && std::abs(*real) <= kExact && *real == std::trunc(*real))
        return Value(static_cast<std::int64_t>(*real));
    const auto* text = std::get_if<std::string>(&value);
    const auto whole = text ? wholeMultiple(*text) : std::nullopt;
    return whole ? std::optional<Value>(*whole) : std::nullopt;
}

/// Some of the names, in the order of the table. Empty when one is unknown; `unknown` then holds it.
std::optional<Value> namesIn(const Parameter& parameter, const std::string& text, std::string* unknown = nullptr) {
    const std::vector<std::string> names = parameter.choices(), pieces = splitList({text});
    std::vector<bool> chosen(names.size(), false);
    for (const std::string& piece : pieces) {
        const auto found = std::find(names.begin(), names.end(), piece);
        if (piece == "all")
            chosen.assign(names.size(), true);
        else if (found != names.end())
            chosen[static_cast<std::size_t>(found - names.begin())] = true;
        else if (piece != "none" || pieces.size() > 1) {  // none cannot be combined with another name
            if (unknown) *unknown = piece;
            return std::nullopt;
        }
    }
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (chosen[i]) addTo(list, names[i], ",");
    return list.empty() ? std::string("none") : list;
}

/// The value in the row's type; empty when conversion is impossible.
std::optional<Value> fitted(const Parameter& parameter, const Value& value, bool shown) {
    const Bounds bounds = shownBounds(parameter, shown);
    const double scale = shown ? parameter.displayUnit.scale : 1;
    switch (parameter.kind) {
        case Kind::flag:
            if (std::holds_alternative<bool>(value)) return value;
            return std::nullopt;
        case Kind::integer: {
            const Value whole = parameter.multiples ? multiple(value).value_or(value) : value;
            if (std::holds_alternative<double>(whole)) return std::nullopt;
            const std::optional<double> number = numberOf(whole);
            if (!number || !within(bounds, *number)) return std::nullopt;
            return whole;
        }
        case Kind::number: {
            const std::optional<double> number = numberOf(value);
            if (!number || !within(bounds, *number)) return std::nullopt;
            const double own = *number / scale;
            const auto held = static_cast<float>(own);
            if (parameter.single && (!std::isfinite(held) || (held == 0 && own != 0))) return std::nullopt;
            return Value(own);
        }
        case Kind::choice: {
            const auto* text = std::get_if<std::string>(&value);
            const std::vector<std::string> names = parameter.choices();
            if (!text || std::find(names.begin(), names.end(), *text) == names.end()) return std::nullopt;
            return value;
        }
        case Kind::names: {
            const auto* text = std::get_if<std::string>(&value);
            return text ? namesIn(parameter, *text) : std::nullopt;
        }
        case Kind::text:
            if (std::holds_alternative<std::string>(value)) return value;
            return std::nullopt;
        case Kind::list: {
            const auto* list = std::get_if<std::vector<double>>(&value);
            const auto finite = [&](double number) {
                return std::isfinite(parameter.single ? static_cast<float>(number) : number);
            };
            if (!list || list->size() != parameter.size || !std::all_of(list->begin(), list->end(), finite))
                return std::nullopt;
            return value;
        }
    }
    return std::nullopt;
}

bool isWords(const Parameter& parameter) {
    return parameter.kind == Kind::choice || parameter.kind == Kind::names || parameter.kind == Kind::text;
}

/// Converts a bare word or number to text: names of files and rows may look like numbers.
Value asText(const Parameter& parameter, const Value& value) {
    if (!isWords(parameter) || std::holds_alternative<std::string>(value) || isNothing(value)) return value;
    return valueText(value);
}

}  // namespace

std::span<const Parameter> parameters() {
    static const std::vector<Parameter> rows = [] {
        std::vector<Parameter> all;
        for (auto* group : {runParameters, comparisonParameters, lookParameters, viewParameters, windowParameters})
            for (Parameter& row : group()) all.push_back(std::move(row));
        return all;
    }();
    return rows;
}

const Parameter* findParameter(std::string_view path) {
    static const std::unordered_map<std::string_view, const Parameter*> byPath = [] {
        std::unordered_map<std::string_view, const Parameter*> all;
        for (const Parameter& row : parameters()) all.emplace(row.path, &row);
        return all;
    }();
    const auto found = byPath.find(path);
    return found == byPath.end() ? nullptr : found->second;
}

const Parameter& parameter(std::string_view path) {
    if (const Parameter* found = findParameter(path)) return *found;
    std::vector<std::string_view> valid;
    for (const Parameter& row : parameters()) valid.push_back(row.path);
    throw UsageError(unknownOfMany("parameter", path, valid, "gravlab list parameters"));
}

const Parameter& ofSetting(std::string_view key) {
    return *std::ranges::find(parameters(), key, [](const Parameter& row) { return row.storedAs.checkpoint; });
}

std::string allowedText(const Parameter& parameter) { return otherwise(parameter) + allowed(parameter, false); }

Value checked(const Parameter& parameter, const Value& value, std::string_view name, bool shown) {
    const Value meant = asText(parameter, value);
    const auto* word = std::get_if<std::string>(&meant);
    if (word && !word->empty() && (*word == parameter.specialValue || (parameter.automatic && *word == "auto")))
        return meant;
    if (const std::optional<Value> found = fitted(parameter, meant, shown)) return *found;
    if (name.empty()) name = parameter.path;
    const bool some = parameter.kind == Kind::names;
    constexpr std::size_t kMostListed = 60;
    if ((some || (parameter.kind == Kind::choice && parameter.choices().size() < kMostListed)) && word) {
        std::string unknown = *word;
        if (some) namesIn(parameter, *word, &unknown);
        if (unknown == "none") throw UsageError(std::string(name) + " '" + *word + "': none stands alone");
        const std::vector<std::string> names = parameter.choices();
        std::vector<std::string_view> valid(names.begin(), names.end());
        if (!parameter.specialValue.empty()) valid.insert(valid.begin(), parameter.specialValue);
        if (some) valid.insert(valid.begin(), {"all", "none"});
        throw UsageError(std::string(name) + ": " + unknownName(nounOf(parameter), unknown, valid));
    }
    constexpr std::size_t kLongestShown = 60;
    const auto* number = std::get_if<double>(&value);
    std::string given = word ? *word : number ? shortestText(*number) : valueText(value);
    if (given.size() > kLongestShown) given = given.substr(0, kLongestShown) + "...";
    throw UsageError(std::string(name) + " '" + given + "': expected " + otherwise(parameter) + allowed(parameter, shown));
}

void setParameter(Document& document, std::string_view path, const Value& value) {
    const Parameter& row = parameter(path);
    if (row.fact()) throw UsageError(row.path + " is measured, not set");
    const auto* text = std::get_if<std::string>(&value);
    const bool unit = text && hasDimension(row.unit) && isQuantity(*text);
    const auto inRun = [&] {
        const Scene* scene = document.facts.scene;
        return quantity(row.path, *text, row.unit, scene ? scene->units : SceneUnits(), document.facts.configuration.scene);
    };
    const Value fitting = checked(row, unit ? Value(inRun()) : value);
    if (row.unavailable)
        if (const Reason reason = row.unavailable(document); !reason.empty()) throw UsageError(row.path + ": " + reason);
    row.set(document, fitting);
}

bool placesCamera(const Settings& settings) {
    constexpr std::string_view kPlacing[] = {"camera.azimuth", "camera.distance", "camera.elevation", "camera.target",
                                             "view.follow"};
    return std::ranges::any_of(kPlacing, [&](std::string_view path) { return settings.contains(path); });
}

void applySettings(Document& document, const Settings& settings) {
    for (const Parameter& row : parameters())
        if (const auto found = settings.find(row.path); found != settings.end())
            setParameter(document, row.path, found->second);
}

Value optionValue(const Parameter& row, std::string_view option, const std::string& text) {
    Value value = text;
    if (row.kind == Kind::number) {
        if (const auto number = wholeText<double>(text)) value = *number;
    } else if (row.kind == Kind::integer) {
        if (const auto small = wholeText<std::int64_t>(text))
            value = *small;
        else if (const auto large = wholeText<std::uint64_t>(text))
            value = *large;
    } else if (row.kind == Kind::flag) {
        if (text == row.storedAs.on || text == row.storedAs.off) value = text == row.storedAs.on;
    }
    return checked(row, value, option, true);
}

Value fileValue(const Parameter& row, std::string_view key, std::string_view text) {
    std::optional<Value> value = tomlValue(text);
    if (isWords(row) && !(value && std::holds_alternative<std::string>(*value)))
        throw UsageError(std::string(key) + " must be a name in quotes");
    if (row.kind == Kind::flag && !row.storedAs.on.empty()) return optionValue(row, key, std::string(text));
    return checked(row, value.value_or(std::string(text)), key, true);
}

std::string fileText(const Parameter& row, const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return tomlString(*text);
    const auto* flag = std::get_if<bool>(&value);
    if (flag && !row.storedAs.on.empty()) return std::string(*flag ? row.storedAs.on : row.storedAs.off);
    // Nine digits reproduce a float in any unit.
    if (row.displayUnit.scale != 1) return formatted("%.9g", std::get<double>(value) * row.displayUnit.scale);
    return valueText(value);
}

const Parameter* sharing(const Parameter& row, std::string_view StoredNames::*name) {
    if ((row.storedAs.*name).empty()) return nullptr;
    for (const Parameter& other : parameters())
        if (other.storedAs.*name == row.storedAs.*name && (other.kind == Kind::flag) != (row.kind == Kind::flag))
            return &other;
    return nullptr;
}

std::vector<SettingChoice> offersOf(const Parameter& parameter, const Document& document) {
    if (parameter.offers) return parameter.offers(document);
    const Value now = parameter.get(document);
    std::vector<SettingChoice> rows;
    for (const std::string& name : parameter.choices()) rows.push_back({name, {}, Value(name) == now, {}});
    return rows;
}

std::string refusalText(const Parameter& parameter) {
    if (parameter.fact()) return parameter.path + " is measured, not set";
    if (parameter.kind == Kind::choice || parameter.kind == Kind::names)
        return parameter.path + ": unknown " + nounOf(parameter) + " '...'";
    return parameter.path + " '...': expected " + allowedText(parameter);
}

std::string keptText(const Parameter& parameter) {
    std::string text;
    const auto add = [&](std::string_view where, std::string_view name) {
        if (!name.empty()) addTo(text, std::string(where) + " (" + std::string(name) + ")");
    };
    add("command line", parameter.storedAs.option);
    add("scene file", parameter.storedAs.scene);
    add("checkpoint", parameter.storedAs.checkpoint);
    add("config.toml", parameter.storedAs.configuration);
    return text.empty() ? "nowhere" : text;
}

}  // namespace gravlab
