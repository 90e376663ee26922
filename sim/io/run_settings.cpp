#include "sim/io/run_settings.h"

#include "sim/api/errors.h"
#include "sim/backends/devices.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/validation.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"
#include "sim/io/file/source.h"
#include "sim/io/toml_value.h"
#include "sim/scenes/scene.h"
#include "sim/tree/criterion.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace gravlab {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr int kMostVersions = 1000;
constexpr int kMostLaunch = 1 << 30, kMostBodiesPerThread = 1024, kMostSplit = 65535;

template <class Number>
std::string numberText(Number value) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    std::string result(text, end);
    // In TOML a point or an exponent makes a number a float.
    if (std::is_floating_point_v<Number> && result.find_first_of(".en") == std::string::npos) result += ".0";
    return result;
}

std::optional<std::string> stringValue(std::string_view value) {
    const std::optional<Value> found = tomlValue(value);
    const auto* text = found ? std::get_if<std::string>(&*found) : nullptr;
    return text ? std::optional(*text) : std::nullopt;
}

template <class Number>
bool takeNumber(Number& to, std::string_view value, Number least, Number most) {
    const std::optional<Value> found = tomlValue(value);
    if (!found) return false;
    if constexpr (std::is_floating_point_v<Number>) {
        const std::optional<double> number = numberOf(*found);
        if (!number || !(*number >= least && *number <= most)) return false;
        to = *number;
    } else if (const auto* large = std::get_if<std::uint64_t>(&*found)) {
        if (*large > static_cast<std::uint64_t>(most)) return false;
        to = static_cast<Number>(*large);
    } else {
        const auto* whole = std::get_if<std::int64_t>(&*found);
        if (!whole || std::cmp_less(*whole, least) || std::cmp_greater(*whole, most)) return false;
        to = static_cast<Number>(*whole);
    }
    return true;
}

bool takeName(std::string& to, std::string_view value) {
    std::optional<std::string> text = stringValue(value);
    if (!text || text->empty()) return false;
    to = std::move(*text);
    return true;
}

/// An inline table of numbers; names are bare keys of TOML.
std::string tableText(const SceneParameters& parameters) {
    std::string text;
    for (const auto& [name, value] : parameters) text += (text.empty() ? "{ " : ", ") + name + " = " + numberText(value);
    return text.empty() ? "{}" : text + " }";
}

bool takeTable(SceneParameters& to, std::string_view value) {
    constexpr std::size_t kMost = 64;
    const auto found = tomlTable(value);
    if (!found || found->size() > kMost) return false;
    to = *found;
    return true;
}

/// The word for an accuracy that computes every pair, whatever the scene's default.
constexpr std::string_view kExact = "exact";

bool saysAuto(std::string_view value) { return stringValue(value) == kAuto; }

/// A number that may be unset.
template <class Number>
std::string openText(const std::optional<Number>& number) {
    return number ? numberText(*number) : tomlString(kAuto);
}
template <class Number>
bool takeOpen(std::optional<Number>& to, std::string_view value, Number least, Number most) {
    if (saysAuto(value)) {
        to.reset();
        return true;
    }
    Number number{};
    if (!takeNumber<Number>(number, value, least, most)) return false;
    to = number;
    return true;
}

/// A name that may be unset.
bool takeOpenName(std::optional<std::string>& to, std::string_view value) {
    std::string name;
    if (!takeName(name, value)) return false;
    to.reset();
    if (name != kAuto) to = std::move(name);
    return true;
}

std::string_view nameOf(Law law) { return lawRow(law).name; }
std::string_view nameOf(ContactMode mode) { return contactRow(mode).name; }

/// A row of a table that may be unset; `of` is what a request has of it.
template <class Value, class Row>
bool takeOpenRow(std::optional<Value>& to, std::string_view value, std::span<const Row> rows, Value Row::*of) {
    const std::optional<std::string> text = stringValue(value);
    const auto row = std::ranges::find_if(rows, [&](const Row& each) { return text == each.name; });
    if (row == rows.end() && text != kAuto) return false;
    to = row == rows.end() ? std::nullopt : std::optional(*row.*of);
    return true;
}

/// All precisions, each in quotes.
const std::string& precisionList() {
    static const std::string text = precisionNames("\"");
    return text;
}

