// What the window remembers from one time to the next: $XDG_CONFIG_HOME/gravlab/config.toml.
// Rule: a file that is wrong in places is used for the rest, and each wrong line is named; the command line goes before it.
#pragma once
#include "app/model/options.h"
#include "app/system/file_jobs.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

struct Document;

/// Where a window is on the display, in the display's units.
struct WindowPlace {
    int x = 0, y = 0, width = 0, height = 0;
    bool placed = false;  ///< x and y are known
};

/// What is taken from the file, or written into it.
struct Remembered {
    Options options;
    WindowPlace place;
    /// Values of the file that the command line went before, by "TABLE.KEY".
    std::map<std::string, std::string> passedOver;
};

/// Where the file is; empty when neither XDG_CONFIG_HOME nor HOME names a folder.
std::filesystem::path configFile();

/// Puts what the text says over `to`, except for what the command line has given. Gives a sentence for every line that
/// cannot be used, with `name` and the line's number.
std::vector<std::string> takeConfig(std::string_view text, const std::string& name, Remembered& to);

/// Reads the file once and writes it when what it says has changed and rested for a while, and at the end. What the command
/// line asked for is of this time alone: its rows keep what the file says until they are changed in the window.
class ConfigKeeper {
public:
    /// Reads the file. Nothing is read or written when `on` is false, nor when there is no folder for it.
    ConfigKeeper(bool on, Remembered& to);
    /// Whether there was no file: nothing has ever been remembered here.
    bool first() const { return first_; }
    /// What was wrong with the file; empty: nothing.
    const std::vector<std::string>& notes() const { return notes_; }

    /// update() would do something.
    bool due(double seconds) const;
    /// Begins to write a change that has rested; never waits for the disk. A sentence, once, when it could not be written;
    /// then the file is left alone.
    std::string update(const Document& document, const WindowPlace& place, double seconds);
    /// Writes what has changed since, in silence, and waits for it.
    void close(const Document& document, const WindowPlace& place) noexcept;

    /// The text of the file for the document as it is. The first call learns what the window begins with.
    std::string text(const Document& document, const WindowPlace& place);

private:
    void write(const std::string& text);

    std::filesystem::path file_;  ///< empty: off
    bool first_ = false;
    std::vector<std::string> notes_;
    Remembered asked_;
    std::vector<std::string> begun_;  ///< values of all rows when the window opened
    std::string written_, seen_;
    double lookedAt_ = -1, changedAt_ = 0;
    std::string failure_;  ///< not yet told
    FileJobs jobs_;        // last: its work ends before what it reports to
};

}  // namespace gravlab
