// Scripts: lines of commands and waits, each with one answer at its end. A script knows no window and no file descriptor;
// its caller supplies lines and frames.
// Rule: a line that cannot be parsed is refused with a sentence, and never applied in part.
#pragma once
#include "app/control/controller.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

enum class Verb { set, get, act, open, waitFor, waitSeconds, expect };

/// PATH OP VALUE
struct Condition {
    std::string path;
    std::string op;  ///< == != < <= > >=
    Value value;
};

/// A parsed line.
struct ScriptLine {
    Verb verb = Verb::get;
    std::string name;                ///< path, action, or the file to open
    Value value{};                   ///< value of set
    std::vector<Value> arguments{};  ///< arguments of an action
    Condition condition{};
    double seconds = 0;   ///< duration of wait; limit of waitFor
    bool nowait = false;  ///< the next line does not wait for the end of this line's effect
};

/// Limit of `wait PATH OP VALUE` without `within S` [s].
constexpr double kUsualWait = 60;
/// Limit of the bytes of a line, without its end.
constexpr std::size_t kLongestLine = 4096;

/// Empty for a blank line or a line with only a remark. Throws UsageError.
std::optional<ScriptLine> parseScriptLine(std::string_view text);
/// Whether the condition holds for a value. Numbers are compared as numbers; other values allow only == and !=. Throws
/// UsageError for an order of other values.
bool holds(const Condition& condition, const Value& value);

/// The result of a line.
struct ScriptAnswer {
    std::size_t line = 0;
    CommandStatus status = CommandStatus::applied;
    Value value{}, requested{};  ///< nothing: there is none
    bool known = false;          ///< the value is the answer, even when it is nothing
    std::string why{};
    double progress = -1;    ///< progress of a running effect, 0 to 1; below 0: unknown
    bool unchecked = false;  ///< it depends on forces whose check was not complete
};
/// The answer as a line of JSON.
std::string jsonText(const ScriptAnswer& answer);

/// A script under way.
class Script {
public:
    /// `clock` false: values that depend on the clock of the machine are hidden, so that answers are reproducible.
    using Answer = std::function<void(const ScriptAnswer&)>;
    Script(Controller& controller, Sender sender, Answer answer, bool clock);

    /// Whether the script accepts the next line.
    bool ready() const { return !waiting_; }
    /// Accepts a line without its end; ready() must hold. The next apply of the controller applies its commands.
    void take(std::size_t number, std::string_view text);
    /// Answers a line that could not be read.
    void refuse(std::size_t number, const std::string& why);
    /// Call it after the controller's apply, and after each frame: it answers the lines that have a result. `seconds`:
    /// elapsed time, which must not decrease.
    void look(const Document& document, double seconds);
    /// Call it when no more frames follow: every waiting line fails.
    void abandon(const std::string& why);
    /// Whether the script needs later frames: for a wait, for a file that opens, or for a film.
    bool needsFrame() const { return waiting_ || !later_.empty(); }
    /// 0, or the exit code of the first line that was not applied: 2 refused, 7 failed.
    int exitCode() const { return exitCode_; }

private:
    struct Waiting {
        std::size_t number = 0;
        ScriptLine line;
        Ticket ticket = 0;  ///< ticket of a command; 0: none
        double begun = -1;  ///< [s]; below 0: not yet
    };
    void say(ScriptAnswer answer);
    void lookAtCommand(const Document& document);
    void answerEvent(const Document& document, std::size_t number, const Event& event);
    bool unchecked(const Document& document) const;
    /// The value of a path for this script. Throws UsageError.
    Value valueOfPath(const Document& document, const std::string& path) const;

    Controller& controller_;
    Sender sender_;
    Answer answer_;
    bool clock_;
    std::optional<Waiting> waiting_;
    std::vector<Waiting> later_;  ///< lines whose end the script does not wait for
    int exitCode_ = 0;
};

}  // namespace gravlab
