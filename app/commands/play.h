// A script that is played: lines come in, answers go to standard output. For both ways to play one, off screen and in a
// window.
#pragma once
#include "app/control/controller.h"
#include "app/control/line_reader.h"
#include "app/control/script.h"
#include "app/view/base_host.h"

#include <string>

namespace gravlab {

class Player {
public:
    /// A path, or "-" for standard input. Throws InputError.
    Player(const std::string& path, bool clock, Controller& controller);

    /// Takes lines until one needs frames, none is there, or many were taken: a window must go on. `wait`: up to so long for
    /// a line [s]. Throws IoError when answers cannot be written.
    void feed(Document& document, BaseHost& host, double seconds, double wait);
    /// Once a frame, after the controller has applied.
    void look(const Document& document, double seconds) { script_.look(document, seconds); }
    /// Whoever plays it ends before the script does.
    void abandon(const std::string& why) { script_.abandon(why); }

    /// All lines are answered, and what they began has ended.
    bool ended() const { return ended_ && !script_.needsFrame(); }
    /// Something that a line began is not over.
    bool needsFrame() const { return script_.needsFrame(); }
    /// No line is waited for, but something that one began.
    bool finishes() const { return script_.ready() && script_.needsFrame(); }
    /// The line that is waited for: its number, 0 where none is, and its text.
    std::size_t waitsAt() const { return script_.ready() ? 0 : line_.number; }
    const std::string& waitsFor() const { return line_.text; }
    int exitCode() const { return script_.exitCode(); }

private:
    void refuseTheRest();

    Controller& controller_;
    ScriptLineReader reader_;
    ScriptLineReader::Line line_;  ///< that was taken last
    Script script_;
    bool ended_ = false;
};

}  // namespace gravlab
