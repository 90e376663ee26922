// A script that is played: lines come in, answers go to standard output. For both ways to play one, off screen and in a
// window.
#pragma once
#include "app/control/controller.h"
#include "app/control/line_reader.h"
#include "app/control/script.h"
#include "app/view/workspace.h"

#include <functional>
#include <string>
#include <vector>

namespace gravlab {

class Player {
public:
    /// A path, or "-" for standard input. Throws InputError.
    Player(const std::string& path, bool clock);

    /// Does what a command asked of the files of whoever plays; gives why that failed, or nothing.
    using Serve = std::function<std::string()>;
    /// Takes lines until one needs frames, none is there, or many were taken: a window must go on. `wait`: up to so long for
    /// a line [s]. Throws IoError when answers cannot be written.
    void feed(Workspace& workspace, double seconds, double wait, const Serve& serve = {});
    /// Once a frame, with what the controller has done in it.
    void look(const Document& document, const std::vector<Event>& events, double seconds);
    /// Whoever plays it ends before the script does.
    void abandon(const std::string& why);

    Controller& controller() { return controller_; }
    /// All lines are answered.
    bool ended() const { return ended_ && script_.ready(); }
    /// A wait is not over.
    bool needsFrame() const { return script_.needsFrame(); }
    /// The line that is waited for: its number, 0 where none is, and its text.
    std::size_t waitsAt() const { return script_.ready() ? 0 : line_.number; }
    const std::string& waitsFor() const { return line_.text; }
    int exitCode() const { return script_.exitCode(); }

private:
    Controller controller_;
    ScriptLineReader reader_;
    ScriptLineReader::Line line_;  ///< that was taken last
    Script script_;
    bool ended_ = false;
};

}  // namespace gravlab
