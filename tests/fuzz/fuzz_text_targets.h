// Fuzzers of what people write by hand: scripts, lessons, numbers with units, scene files with bodies of their own.
// Rule: as in fuzz_targets.h: refused with an Error or accepted and sound; every broken promise aborts.
#pragma once
#include "app/control/line_reader.h"
#include "app/control/script.h"
#include "app/files/scene_data.h"
#include "app/files/toml_document.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/worksheet.h"
#include "app/parameters/parameter.h"
#include "app/parameters/quantity.h"
#include "app/serve/hub.h"
#include "tests/fuzz/fuzz_file_targets.h"

#include <array>
#include <filesystem>
#include <fstream>

namespace gravlab::fuzz {

/// One line of a script, understood or refused.
inline void scriptLine(std::string_view text) {
    try {
        const std::optional<ScriptLine> line = parseScriptLine(text);
        if (!line) return;
        require(line->seconds >= 0 && line->seconds <= 1e6, "a script waits for a bounded time");
        require(!line->nowait || line->verb == Verb::act || line->verb == Verb::open,
                "nowait stands before what takes time");
        if (line->verb == Verb::set) {
            const Parameter& row = parameter(line->name);
            const auto* words = std::get_if<std::string>(&line->value);
            const bool unit = words && hasDimension(row.unit) && isQuantity(*words);
            require(unit || checked(row, line->value) == line->value, "a value that is taken is within its range");
        }
        if (line->verb == Verb::waitFor || line->verb == Verb::expect)
            for (const Value& value : {Value(), Value(std::int64_t{1}), Value(0.5), Value(true), Value(std::string("word"))})
                require(!(holds({line->condition.path, "==", line->condition.value}, value) &&
                          holds({line->condition.path, "!=", line->condition.value}, value)),
                        "a condition and its opposite do not hold together");
    } catch (const UsageError& error) {
        const std::string answer = jsonText({.line = 1, .status = CommandStatus::refused, .why = error.what()});
        require(*error.what() != 0 && printable(answer) == answer, "a refusal is one printable line");
    }
}

/// A script as a file: lines come whole or with a problem, in their order.
inline void script(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const bool packed = bytes.starts_with("\x1f\x8b");  // gzip: it is unpacked, or refused where it is damaged
    const MemoryFile file(bytes);
    std::size_t lines = 0;
    try {
        ScriptLineReader reader(file.path());
        ScriptLineReader::Line line;
        while (reader.next(line, 0) == ScriptLineReader::Next::line) {
            require(line.number == ++lines, "lines are counted");
            require(line.text.find('\n') == std::string::npos, "a line is one line");
            if (line.problem.empty()) scriptLine(line.text);
        }
    } catch (const Error& error) {
        require(packed && *error.what() != 0, "only what is packed and damaged is refused");
        return;
    }
    const auto ends = static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
    require(packed || lines == ends + (!bytes.empty() && bytes.back() != '\n'), "no line is lost");
}

/// What a browser sends to a served run, a message a line: a driver's text, or bytes after a '#'.
inline void protocol(const std::uint8_t* data, std::size_t size) {
    struct Nowhere : Wire {
        std::uint16_t port() const override { return 1; }
        void send(ConnectionId, Bytes bytes, bool) override { requirePrintable(bytes->c_str()); }
        void close(ConnectionId, std::uint16_t code, std::string why) override {
            require(code >= 1000 && !why.empty(), "who is shut out learns why");
            requirePrintable(why.c_str());
        }
        void answer(ConnectionId, int status, std::string json) override {
            require(status >= 400, "only the frame loop answers calls");
            requirePrintable(json.c_str());
        }
    } wire;
    double now = 0;
    Hub hub({"drive", "watch"}, [&now] { return now += 1e-3; });
    hub.attach(&wire);
    hub.opened(1);
    hub.message(1, R"({"t":"hello","token":"drive","video":true})", false);
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const bool binary = line.starts_with('#');
        hub.message(1, binary ? line.substr(1) : line, binary);
        hub.called(2, "watch", line);
        static_cast<void>(pictureHead(line));
    }
    const Hub::Arrived arrived = hub.take();
    require(arrived.events.size() <= 5000, "events that wait are bounded");
    for (const InputEvent& event : arrived.events)
        if (const auto* pointer = std::get_if<PointerEvent>(&event))
            require(std::isfinite(pointer->at.x) && std::abs(pointer->scroll.y) <= 20 && pointer->button <= 4,
                    "a pointer stays in bounds");
    for (const Hub::Call& call : arrived.calls) require(!call.http || !call.mayChange, "who watches changes nothing");
}

/// Every '<' of a page begins or ends a tag of the page's own.
inline void requireOwnTags(std::string_view page) {
    constexpr std::array<std::string_view, 22> kTags{"!DOCTYPE html>",
                                                     "html lang=\"en\">",
                                                     "html>",
                                                     "head>",
                                                     "meta charset=\"utf-8\">",
                                                     "title>",
                                                     "style>",
                                                     "body>",
                                                     "h1>",
                                                     "h2>",
                                                     "h3>",
                                                     "p>",
                                                     "ul>",
                                                     "li>",
                                                     "pre>",
                                                     "code>",
                                                     "strong>",
                                                     "table>",
                                                     "tr>",
                                                     "th>",
                                                     "td>",
                                                     "em>"};
    for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
        std::string_view tag = page.substr(at + 1);
        if (tag.starts_with('/')) tag.remove_prefix(1);
        require(std::ranges::any_of(kTags, [&](std::string_view one) { return tag.starts_with(one); }),
                "a page holds no markup of a lesson's texts");
    }
}

