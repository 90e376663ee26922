// Converts lines to commands, and events to answers.
#include "app/control/script.h"

#include "app/control/action.h"
#include "app/control/json_value.h"
#include "app/model/document.h"
#include "app/parameters/parameter.h"
#include "app/parameters/quantity.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr std::string_view kVerbs[] = {"set", "get", "do", "open", "wait", "expect", "nowait"};
constexpr const char* kNoClock = " depends on the clock of the machine, and off screen no clock shows";
constexpr std::string_view kOperators[] = {"==", "!=", "<", "<=", ">", ">="};

/// Removes the first word, or text in quotes or brackets, from the line and returns it.
std::string_view nextWord(std::string_view& rest) {
    rest = trimmed(rest);
    std::size_t end = 0;
    if (!rest.empty() && rest.front() == '"') {
        for (end = 1; end < rest.size() && rest[end] != '"'; ++end)
            if (rest[end] == '\\') ++end;
        if (end >= rest.size()) throw UsageError("a text in quotes does not end");
        ++end;
    } else if (!rest.empty() && rest.front() == '[') {
        end = rest.find(']');
        if (end == std::string_view::npos) throw UsageError("a list in brackets does not end");
        ++end;
    }
    end = std::min(rest.find_first_of(" \t", end), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest = trimmed(rest.substr(end));
    return word;
}

std::string_view needed(std::string_view& rest, const std::string& what) {
    const std::string_view word = nextWord(rest);
    if (word.empty()) throw UsageError(what);
    return word;
}

void requireEnd(std::string_view rest, const std::string& after) {
    if (!rest.empty()) throw UsageError("'" + std::string(rest.substr(0, 60)) + "' is too much after " + after);
}

double secondsOf(std::string_view text, const char* of) {
    constexpr double kMost = 1e6;
    const std::optional<double> seconds = numberOf(valueOf(text));
    if (seconds && *seconds >= 0 && *seconds <= kMost) return *seconds;
    throw UsageError(std::string(of) + " '" + std::string(text.substr(0, 60)) + "': expected seconds from 0 to 1000000");
}

Condition conditionOf(std::string_view& rest, const std::string& verb) {
    const std::string form = verb + " needs PATH OP VALUE, such as '" + verb + " run.step >= 100'";
    Condition condition;
    condition.path = needed(rest, form);
    condition.op = needed(rest, form);
    const std::vector<std::string_view> valid(std::begin(kOperators), std::end(kOperators));
    if (std::find(valid.begin(), valid.end(), condition.op) == valid.end())
        throw UsageError(unknownName("operator", condition.op, valid));
    condition.value = valueOf(needed(rest, form));
    const Parameter& row = parameter(condition.path);
    // A name outside the choices could never hold, so it is a mistake.
    if (row.kind == Kind::choice) condition.value = checked(row, condition.value);
    if (condition.op.find_first_of("<>") != std::string::npos &&
        (!numberOf(condition.value) || (row.kind != Kind::number && row.kind != Kind::integer)))
        throw UsageError(condition.op + " compares numbers; " + condition.path + " has == and != with '" +
                         valueText(condition.value) + "'");
    return condition;
}

ScriptLine waitOf(std::string_view rest) {
    ScriptLine line;
    if (std::string_view after = rest; nextWord(after) == "seconds") {
        line.verb = Verb::waitSeconds;
        line.seconds = secondsOf(needed(after, "wait seconds needs a number"), "wait seconds");
        requireEnd(after, "wait seconds");
        return line;
    }
    line.verb = Verb::waitFor;
    line.condition = conditionOf(rest, "wait");
    line.seconds = kUsualWait;
    if (rest.empty()) return line;
    if (const std::string_view word = nextWord(rest); word != "within")
        throw UsageError("'" + std::string(word.substr(0, 60)) + "' after a condition: expected within SECONDS");
    line.seconds = secondsOf(needed(rest, "within needs a number of seconds"), "within");
    requireEnd(rest, "within");
    return line;
}

}  // namespace

