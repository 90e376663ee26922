#include "app/lessons/lesson_file.h"

#include "app/control/action.h"
#include "app/control/script.h"
#include "app/files/scene_file.h"
#include "app/files/toml_document.h"
#include "app/lessons/placeholders.h"
#include "app/model/recorded.h"
#include "app/parameters/parameter.h"
#include "app/plots/diagram.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/io/toml_parser.h"
#include "sim/io/toml_value.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

namespace gravlab {
namespace {

/// Actions that write, remove or end something: a lesson from another person must not run them.
constexpr std::string_view kOutOfLessons[] = {
    "open",          "save",        "recover",     "discard",      "save-scene", "picture",     "record",     "quit",
    "cancel-film",   "lab-csv",     "lab-tune",    "lab-png",      "lesson",     "lesson-next", "lessons",    "lesson-back",
    "lesson-answer", "lesson-show", "lesson-step", "lesson-close", "own-open",   "own-save",    "matrix-csv", "matrix-npy"};

/// The line of the first byte that is unsafe for pages and terminals, or that is not UTF-8; 0: there is none.
std::size_t unprintableLine(std::string_view text) {
    std::size_t number = 0;
    for (const std::string_view each : linesOf(text)) {
        ++number;
        std::string line(each);
        if (line.ends_with('\r')) line.pop_back();
        std::ranges::replace(line, '\t', ' ');
        if (printable(line) != line) return number;
    }
    return 0;
}

std::size_t lineOf(const toml::node& node) { return node.source().begin.line; }

/// Reads the tables of a file, and names the places of mistakes.
class LessonReader {
public:
    LessonReader(std::string name, std::string source) : source_(std::move(source)) { lesson_.name = std::move(name); }

    Lesson read(std::string_view text) {
        if (const std::size_t line = unprintableLine(text)) refuse(line, "a control character, or bytes that are no UTF-8");
        const ParsedToml parsed = parsedToml(text);
        if (!parsed.why.empty()) refuse(parsed.line, parsed.why);
        const toml::table& top = parsed.table;
        requireKeys(top, {"title", "idea", "minutes", "place", "step"}, "lesson");
        lesson_.title = textOf(top, "title", true);
        lesson_.idea = textOf(top, "idea", true);
        if (const toml::node* node = top.get("minutes")) lesson_.minutes = static_cast<int>(numberIn(*node, 1, 600));
        if (const toml::node* node = top.get("place")) lesson_.place = static_cast<int>(numberIn(*node, 1, 1000));
        const toml::node* steps = top.get("step");
        const toml::array* array = steps ? steps->as_array() : nullptr;
        if (!array || array->empty()) refuse(steps ? lineOf(*steps) : 1, "a lesson needs at least one [[step]]");
        for (const toml::node& node : *array) {
            if (!node.is_table()) refuse(lineOf(node), "a step is a table: [[step]]");
            lesson_.steps.push_back(step(*node.as_table()));
        }
        return std::move(lesson_);
    }

private:
    [[noreturn]] void refuse(std::size_t line, const std::string& why) const {
        throw InputError(source_ + ", line " + std::to_string(line) + ": " + why);
    }

    /// Adds the line to the refusals of `doing`.
    template <class Doing>
    auto at(std::size_t line, Doing doing) const {
        return atLine(source_, line, doing);
    }

    void requireKeys(const toml::table& table, const std::vector<std::string_view>& valid, const std::string& of) const {
        for (const auto& [key, node] : table)
            if (std::find(valid.begin(), valid.end(), key.str()) == valid.end())
                refuse(key.source().begin.line, unknownName("key of a " + of, withItsLetters(key.str()), valid));
    }

    std::string textIn(const toml::node& node) const {
        const auto* text = node.as_string();
        if (!text) refuse(lineOf(node), "expected a text in quotes");
        const std::string shown = withItsLetters(text->get());
        // An escape such as \u001b becomes a control character of terminals.
        if (shown.ends_with('\r') || unprintableLine(shown) > 0)
            refuse(lineOf(node), "a control character, or bytes that are no UTF-8");
        return shown;
    }

    std::string textOf(const toml::table& table, std::string_view key, bool needed = false) const {
        const toml::node* node = table.get(key);
        if (!node && needed) refuse(lineOf(table), "the text '" + std::string(key) + "' is missing");
        return node ? textIn(*node) : std::string();
    }