/// A lesson is refused with its line, or gives sheets for students and teachers.
inline void lesson(const std::uint8_t* data, std::size_t size) {
    try {
        const Lesson read = parseLesson({reinterpret_cast<const char*>(data), size}, "fuzz", "fuzz.toml");
        require(!read.steps.empty() && !read.title.empty() && !read.idea.empty(), "a lesson has a title, an idea and steps");
        for (const LessonStep& step : read.steps) {
            double seconds = 0;
            for (const LessonLine& line : step.until) seconds += parseScriptLine(line.text).value().seconds;
            require(seconds <= kLongestStep, "a step ends");
            for (const LessonRange& range : step.ranges) require(range.least <= range.most, "a range is one");
        }
        const LessonAnswers answers{.numbers = {{"one", Value(0.5)}}, .about = "here"};
        for (const LessonAnswers* of : {static_cast<const LessonAnswers*>(nullptr), &answers}) {
            require(!worksheetMarkdown(read, of).empty(), "a lesson has a sheet");
            const std::string page = worksheetHtml(read, of);
            requireOwnTags(page);
            for (const char c : page)
                require(static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t', "a page has no control characters");
        }
    } catch (const InputError& error) {
        require(std::string_view(error.what()).starts_with("fuzz.toml, line "), "a refusal names the line");
        require(printable(error.what()) == error.what(), "a refusal is printable");
    }
}

/// A number with a unit, to a row, in the units of a scene: the first byte chooses both.
inline void units(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    constexpr std::string_view kDimensions[] = {"L", "M", "T", "L/T", "T/s"};
    const std::string_view dimension = kDimensions[data[0] % std::size(kDimensions)];
    const std::string_view of = data[0] & 64 ? "galaxy" : data[0] & 128 ? "solar-system" : "plummer";
    if (const std::optional<ParsedUnit> unit = parsedUnit(text))
        require(unit->nbody || (std::isfinite(unit->factor) && unit->factor > 0), "a unit has a size");
    if (!isQuantity(text)) return;
    try {
        const double number = quantity("--option", text, dimension, sceneNamed(of).units, of);
        require(!std::isnan(number), "a number with a unit is a number");
        require(quantity("--option", text, dimension, sceneNamed(of).units, of) == number, "it is the same each time");
        if (std::isfinite(number) && of != "plummer")
            require(!meaningOf(number, dimension, sceneNamed(of).units).empty(), "it means something");
    } catch (const UsageError& error) {
        require(*error.what() != 0, "a refusal is a sentence");
    }
    try {
        StartOptions options;
        options.simulation.changeScene(of);
        keepTime(options, "--until", text, &StartOptions::until);
        keepQuantity(options, parameter("run.softening"), "--softening", text);
        keepQuantity(options, parameter("run.time_step"), "--dt", text);
        takeQuantities(options);
        const RunRequest& run = options.simulation;
        require(std::isfinite(options.until), "an end is a time");
        require(std::isfinite(run.softening.value_or(0)) && run.softening.value_or(0) >= 0, "a softening is a length");
        require(std::isfinite(run.timeStep.value_or(1)), "a time step is finite");
    } catch (const UsageError& error) {
        require(*error.what() != 0, "a refusal is a sentence");
    }
}

/// A folder that goes with the program.
class OwnFolder {
public:
    OwnFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "gravlab-fuzz-XXXXXX").string();
        require(::mkdtemp(name.data()) != nullptr, "there is a folder");
        path_ = name;
    }
    ~OwnFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// A scene file up to a zero byte, and behind it the table "b.csv" that it may name. What is accepted is sound, and what
/// a scene file then says of its bodies is read back.
inline void own_data(const std::uint8_t* data, std::size_t size) {
    static const OwnFolder own;
    const std::filesystem::path& folder = own.path();
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t zero = std::min(bytes.find('\0'), bytes.size());
    std::ofstream(folder / "b.csv", std::ios::binary) << bytes.substr(std::min(zero + 1, bytes.size()));
    StartOptions options{.read = {.maxBodies = 1000}};
    try {
        takeSceneText(bytes.substr(0, zero), (folder / "s.toml").string(), options);
    } catch (const Error& error) {
        require(error.code() == ExitCode::badInput || error.code() == ExitCode::usage || error.code() == ExitCode::io,
                "bad data is refused and breaks nothing");
        require(!printable(error.what()).empty(), "a refusal is a sentence");
        return;
    }
    const RunRequest& run = options.simulation;
    require(std::isfinite(run.timeStep.value_or(1)) && std::isfinite(run.softening.value_or(0)), "numbers are finite");
    if (!run.start) return;
    const ParticleSet& bodies = run.start->state.bodies;
    require(bodies.size() > 0 && bodies.size() <= options.read.maxBodies, "the number of bodies is within the limits");
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        for (const double number : {x.x, x.y, x.z, x.w, v.x, v.y, v.z}) require(std::isfinite(number), "bodies are finite");
    }
    std::vector<TomlEntry> said = tomlDocument(sceneDataText(run.start->file, folder)).entries;
    const SceneData again = takeSceneData(said, "again");
    require(again.read.units == run.start->file.units && again.read.columns == run.start->file.columns &&
                again.read.gravity == run.start->file.gravity && again.read.sanitize == run.start->file.sanitize &&
                again.print == run.start->file.print,
            "what a scene file says of its bodies is read back");
}

}  // namespace gravlab::fuzz