std::optional<ScriptLine> parseScriptLine(std::string_view text) {
    if (text.size() > kLongestLine) throw UsageError("the line has more than " + std::to_string(kLongestLine) + " bytes");
    if (text.find('\0') != std::string_view::npos) throw UsageError("the line has a NUL byte; scripts are text");
    std::string_view rest = trimmed(withoutRemark(text, true));
    if (rest.empty()) return std::nullopt;
    const std::string_view verb = nextWord(rest);
    ScriptLine line;
    if (verb == "set") {
        line.verb = Verb::set;
        line.name = needed(rest, "set needs PATH VALUE, such as 'set run.time_step 0.01'");
        if (rest.empty()) throw UsageError("set " + line.name + " needs a value");
        const Parameter& row = parameter(line.name);
        if (row.fact()) throw UsageError(row.path + " is measured, not set");
        line.value = valueOf(rest);
        // The meaning of a unit is only known when the line is applied.
        if (const auto* words = std::get_if<std::string>(&line.value); words && hasDimension(row.unit) && isQuantity(*words))
            requireDimension(row.path, *words, row.unit);
        else
            line.value = checked(row, line.value);
    } else if (verb == "get") {
        line.verb = Verb::get;
        line.name = needed(rest, "get needs a PATH, such as 'get run.step'");
        requireEnd(rest, "get PATH");
        parameter(line.name);
    } else if (verb == "do") {
        line.verb = Verb::act;
        line.name = needed(rest, "do needs an ACTION, such as 'do step 100'");
        actionOf(line.name);
        while (!rest.empty()) line.arguments.push_back(valueOf(nextWord(rest)));
    } else if (verb == "open") {
        line.verb = Verb::open;
        if (rest.empty()) throw UsageError("open needs a SCENE or FILE");
        const Value path = valueOf(rest);
        line.name = std::holds_alternative<std::string>(path) ? std::get<std::string>(path) : std::string(rest);
    } else if (verb == "wait") {
        line = waitOf(rest);
    } else if (verb == "expect") {
        line.verb = Verb::expect;
        line.condition = conditionOf(rest, "expect");
        requireEnd(rest, "expect PATH OP VALUE");
    } else if (verb == "nowait") {
        std::optional<ScriptLine> rests = parseScriptLine(rest);
        if (!rests || rests->nowait || (rests->verb != Verb::act && rests->verb != Verb::open))
            throw UsageError("nowait stands before 'do' or 'open', such as 'nowait do record on'");
        line = std::move(*rests);
        line.nowait = true;
    } else {
        throw UsageError(unknownName("command", verb, {std::begin(kVerbs), std::end(kVerbs)}));
    }
    return line;
}

bool holds(const Condition& condition, const Value& value) {
    const std::string& op = condition.op;
    const std::optional<double> here = numberOf(value), there = numberOf(condition.value);
    if (here && there) {
        if (op == "==") return *here == *there;
        if (op == "!=") return *here != *there;
        if (op == "<") return *here < *there;
        if (op == "<=") return *here <= *there;
        if (op == ">") return *here > *there;
        return *here >= *there;
    }
    if (op == "==") return value == condition.value || (!here && wordOf(value) == wordOf(condition.value));
    if (op == "!=") return !holds({condition.path, "==", condition.value}, value);
    return false;  // nothing is known yet
}

std::string jsonText(const ScriptAnswer& answer) {
    constexpr std::string_view kStatus[] = {"applied", "running", "refused", "failed"};
    nlohmann::ordered_json json{{"line", answer.line}, {"status", kStatus[static_cast<std::size_t>(answer.status)]}};
    if (!isNothing(answer.value) || answer.known) json["value"] = jsonValue(answer.value);
    if (!isNothing(answer.requested)) json["asked"] = jsonValue(answer.requested);
    if (answer.progress >= 0) json["progress"] = std::round(100 * answer.progress) / 100;
    if (answer.unchecked) json["check"] = "pending";
    if (!answer.why.empty()) json["why"] = answer.why;
    return jsonLine(json);
}

Script::Script(Controller& controller, Sender sender, Answer answer, bool clock)
    : controller_(controller), sender_(sender), answer_(std::move(answer)), clock_(clock) {}

void Script::say(ScriptAnswer answer) {
    if (exitCode_ == 0 && answer.status == CommandStatus::refused) exitCode_ = static_cast<int>(ExitCode::usage);
    if (exitCode_ == 0 && answer.status == CommandStatus::failed) exitCode_ = static_cast<int>(ExitCode::checkFailed);
    answer_(answer);
}

void Script::refuse(std::size_t number, const std::string& why) {
    say({.line = number, .status = CommandStatus::refused, .why = why});
}