/// The setting of a law's number in a request.
template <std::optional<double> LawRequest::*kOne>
SettingRow lawNumberRow() {
    static const LawNumber& number = *std::ranges::find(lawNumbers(), kOne, &LawNumber::wanted);
    static const std::string expected = "a number from " + rangeText(number);
    return {
        number.key,
        [](const RunRequest& s) { return openText(s.lawNumbers.*kOne); },
        [](RunRequest& s, std::string_view v) { return takeOpen<double>(s.lawNumbers.*kOne, v, number.least, number.most); },
        [](RunRequest& to, const RunRequest& from) { to.lawNumbers.*kOne = from.lawNumbers.*kOne; },
        expected,
        number.least,
        number.most};
}

#define GRAVLAB_COPY(member) [](RunRequest& to, const RunRequest& from) { to.member = from.member; }
#define GRAVLAB_OPEN_NAME(member, key, what)                                                                        \
    {                                                                                                               \
        key, [](const RunRequest& s) { return tomlString(s.member ? std::string_view(*s.member) : kAuto); },        \
            [](RunRequest& s, std::string_view v) { return takeOpenName(s.member, v); }, GRAVLAB_COPY(member), what \
    }
#define GRAVLAB_OPEN_ROW(member, key, name, rows, value, what)                                   \
    {                                                                                            \
        key, [](const RunRequest& s) { return tomlString(s.member ? name(*s.member) : kAuto); }, \
            [](RunRequest& s, std::string_view v) {                                              \
                using Row = std::remove_cvref_t<decltype(rows.front())>;                         \
                return takeOpenRow(s.member, v, std::span<const Row>(rows), &Row::value);        \
            },                                                                                   \
            GRAVLAB_COPY(member), what                                                           \
    }
#define GRAVLAB_OPEN_NUMBER(member, key, least, most, what)                                \
    {                                                                                      \
        key, [](const RunRequest& s) { return openText(s.member); },                       \
            [](RunRequest& s, std::string_view v) {                                        \
                return takeOpen<decltype(s.member)::value_type>(s.member, v, least, most); \
            },                                                                             \
            GRAVLAB_COPY(member), what, least, most                                        \
    }

