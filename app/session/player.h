// Plays a script, off screen or in a window: reads lines and writes answers to standard output.
#pragma once
#include "app/control/controller.h"
#include "app/control/line_reader.h"
#include "app/control/script.h"
#include "app/view/base_host.h"

#include <cstddef>
#include <string>

namespace gravlab {

/// Reports what a script waits for when that takes long: without a window, nothing else shows progress.
class WaitNotice {
public:
    /// Returns a sentence, once for each line that waits for more than ten seconds; else an empty text. `line`: number of
    /// the waiting line, 0: none. `now`: the host's clock [s].
    std::string update(std::size_t line, const std::string& text, double now) {
        constexpr double kPatience = 10;  // [s]
        if (line != line_) {
            line_ = line;
            since_ = now;
            said_ = false;
        }
        if (line == 0 || said_ || now - since_ < kPatience) return {};
        said_ = true;
        return "line " + std::to_string(line) + " still waits: " + text;
    }

private:
    std::size_t line_ = 0;
    double since_ = 0;
    bool said_ = false;
};

class Player {
public:
    /// `path` is a file, or "-" for standard input. Throws InputError.
    Player(const std::string& path, bool clock, Controller& controller);

    /// Reads lines until one needs frames, none is available, or many were read, because a window must stay responsive.
    /// `wait`: longest wait for a line [s]. Throws IoError when answers cannot be written.
    void feed(const Document& document, BaseHost& host, double seconds, double wait);
    /// Call it once a frame, after the controller's apply.
    void look(const Document& document, double seconds) { script_.look(document, seconds); }
    /// Throws IoError when standard output is a pipe without a reader. The program would otherwise compute for a client that
    /// has gone.
    void requireReader() const;
    /// Call it when the player ends before the script does.
    void abandon(const std::string& why) { script_.abandon(why); }

    /// Whether all lines are answered and their effects have ended.
    bool ended() const { return ended_ && !script_.needsFrame(); }
    /// Whether an effect of a line is still under way.
    bool needsFrame() const { return script_.needsFrame(); }
    /// Whether no line is waiting, but an effect of one is under way.
    bool finishes() const { return script_.ready() && script_.needsFrame(); }
    /// The number of the waiting line, 0 where there is none, and its text.
    std::size_t waitsAt() const { return script_.ready() ? 0 : line_.number; }
    const std::string& waitsFor() const { return line_.text; }
    int exitCode() const { return script_.exitCode(); }

private:
    void refuseTheRest();

    Controller& controller_;
    ScriptLineReader reader_;
    ScriptLineReader::Line line_;  ///< the newest line
    Script script_;
    bool ended_ = false;
};

}  // namespace gravlab