    double numberIn(const toml::node& node, double least, double most) const {
        const std::optional<double> number = node.is_number() ? node.value<double>() : std::nullopt;
        if (!number || !(*number >= least && *number <= most))
            refuse(lineOf(node), "expected a number from " + shortestText(least) + " to " + shortestText(most));
        return *number;
    }

    const toml::array* listOf(const toml::table& table, std::string_view key) const {
        const toml::node* node = table.get(key);
        if (node && !node->is_array()) refuse(lineOf(*node), std::string(key) + " is a list: [\"...\", \"...\"]");
        return node ? node->as_array() : nullptr;
    }

    std::vector<std::string> textsOf(const toml::table& table, std::string_view key) const {
        std::vector<std::string> texts;
        if (const toml::array* list = listOf(table, key))
            for (const toml::node& node : *list) texts.push_back(textIn(node));
        return texts;
    }

    /// Checks the placeholders of a text, which may have many lines.
    std::string filledText(const toml::table& table, std::string_view key, bool needed = false) const {
        textOf(table, key, needed);
        const toml::node* node = table.get(key);
        return node ? filledText(*node) : std::string();
    }
    std::string filledText(const toml::node& node) const {
        const std::string text = textIn(node);
        const auto refused = [&](std::string_view part) {
            try {
                requirePlaceholders(part, kept_);
                return std::string();
            } catch (const UsageError& error) {
                return std::string(error.what());
            }
        };
        if (const std::string why = refused(text); !why.empty()) {
            // A text that begins on a new line has lost that line break.
            const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
            const std::size_t covered = node.source().end.line - lineOf(node);
            std::size_t line = lineOf(node) + (covered > breaks ? covered - breaks : 0);
            for (const std::string_view shown : linesOf(text)) {
                if (!refused(shown).empty()) break;
                ++line;
            }
            refuse(line, why);
        }
        return text;
    }

    /// Lines of the script language that a lesson may contain.
    std::vector<LessonLine> linesIn(const toml::table& table, std::string_view key) const {
        std::vector<LessonLine> lines;
        const toml::array* list = listOf(table, key);
        if (!list) return lines;
        double seconds = 0;
        for (const toml::node& node : *list) {
            const LessonLine line{lineOf(node), textIn(node)};
            const std::optional<ScriptLine> parsed = at(line.number, [&] { return parseScriptLine(line.text); });
            if (!parsed) refuse(line.number, "an empty line does nothing");
            if (parsed->verb == Verb::act &&
                std::find(std::begin(kOutOfLessons), std::end(kOutOfLessons), parsed->name) != std::end(kOutOfLessons))
                refuse(line.number, "a lesson cannot 'do " + parsed->name + "', which writes, ends or leads elsewhere");
            // Opening a lesson is no consent to compile anything; pressing a button is.
            if (parsed->verb == Verb::act && parsed->name == "own-try" && key != "show")
                refuse(line.number, "a lesson compiles nothing by itself: 'do own-try' belongs to 'show'");
            if (parsed->verb == Verb::set && parsed->name == "lab.own_text")
                refuse(line.number, "a lesson brings no texts of kernels: 'do own-begin' takes one of the program's own");
            if (parsed->verb == Verb::open) at(line.number, [&] { return sceneNamed(parsed->name).name; });
            const bool waits = parsed->verb == Verb::waitFor || parsed->verb == Verb::waitSeconds;
            if (key == "until" && !waits)
                refuse(line.number, "'until' takes lines that wait, such as 'wait run.step >= 100 within 60'");
            if (waits) seconds += parsed->seconds;
            if (seconds > kLongestStep)
                refuse(line.number, "'" + std::string(key) + "' waits for more than " + shortestText(kLongestStep) +
                                        " s in all; say within how many seconds it is reached");
            lines.push_back(line);
        }
        return lines;
    }

    /// A number that is computed from recorded ones: answer = "28 / 17.6".
    double worked(const toml::node& node) const {
        const Value value =
            at(lineOf(node), [&] { return evaluate(textIn(node), [](std::string_view) { return Value(); }); });
        const std::optional<double> number = numberOf(value);
        if (!number) refuse(lineOf(node), "an answer is worked out of numbers and recorded() alone");
        return *number;
    }