void Script::take(std::size_t number, std::string_view text) {
    try {
        std::optional<ScriptLine> line = parseScriptLine(text);
        if (!line) return;
        Waiting waiting{number, std::move(*line)};
        const ScriptLine& l = waiting.line;
        if (l.verb == Verb::set) waiting.ticket = controller_.post(SetParameter{l.name, l.value}, sender_);
        if (l.verb == Verb::act) waiting.ticket = controller_.post(Invoke{l.name, l.arguments}, sender_);
        if (l.verb == Verb::open) waiting.ticket = controller_.post(OpenFile{l.name}, sender_);
        if (waiting.ticket != 0) controller_.follow(waiting.ticket);
        waiting_ = std::move(waiting);
    } catch (const UsageError& error) {
        refuse(number, error.what());
    }
}

void Script::abandon(const std::string& why) {
    if (waiting_) later_.push_back(std::move(*waiting_));
    waiting_.reset();
    for (const Waiting& one : std::exchange(later_, {})) {
        controller_.leave(one.ticket);
        say({.line = one.number, .status = CommandStatus::failed, .why = why});
    }
}

Value Script::valueOfPath(const Document& document, const std::string& path) const {
    const Parameter& row = parameter(path);
    return row.hidden(clock_) ? Value() : row.get(document);
}

void Script::answerEvent(const Document& document, std::size_t number, const Event& event) {
    ScriptAnswer answer{.line = number, .status = event.status, .progress = event.progress};
    if (event.status != CommandStatus::applied) {
        answer.why = event.why;
    } else if (const auto* set = std::get_if<SetParameter>(&event.command)) {
        answer.value = valueOfPath(document, set->path);
    } else if (std::holds_alternative<OpenFile>(event.command)) {
        answer.value = document.facts.configuration.scene;
    } else if (const auto* action = std::get_if<Invoke>(&event.command)) {
        if (!event.why.empty()) answer.value = event.why;
        answer.unchecked = unchecked(document) && actionOf(action->action).undoSkips == kFileStays;
    }
    say(std::move(answer));
}

/// Whether the run has made steps and its forces are not verified yet. A window does not wait for the check.
bool Script::unchecked(const Document& document) const { return clock_ && document.facts.step > 0 && !document.facts.check; }

/// Answers the line that waits for its command, if the command has a result.
void Script::lookAtCommand(const Document& document) {
    const std::size_t number = waiting_->number;
    const bool nowait = waiting_->line.nowait;
    for (const Event& event : controller_.take(waiting_->ticket)) {
        if (isEnd(event.status)) {
            if (!waiting_) later_.pop_back();
            waiting_.reset();
            return answerEvent(document, number, event);
        }
        if (!nowait) continue;
        if (waiting_) later_.push_back(std::move(*waiting_));
        waiting_.reset();
        answerEvent(document, number, event);
    }
}

void Script::look(const Document& document, double seconds) {
    std::erase_if(later_, [&](const Waiting& one) {
        const std::vector<Event> events = controller_.take(one.ticket);
        for (const Event& event : events) answerEvent(document, one.number, event);
        return !events.empty() && isEnd(events.back().status);
    });
    if (!waiting_) return;
    if (waiting_->ticket != 0) return lookAtCommand(document);
    const Waiting& w = *waiting_;
    const double begun = w.begun < 0 ? seconds : w.begun;
    waiting_->begun = begun;
    const bool over = seconds - begun >= w.line.seconds - 1e-9;
    ScriptAnswer answer{.line = w.number};
    if (w.line.verb == Verb::waitSeconds) {
        if (!over) return;
        answer.value = w.line.seconds;
        waiting_.reset();
        return say(std::move(answer));
    }
    const Condition& condition = w.line.condition;
    const std::string& path = w.line.verb == Verb::get ? w.line.name : condition.path;
    const Parameter& row = parameter(path);
    answer.value = valueOfPath(document, path);
    answer.known = true;
    answer.unchecked = unchecked(document) && row.measured && path.starts_with("run.");
    if (w.line.verb == Verb::get) {
        const Value requested = row.requested ? row.requested(document) : Value();
        if (requested != answer.value) answer.requested = requested;
        if (row.hidden(clock_)) answer.why = path + kNoClock;
    } else if (row.hidden(clock_)) {
        answer = {.line = w.number, .status = CommandStatus::refused, .why = path + kNoClock};
    } else if (!holds(condition, answer.value)) {
        if (w.line.verb != Verb::expect && !over) return;
        const std::string within = w.line.verb == Verb::expect ? "" : " after " + shortestText(w.line.seconds) + " s";
        answer.status = CommandStatus::failed;
        answer.why = path + " is " + valueText(answer.value) + within + "; expected " + condition.op + " " +
                     valueText(condition.value);
    }
    waiting_.reset();
    say(std::move(answer));
}

}  // namespace gravlab