const SettingRow kRows[] = {
    {"scene", [](const RunRequest& s) { return tomlString(s.scene); },
     [](RunRequest& s, std::string_view v) { return takeName(s.scene, v); }, GRAVLAB_COPY(scene), "the name of a scene"},
    GRAVLAB_OPEN_NUMBER(sceneVersion, "scene_version", 1, kMostVersions, "a whole number of at least 1"),
    {"bodies", [](const RunRequest& s) { return openText(s.bodies); },
     [](RunRequest& s, std::string_view v) {
         // 0 means the scene's own N in older files.
         const bool taken = takeOpen<std::size_t>(s.bodies, v, 0, kMostBodies);
         if (s.bodies == 0u) s.bodies.reset();
         return taken;
     },
     GRAVLAB_COPY(bodies), "a whole number up to 2147483647", 1, static_cast<double>(kMostBodies)},
    {"seed", [](const RunRequest& s) { return numberText(s.seed); },
     [](RunRequest& s, std::string_view v) { return takeNumber(s.seed, v, std::uint64_t{0}, ~std::uint64_t{0}); },
     GRAVLAB_COPY(seed), "a whole number from 0 to 18446744073709551615", 0, static_cast<double>(~std::uint64_t{0})},
    {"parameters", [](const RunRequest& s) { return tableText(s.parameters); },
     [](RunRequest& s, std::string_view v) { return takeTable(s.parameters, v); }, GRAVLAB_COPY(parameters),
     "{ name = number, ... }"},
    {"backend", [](const RunRequest& s) { return tomlString(s.backend ? std::string_view(*s.backend) : kAuto); },
     [](RunRequest& s, std::string_view v) { return takeOpenName(s.backend, v); },
     [](RunRequest& to, const RunRequest& from) {
         to.backend = from.backend;
         to.backendOpen = from.backendOpen;
     },
     "the name of a backend"},
    {"device",
     [](const RunRequest& s) {
         // A number, as in older files, where there is one device.
         const std::string text = devicesText(s.backendOptions);
         return s.backendOptions.helpers.empty() ? text : tomlString(text);
     },
     [](RunRequest& s, std::string_view v) {
         return takeDevices(s.backendOptions, stringValue(v).value_or(std::string(v)));
     },
     [](RunRequest& to, const RunRequest& from) {
         to.backendOptions.device = from.backendOptions.device;
         to.backendOptions.helpers = from.backendOptions.helpers;
     },
     "a number from 0 to 1023, or several, as in \"0,1,2\", or \"all\""},
    {"threads", [](const RunRequest& s) { return openText(s.backendOptions.threads); },
     [](RunRequest& s, std::string_view v) {
         // 0 means all threads in older files.
         const bool taken = takeOpen<int>(s.backendOptions.threads, v, 0, kMostThreads);
         if (s.backendOptions.threads == 0) s.backendOptions.threads.reset();
         return taken;
     },
     GRAVLAB_COPY(backendOptions.threads), "a whole number from 0 to 4096", 1, kMostThreads},
    {"simd", [](const RunRequest& s) { return tomlString(s.backendOptions.simd.value_or(std::string(kAuto))); },
     [](RunRequest& s, std::string_view v) {
         const std::optional<std::string> text = stringValue(v);
         if (!text) return false;
         s.backendOptions.simd.reset();
         if (!text->empty() && text != kAuto) s.backendOptions.simd = text;
         return true;
     },
     GRAVLAB_COPY(backendOptions.simd), "the name of an instruction set"},
    GRAVLAB_OPEN_NAME(pairs().kernel.kernel, "kernel", "the name of a kernel"),
    GRAVLAB_OPEN_NUMBER(pairs().kernel.launch.block, "block", 1, kMostLaunch, "a whole number of at least 1"),
    GRAVLAB_OPEN_NUMBER(pairs().kernel.launch.unroll, "unroll", kAutoUnroll, kMostLaunch,
                        "a whole number of at least 1, or 0 where the compiler chooses"),
    GRAVLAB_OPEN_NUMBER(pairs().kernel.launch.bodiesPerThread, "bodies_per_thread", 1, kMostBodiesPerThread,
                        "a whole number from 1 to 1024"),
    GRAVLAB_OPEN_NUMBER(pairs().kernel.launch.split, "split", 1, kMostSplit, "a whole number from 1 to 65535"),
    {"term_kernels", [](const RunRequest& s) { return tomlString(termRequestsText(s.terms)); },
     [](RunRequest& s, std::string_view v) {
         const std::optional<std::string> text = stringValue(v);
         if (!text) return false;
         try {
             TermRequests wanted = parsedTermRequests(*text);
             wanted.try_emplace(std::string(kPairLawTerm), s.pairs());
             s.terms = std::move(wanted);
         } catch (const UsageError&) {
             return false;
         }
         return true;
     },
     [](RunRequest& to, const RunRequest& from) {
         to.openOthers();
         to.terms.merge(TermRequests(from.terms));
     },
     "TERM=ROW for each force term, as in \"springs=list:block=64\""},
    {"accuracy",
     [](const RunRequest& s) { return s.pairs().accuracy == 0.0 ? tomlString(kExact) : openText(s.pairs().accuracy); },
     [](RunRequest& s, std::string_view v) {
         if (stringValue(v) != kExact) return takeOpen<double>(s.pairs().accuracy, v, kFinestAccuracy, kCoarsestAccuracy);
         s.pairs().accuracy = 0;
         return true;
     },
     GRAVLAB_COPY(pairs().accuracy), "a number from 1e-05 to 0.01, or exact", kFinestAccuracy, kCoarsestAccuracy},
    GRAVLAB_OPEN_NUMBER(pairs().opening, "opening", kLeastOpening, kMostOpening, "a number from 0.1 to 1.5"),
    GRAVLAB_OPEN_NAME(integrator, "integrator", "the name of an integrator"),
    GRAVLAB_OPEN_NUMBER(timeStep, "time_step", -1e300, 1e300, "a finite number"),
    GRAVLAB_OPEN_NUMBER(softening, "softening", 0.0, 1e300, "a finite number of at least 0"),
    GRAVLAB_OPEN_ROW(precision, "precision", nameOf, precisions(), precision, precisionList()),
    GRAVLAB_OPEN_NAME(fields, "fields", "outer forces, as in \"nfw,mass=100,scale=1.6;drag,rate=0.1\", or none"),
    GRAVLAB_OPEN_ROW(law, "law", nameOf, laws(), law, "the name of a law"),
#define GRAVLAB_LAW_NUMBER(member, ...) lawNumberRow<&LawRequest::member>(),
#include "sim/api/law_numbers.inl"
    GRAVLAB_OPEN_ROW(contact, "contact", nameOf, contactModes(), mode, "\"none\", \"merge\", \"bounce\" or \"stick\""),
    GRAVLAB_OPEN_NUMBER(radius, "radius", 0.0, 1e300, "a finite number of at least 0"),
    GRAVLAB_OPEN_NUMBER(density, "density", 0.0, 1e300, "a finite number of at least 0"),
    GRAVLAB_OPEN_NUMBER(restitution, "restitution", 0.0, 1.0, "a number from 0 to 1"),
    GRAVLAB_OPEN_NUMBER(friction, "friction", 0.0, 1e300, "a finite number of at least 0"),
};