    std::optional<LessonQuestion> questionIn(const toml::table& step, std::string_view key) const {
        const toml::node* node = step.get(key);
        if (!node) return std::nullopt;
        if (!node->is_table()) refuse(lineOf(*node), std::string(key) + " is a table: [step." + std::string(key) + "]");
        const toml::table& table = *node->as_table();
        requireKeys(table, {"text", "choices", "answer", "tolerance", "why"}, "question");
        LessonQuestion question;
        question.text = filledText(table, "text", true);
        const toml::array* choices = listOf(table, "choices");
        if (choices && choices->empty())
            refuse(lineOf(*table.get("choices")), "an empty list of choices; leave it out to ask for a number");
        if (choices)
            for (const toml::node& choice : *choices) question.choices.push_back(filledText(choice));
        constexpr std::size_t kMostChoices = 6;
        if (question.choices.size() > kMostChoices) refuse(lineOf(table), "more than 6 choices are no help");
        question.why = filledText(table, "why");
        const toml::node* answer = table.get("answer");
        if (!answer) refuse(lineOf(table), "the answer is missing: the number of a choice, or a number");
        constexpr double kLargest = 1e30;
        if (question.choices.empty()) {
            question.answer = answer->is_string() ? worked(*answer) : numberIn(*answer, -kLargest, kLargest);
        } else {
            if (question.choices.size() < 2) refuse(lineOf(table), "one choice is none");
            question.answer = numberIn(*answer, 1, static_cast<double>(question.choices.size()));
            if (!answer->is_integer()) refuse(lineOf(*answer), "expected the number of a choice");
        }
        if (const toml::node* tolerance = table.get("tolerance")) question.tolerance = numberIn(*tolerance, 0, 10);
        return question;
    }

    LessonTable recordedIn(const toml::table& table) const {
        requireKeys(table, {"device", "kernels", "over", "at", "where"}, "table of recorded rates");
        LessonTable result;
        result.device = textOf(table, "device", true);
        result.over = table.get("over") ? textOf(table, "over") : "n";
        result.kernels = textsOf(table, "kernels");
        if (const toml::array* list = listOf(table, "at"))
            for (const toml::node& node : *list) result.at.push_back(static_cast<int>(numberIn(node, 1, 1e9)));
        if (const toml::node* where = table.get("where")) {
            if (!where->is_table()) refuse(lineOf(*where), "where is a table: { block = 128 }");
            for (const auto& [key, node] : *where->as_table())
                result.where[withItsLetters(key.str())] = static_cast<int>(numberIn(node, 0, 1e9));
        }
        if (result.kernels.empty() || result.at.empty())
            refuse(lineOf(table), "kernels and at need at least one value each");
        at(lineOf(table), [&] { return recordedTable(result); });
        return result;
    }

    std::vector<LessonNumber> keepIn(const toml::table& table) {
        std::vector<LessonNumber> numbers;
        const toml::array* list = listOf(table, "keep");
        if (!list) return numbers;
        for (const toml::node& node : *list) {
            const std::string text = textIn(node);
            const KeyValue pair = keyValue(text);
            const std::string name(pair.key);
            const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
            if (!pair.found || name.empty() || !std::all_of(name.begin(), name.end(), fits))
                refuse(lineOf(node), "expected \"NAME = EXPRESSION\", such as \"first = twin.apart\"");
            at(lineOf(node), [&] {
                requireExpression(pair.value, kept_);
                return true;
            });
            kept_.insert(name);
            numbers.push_back({name, std::string(pair.value)});
        }
        return numbers;
    }

    std::vector<LessonRange> rangesIn(const toml::table& table) const {
        std::vector<LessonRange> ranges;
        const toml::array* list = listOf(table, "ranges");
        if (!list) return ranges;
        for (const toml::node& node : *list) {
            const std::string text = textIn(node);
            const KeyValue pair = keyValue(text);
            const std::size_t middle = pair.value.find(" to ");
            const auto number = [&](std::string_view part) { return numberOf(valueOf(std::string(trimmed(part)))); };
            const std::optional<double> least = number(pair.value.substr(0, middle));
            const bool complete = middle != std::string_view::npos;
            const std::optional<double> most = number(pair.value.substr(complete ? middle + 4 : 0));
            if (!complete || !kept_.contains(pair.key) || !least || !most || *least > *most)
                refuse(lineOf(node),
                       "expected \"NAME = LEAST to MOST\" of a number that is kept, such as \"first = 0.002 to 0.003\"");
            ranges.push_back({std::string(pair.key), *least, *most});
        }
        return ranges;
    }

