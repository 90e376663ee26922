// The options of `gravlab view`, and the window that `gravlab play` opens, too.
#pragma once
#include "app/commands/option_groups.h"

#include <string>

namespace gravlab {

/// A window that a user or a script controls.
struct WindowOptions : PictureOptions {
    double autosaveSeconds = -1;      ///< below 0: the usual time; 0: no autosave
    bool noConfig = false;            ///< neither read nor write what the window remembers
    std::string screenshot;           ///< file written after the last frame
    std::string lesson;               ///< initial lesson: a name, or a file that ends with .toml
    std::vector<std::string> series;  ///< further snapshots, shown with the first one after the other
    std::string script;               ///< played in the window; empty: none
};

struct ViewCommand : Subcommand {
    WindowOptions window;

    void add(OptionRows& rows) override;
    void check() override;
    int run() override;
};

/// Bodies, run, twin, picture and window. `needs`: an option without which those of the window do nothing.
void addInteractive(OptionRows& rows, WindowOptions& window, const std::string& needs = {});
/// Runs a window until it closes, and returns the exit code.
int runWindow(const StartOptions& start, const WindowOptions& options);

}  // namespace gravlab