#undef GRAVLAB_COPY
#undef GRAVLAB_OPEN_NAME
#undef GRAVLAB_OPEN_ROW
#undef GRAVLAB_OPEN_NUMBER
#undef GRAVLAB_LAW_NUMBER

/// The requested backend, when another one ran. Not a row, because users do not set it.
constexpr std::string_view kBackendOpen = "backend_asked";
/// The version of a row's order of sums, where it is not the first; neither a row.
constexpr std::string_view kSums = "sums";

/// 2 for rows of a device that compute each pair once: a tree joins their partial sums since that version.
int sumsVersion(const RunRequest& request) {
    const std::optional<std::string>& name = request.pairs().kernel.kernel;
    if (!request.backend || !name || !hasKernel(*request.backend, *name)) return 1;
    const KernelRow& row = kernel(*request.backend, *name);
    return row.cut == Split::tilePairs && row.deterministic && backend(row.backend).onDevice ? 2 : 1;
}

}  // namespace

std::span<const SettingRow> settingRows() { return kRows; }

const SettingRow& settingRow(std::string_view key) { return *std::ranges::find(kRows, key, &SettingRow::key); }

std::string settingsText(const RunRequest& request) {
    std::string text;
    for (const SettingRow& row : kRows) text += std::string(row.key) + " = " + row.text(request) + "\n";
    if (request.backend && request.backendOpen) text += std::string(kBackendOpen) + " = " + tomlString(kAuto) + "\n";
    if (const int sums = sumsVersion(request); sums > 1) text += std::string(kSums) + " = " + std::to_string(sums) + "\n";
    return text;
}

