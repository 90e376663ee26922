// Scripts: lines of commands and waits, each answered once it is done. Knows no window and no file descriptor; who
// drives it gives lines and frames. Rule: what is not understood is refused with a sentence, and never half done.
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

/// A line that was understood.
struct ScriptLine {
    Verb verb = Verb::get;
    std::string name;                ///< path, action, or what is opened
    Value value{};                   ///< of set
    std::vector<Value> arguments{};  ///< of an action
    Condition condition{};
    double seconds = 0;   ///< to wait; of waitFor at most
    bool nowait = false;  ///< the next line does not wait for the end of what this one begins
};

/// How long `wait PATH OP VALUE` waits unless it says `within S` [s].
constexpr double kUsualWait = 60;
/// Bytes of a line, its end not counted.
constexpr std::size_t kLongestLine = 4096;

/// Empty for a blank line or a remark alone. Throws UsageError.
std::optional<ScriptLine> parseScriptLine(std::string_view text);
/// Whether the condition holds for a value. Numbers are compared as numbers; what is no number has only == and !=. Throws
/// UsageError for an order of what has none.
bool holds(const Condition& condition, const Value& value);

/// What became of a line.
struct ScriptAnswer {
    std::size_t line = 0;
    CommandStatus status = CommandStatus::applied;
    Value value{}, asked{};  ///< nothing: there is none
    bool known = false;      ///< a value that is nothing is the answer, too
    std::string why{};
    double progress = -1;  ///< of what is running, 0 to 1; below 0: not known
};
/// As a line of JSON.
std::string jsonText(const ScriptAnswer& answer);

/// A script under way.
class Script {
public:
    /// `clock` false: what depends on the clock of the machine is not shown, so that answers are the same each time.
    using Answer = std::function<void(const ScriptAnswer&)>;
    Script(Controller& controller, Sender sender, Answer answer, bool clock);

    /// Whether the next line can be given.
    bool ready() const { return !waiting_; }
    /// Takes a line without its end; ready() must hold. Commands are posted and applied with the next apply of the
    /// controller.
    void take(std::size_t number, std::string_view text);
    /// Answers a line that could not even be read.
    void refuse(std::size_t number, const std::string& why);
    /// After the controller has applied, and after each frame: answers what is decided. `seconds`: time so far, which only
    /// rises.
    void look(const Document& document, double seconds);
    /// No more frames come: every line that still waits fails.
    void abandon(const std::string& why);
    /// Whether something goes on that later frames end: a wait, a file that opens, a film.
    bool needsFrame() const { return waiting_ || !later_.empty(); }
    /// 0, or the exit code of the first line that was not applied: 2 refused, 7 failed.
    int exitCode() const { return exitCode_; }

private:
    struct Waiting {
        std::size_t number = 0;
        ScriptLine line;
        Ticket ticket = 0;  ///< of a command; 0: none
        double begun = -1;  ///< [s]; below 0: not yet
    };
    void say(ScriptAnswer answer);
    void lookAtCommand(const Document& document);
    void answerEvent(const Document& document, std::size_t number, const Event& event);
    /// The value that a path has for this script. Throws UsageError.
    Value valueOfPath(const Document& document, const std::string& path) const;

    Controller& controller_;
    Sender sender_;
    Answer answer_;
    bool clock_;
    std::optional<Waiting> waiting_;
    std::vector<Waiting> later_;  ///< lines that nobody waits for
    int exitCode_ = 0;
};

}  // namespace gravlab
