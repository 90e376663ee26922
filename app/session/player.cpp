#include "app/session/player.h"

#include "sim/api/errors.h"
#include "sim/core/text.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gravlab {
namespace {

/// Writes and flushes a line of standard output, because its reader waits for it.
void write(const std::string& line) {
    if (std::fputs((line + "\n").c_str(), stdout) < 0 || std::fflush(stdout) != 0)
        throw IoError("the answers of the script cannot be written to standard output: " +
                      std::generic_category().message(errno) + "; the script ends here");
}

}  // namespace

Player::Player(const std::string& path, bool clock, Controller& controller)
    : controller_(controller),
      reader_(path),
      script_(
          controller_, Sender::script, [](const ScriptAnswer& answer) { write(jsonText(answer)); }, clock) {}

void Player::requireReader() const {
    pollfd out{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
    if (poll(&out, 1, 0) > 0 && (out.revents & POLLERR))
        throw IoError("nobody reads the answers of the script any more; it ends here");
}

void Player::feed(const Document& document, BaseHost& host, double seconds, double wait) {
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
        controller_.apply(host);
        script_.look(document, seconds);
        if (host.quits()) refuseTheRest();
    }
}

/// Answers the lines that have arrived, and waits for no others.
void Player::refuseTheRest() {
    ended_ = true;
    for (ScriptLineReader::Line line; reader_.next(line, 0) == ScriptLineReader::Next::line;) {
        const bool blank = trimmed(withoutRemark(line.text, true)).empty() && line.problem.empty();
        if (!blank) script_.refuse(line.number, "not done: an earlier line has ended the program");
    }
}

}  // namespace gravlab