    LessonStep step(const toml::table& table) {
        requireKeys(table,
                    {"title", "text", "needs", "setup", "predict", "begin", "control", "task", "until", "show", "after",
                     "keep", "ranges", "watch", "kernel", "picture", "recorded", "explain", "question"},
                    "step");
        LessonStep step;
        step.line = lineOf(table);
        step.title = textOf(table, "title", true);
        step.text = filledText(table, "text");
        const auto placeOf = [&](std::string_view key) { return table.get(key) ? lineOf(*table.get(key)) : step.line; };
        step.needs = textOf(table, "needs");
        if (!step.needs.empty()) at(placeOf("needs"), [&] { return backend(step.needs).name; });
        step.setup = linesIn(table, "setup");
        step.predict = questionIn(table, "predict");
        step.begin = linesIn(table, "begin");
        step.control = textOf(table, "control");
        if (!step.control.empty() && !findParameter(step.control))
            at(placeOf("control"), [&] { return actionOf(step.control).name; });
        step.task = filledText(table, "task");
        step.until = linesIn(table, "until");
        step.show = linesIn(table, "show");
        step.after = linesIn(table, "after");
        step.keep = keepIn(table);
        step.ranges = rangesIn(table);
        step.watch = textsOf(table, "watch");
        for (const std::string& path : step.watch) at(placeOf("watch"), [&] { return parameter(path).path; });
        step.kernel = textOf(table, "kernel");
        if (!step.kernel.empty()) at(placeOf("kernel"), [&] { return kernelOf(step.kernel); });
        step.picture = textOf(table, "picture");
        if (!step.picture.empty()) at(placeOf("picture"), [&] { return diagram(step.picture).name; });
        if (const toml::node* node = table.get("recorded")) {
            if (!node->is_table()) refuse(lineOf(*node), "recorded is a table: [step.recorded]");
            step.recorded = recordedIn(*node->as_table());
        }
        step.explain = filledText(table, "explain");
        step.question = questionIn(table, "question");
        if (!step.task.empty() && step.until.empty())
            refuse(placeOf("task"), "a task needs 'until', which says when it is done");
        return step;
    }

    static const KernelRow* kernelOf(const std::string& name) {
        const std::size_t blank = std::min(name.find(' '), name.size());
        return &gravlab::kernel(name.substr(0, blank), name.substr(std::min(blank + 1, name.size())));
    }

    std::string source_;
    Lesson lesson_;
    std::set<std::string, std::less<>> kept_;
};

}  // namespace

std::span<const std::string> lessonNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        eachLine(lessonFile("*"), 1,
                 [&](std::size_t, std::string_view file) { all.emplace_back(file.substr(0, file.rfind(".toml"))); });
        std::ranges::sort(all, {}, [](const std::string& name) { return lessonNamed(name)->place; });
        return all;
    }();
    return names;
}

Lesson parseLesson(std::string_view text, const std::string& name, const std::string& source) {
    return LessonReader(name, source).read(text);
}

std::shared_ptr<const Lesson> lessonNamed(const std::string& nameOrFile) {
    if (nameOrFile.ends_with(".toml"))
        return std::make_shared<Lesson>(parseLesson(sceneTextOf(nameOrFile), nameOrFile, nameOrFile));
    static std::map<std::string, std::shared_ptr<const Lesson>> known;
    const auto found = known.find(nameOrFile);
    if (found != known.end()) return found->second;
    const std::string file = nameOrFile + ".toml";
    if (lessonFile(file).empty())
        throw UsageError(unknownName("lesson", nameOrFile, {lessonNames().begin(), lessonNames().end()}) +
                         "; a lesson of one's own is a file that ends with .toml");
    return known[nameOrFile] = std::make_shared<Lesson>(parseLesson(lessonFile(file), nameOrFile, file));
}

}  // namespace gravlab