namespace {

/// The line that set each row; 0: none.
using Lines = std::array<std::size_t, std::size(kRows)>;

/// The settings of a text, one per line.
std::vector<SettingLine> settingLines(std::string_view text, const std::string& where) {
    std::vector<SettingLine> settings;
    eachLine(text, 1, [&](std::size_t number, std::string_view line) {
        const auto [key, value, found] = keyValue(line);
        if (!found)
            throw InputError(where + " line " + std::to_string(number) + ": expected KEY = VALUE, not " + excerpt(line));
        settings.push_back({std::string(key), std::string(value), number});
    });
    return settings;
}

/// Place of the row with that key; their number where there is none.
std::size_t settingPlace(std::string_view key) {
    return static_cast<std::size_t>(std::ranges::find(kRows, key, &SettingRow::key) - std::begin(kRows));
}

/// `unknown` is called for keys that no row has.
template <class Unknown>
RunRequest parse(std::span<const SettingLine> settings, const std::string& where, Lines& lines, Unknown unknown) {
    RunRequest request;
    for (const auto& [key, value, number] : settings) {
        const auto refuse = [&, line = number](const std::string& why) {
            throw InputError(where + " line " + std::to_string(line) + ": " + why);
        };
        const std::size_t place = settingPlace(key);
        if (place == std::size(kRows)) {
            unknown(key, number);
            continue;
        }
        const SettingRow& row = kRows[place];
        if (lines[place] > 0) refuse(key + " is there twice, first in line " + std::to_string(lines[place]));
        lines[place] = number;
        if (!row.take(request, value)) refuse(key + " = " + excerpt(value) + "; allowed: " + std::string(row.expected));
    }
    // Files without a version mean the first one.
    if (lines[settingPlace("scene")] > 0 && lines[settingPlace("scene_version")] == 0) request.sceneVersion = 1;
    return request;
}

/// Checks beyond the form of a line: that names exist, and that lines go together. Throws UsageError.
struct Sense {
    std::string_view key;
    void (*require)(const RunRequest&);
};

constexpr Sense kSense[] = {
    {"scene", [](const RunRequest& s) { sceneNamed(s.scene); }},
    {"scene_version", [](const RunRequest& s) { sceneNamed(s.scene, s.sceneVersion); }},
    {"backend",
     [](const RunRequest& s) {
         if (s.backend) backend(*s.backend);
     }},
    {"kernel",
     [](const RunRequest& s) {
         if (s.pairs().kernel.kernel) requireKernel(*s.pairs().kernel.kernel);
     }},
    {"integrator",
     [](const RunRequest& s) {
         if (s.integrator) integrator(*s.integrator);
     }},
    {"fields",
     [](const RunRequest& s) {
         // Whether the run has units shows when its bodies are known.
         if (s.fields) parsedFields(*s.fields, {1, 1, 1});
     }},
    {"time_step", [](const RunRequest& s) { requireTimeStep(s.timeStep.value_or(1)); }},
    {"parameters", [](const RunRequest& s) { requireParameters(sceneNamed(s.scene, s.sceneVersion), s.parameters); }},
    {"bodies",
     [](const RunRequest& s) {
         const std::size_t fixed = sceneNamed(s.scene, s.sceneVersion).fixedBodies;
         if (fixed != 0 && s.bodies.value_or(fixed) != fixed)
             throw UsageError("the scene '" + s.scene + "' always has " + std::to_string(fixed) +
                              " bodies; leave bodies out, or choose another scene");
     }},
    {"integrator",
     [](const RunRequest& s) {
         if (!s.integrator) return;
         const Law law = s.law ? *s.law : sceneNamed(s.scene, s.sceneVersion).law;
         if (const Reason reason = refusal(integrator(*s.integrator), law); !reason.empty()) throw UsageError(reason);
     }},
};

}  // namespace

RunRequest parsedSettings(std::string_view text, const std::string& name, std::vector<std::string>& notes) {
    Lines lines{};
    std::size_t unknown = 0;
    bool backendOpen = false, sums = false;
    const std::string where = name + ": its settings,";
    RunRequest request = parse(settingLines(text, where), where, lines, [&](std::string_view key, std::size_t) {
        backendOpen = backendOpen || key == kBackendOpen;
        sums = sums || key == kSums;
        if (key == kBackendOpen || key == kSums) return;
        if (++unknown <= 8) notes.push_back("its setting " + excerpt(key) + " is not known here and is left out");
    });
    request.backendOpen = backendOpen && request.backend;
    if (!sums && sumsVersion(request) > 1)
        notes.push_back("it was saved with earlier sums of kernel " + *request.pairs().kernel.kernel +
                        ": the last digits will differ from now on");
    return request;
}

RunRequest strictSettings(std::string_view text, const std::string& name) {
    return strictSettings(settingLines(text, name + ","), name);
}

RunRequest strictSettings(std::span<const SettingLine> settings, const std::string& name) {
    Lines lines{};
    const auto refuse = [&](std::size_t line, const std::string& why) {
        throw InputError(name + ", line " + std::to_string(line) + ": " + why);
    };
    RunRequest request = parse(settings, name + ",", lines, [&](std::string_view key, std::size_t line) {
        std::vector<std::string_view> valid;
        for (const SettingRow& row : kRows) valid.push_back(row.key);
        std::string plain(key.substr(0, 40));
        for (char& c : plain)
            if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
        refuse(line, unknownName("setting", plain, valid));
    });
    for (const Sense& sense : kSense) {
        // A row that no line set has the default; for a bad pair, name the more specific line.
        const std::size_t line = lines[settingPlace(sense.key)];
        if (line == 0) continue;
        try {
            sense.require(request);
        } catch (const UsageError& error) {
            refuse(line, error.what());
        }
    }
    return request;
}

}  // namespace gravlab
