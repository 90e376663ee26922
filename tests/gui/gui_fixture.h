// A real window on its own display, driven by real mouse and key events (XTest, through xdotool), observed through the
// program's status file. Rule: wait for a fact, never for a time.
#pragma once
#include "tests/surroundings.h"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab::test {

using Json = nlohmann::ordered_json;  // its parser is compiled in the program, with optimisation
using Arguments = std::vector<std::string>;
inline const Arguments kSmall{"plummer", "-n", "300", "--size", "1000x700", "--backend", "cpu"};
using Environment = std::map<std::string, std::string>;  ///< an empty value removes the variable

/// A child process; killed when this ends before it does.
class Process {
public:
    Process(const Arguments& command, const Environment& environment, const std::filesystem::path& output);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    /// Exit code, or -1 when it did not end in time. Signals count as 128 + number.
    int wait(std::chrono::milliseconds limit);
    bool running() { return wait(std::chrono::milliseconds(0)) == -1; }
    pid_t id() const { return id_; }

private:
    pid_t id_ = -1;
    int code_ = -1;
};

/// Whether a program is in PATH.
bool installed(const std::string& program);

/// A virtual display, or, without Xvfb, the display of DISPLAY.
class Display {
public:
    /// `name` stays empty when there is no display.
    explicit Display(const std::filesystem::path& folder);
    const std::string& name() const { return name_; }

private:
    std::unique_ptr<Process> server_;
    std::string name_;
};

class GuiTest : public ::testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

    /// Opens the window and waits for its first frames. The greeting of the first start is left out unless `greeted`.
    void open(Arguments arguments);
    /// The newest status; the test fails when the program has died.
    Json status();
    /// Waits until the status satisfies the condition, and returns it.
    Json waitFor(const std::string& what, const std::function<bool(const Json&)>& met);
    Json waitForValue(const std::string& key, const Json& value);
    /// Waits until a frame has processed all sent events, or the window is idle.
    void settle();

    void xdotool(Arguments arguments);
    /// Width and height from the X server.
    std::pair<int, int> displaySize();
    void key(const std::string& name);
    void type(const std::string& text);
    /// Replaces the content of a text field and presses Enter.
    void enter(const std::string& item, const std::string& text);
    /// The same for a dragged number: Ctrl and a click open it, at any frame rate.
    void overwrite(const std::string& item, const std::string& text);
    void moveTo(int x, int y);
    void moveTo(const std::string& item);
    void click(const std::string& item);
    void choose(const std::string& combo, const std::string& row);
    void drag(int fromX, int fromY, int toX, int toY, int button);

    std::filesystem::path folder;
    std::string window;    ///< X11 identity
    std::string binary;    ///< of the next window; empty: the program itself
    bool greeted = false;  ///< the next window starts as for a new user
    bool half = false;     ///< the next window has half of its size and letters of half their size: the same layout
    bool plain = true;     ///< the next window colours by speed, without glow; false: the user's defaults
    /// How long the test waits for an event: generous, and longer when the window opened slowly.
    std::chrono::milliseconds patience{20000};
    double slowness = 1;  ///< of this machine now, against a quiet one
    std::unique_ptr<Display> display;
    std::unique_ptr<Process> program;
    std::string statusText;  ///< the newest, as the window wrote it

private:
    void lookAgain(int frames, std::int64_t last = 0);
    void typeOver(const std::string& text);

    std::filesystem::path statusFile_;
    Json status_;
    std::optional<CurrentFolder> here_;     ///< files without a folder are removed after the test
    std::vector<std::string> environment_;  ///< at the start of the test
};

}  // namespace gravlab::test
