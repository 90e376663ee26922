// Settings that the window keeps between sessions: $XDG_CONFIG_HOME/gravlab/config.toml.
// Rule: wrong lines of the file are named, and the others are used. The command line takes precedence over the file.
#pragma once
#include "app/files/file_jobs.h"
#include "app/model/start_options.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

struct Document;

/// The window's place on the display, in the display's units.
struct WindowPlace {
    int x = 0, y = 0, width = 0, height = 0;
    bool placed = false;  ///< x and y are known
};

/// The values that are read from the file or written to it.
struct Remembered {
    StartOptions options{};
    WindowPlace place{};
    /// Values of the file that the command line overrides, by "TABLE.KEY".
    std::map<std::string, std::string> passedOver{};
};

/// Path of the file; empty when neither XDG_CONFIG_HOME nor HOME names a folder.
std::filesystem::path configFile();

/// Copies the values of the text to `to`, except for those that the command line gives. Returns a sentence for every
/// unusable line, with `name` and the line's number.
std::vector<std::string> takeConfig(std::string_view text, const std::string& name, Remembered& to);

/// Reads the file once. Writes it when its text has changed and stayed the same for a while, and at the end. Options of the
/// command line hold for this session alone: their rows keep the file's value until the user changes them in the window.
class ConfigKeeper {
public:
    /// Reads the file. Nothing is read or written when `on` is false, or when configFile() is empty.
    ConfigKeeper(bool on, Remembered& to);
    /// Whether there was no file, so this is the first session.
    bool first() const { return first_; }
    /// What was wrong with the file; empty: nothing.
    const std::vector<std::string>& notes() const { return notes_; }

    /// Whether update() would have work.
    bool due(double seconds) const;
    /// Begins to write a change that has settled; never waits for the disk. Returns a sentence, once, when the file cannot
    /// be written; the file is then left alone.
    std::string update(const Document& document, const WindowPlace& place, double seconds);
    /// Writes the remaining changes, without messages, and waits for the disk.
    void close(const Document& document, const WindowPlace& place) noexcept;

    /// The text of the file for the present document. The first call records the values at the start of the window.
    std::string text(const Document& document, const WindowPlace& place);

private:
    void write(const std::string& text);

    std::filesystem::path file_;  ///< empty: off
    bool first_ = false;
    std::vector<std::string> notes_;
    Remembered given_;
    std::vector<std::string> begun_;  ///< values of all rows when the window opened
    std::string written_, seen_;
    double lookedAt_ = -1, changedAt_ = 0;
    std::string failure_;  ///< failure that update() has not returned yet
    FileJobs jobs_;        // last member: its work ends before the destruction of the members that it reports to
};

}  // namespace gravlab
