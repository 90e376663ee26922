#include "app/commands/play.h"

#include "app/view/workspace.h"
#include "sim/core/error.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gravlab {
namespace {

/// A line of standard output, there at once: who reads it waits for it.
void write(const std::string& line) {
    if (std::fputs((line + "\n").c_str(), stdout) < 0 || std::fflush(stdout) != 0)
        throw IoError("the answers of the script cannot be written to standard output: " +
                      std::generic_category().message(errno) + "; the script ends here");
}

}  // namespace

Player::Player(const std::string& path, bool clock) : reader_(path), script_(controller_, write, clock) {}

void Player::feed(Workspace& workspace, double seconds, double wait, const Serve& serve) {
    constexpr int kMostLines = 100;
    for (int count = 0; script_.ready() && !ended_ && count < kMostLines; ++count) {
        ScriptLineReader::Line line;
        const ScriptLineReader::Next next = reader_.next(line, count == 0 ? wait : 0);
        if (next == ScriptLineReader::Next::end) ended_ = true;
        if (next != ScriptLineReader::Next::line) return;
        line_ = line;
        if (line.problem.empty())
            script_.take(line.number, line.text);
        else
            script_.refuse(line.number, line.problem);
        std::vector<Event> events = workspace.apply(controller_);
        if (serve)
            if (const std::string why = serve(); !why.empty() && !events.empty()) {
                events.back().status = CommandStatus::failed;
                events.back().why = why;
            }
        script_.look(workspace, events, seconds);
        if (workspace.intent.quit) ended_ = true;
    }
}

void Player::look(const Document& document, const std::vector<Event>& events, double seconds) {
    script_.look(document, events, seconds);
}

void Player::abandon(const std::string& why) { script_.abandon(why); }

}  // namespace gravlab
