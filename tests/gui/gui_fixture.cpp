// Processes, the display and xdotool behind the fixture.
#include "gui_fixture.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <thread>

extern char** environ;

namespace gravlab::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Generous limits: a loaded machine is slow, not wrong. The awaited events come in a fraction of a second.
constexpr auto kPatience = 20s, kPatienceToOpen = 120s;
constexpr std::chrono::duration<double> kUsualOpening = 1s;
constexpr auto kPause = 3ms;

std::vector<std::string> environmentWith(const Environment& changes) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        if (!changes.contains(text.substr(0, text.find('=')))) all.push_back(text);
    }
    for (const auto& [name, value] : changes)
        if (!value.empty()) all.push_back(name + "=" + value);
    std::ranges::sort(all);
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

}  // namespace

Process::Process(const Arguments& command, const Environment& environment, const fs::path& output) {
    Arguments arguments = command;
    std::vector<std::string> variables = environmentWith(environment);
    const std::vector<char*> argv = pointers(arguments), envp = pointers(variables);
    id_ = fork();
    if (id_ != 0) return;
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execvpe(argv[0], argv.data(), envp.data());
    _exit(127);
}

Process::~Process() {
    if (!running()) return;
    kill(id_, SIGKILL);
    wait(5s);
}

int Process::wait(std::chrono::milliseconds limit) {
    const auto end = Clock::now() + limit;
    while (code_ == -1) {
        int state = 0;
        if (waitpid(id_, &state, WNOHANG) == id_) {
            code_ = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
            break;
        }
        if (Clock::now() >= end) break;
        std::this_thread::sleep_for(1ms);
    }
    return code_;
}

bool installed(const std::string& program) {
    std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string part; std::getline(path, part, ':');)
        if (access((part + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

Display::Display(const fs::path& folder) {
    if (!installed("Xvfb")) {
        if (const char* given = std::getenv("DISPLAY")) name_ = given;
        return;
    }
    // The server chooses a free number and reports it: several tests may run at once.
    const fs::path number = folder / "display";
    server_ = std::make_unique<Process>(
        Arguments{"sh", "-c",
                  "exec Xvfb -displayfd 3 -screen 0 1400x900x24 -nolisten tcp -noreset 3> '" + number.string() + "'"},
        Environment{}, folder / "xvfb.log");
    for (const auto end = Clock::now() + kPatience; Clock::now() < end && server_->running();) {
        const std::string text = contentOf(number);
        if (text.ends_with('\n')) {
            name_ = ":" + text.substr(0, text.size() - 1);
            return;
        }
        std::this_thread::sleep_for(kPause);
    }
}

void GuiTest::SetUp() {
    // A new one: a killed test leaves its folder, with the number of a display that is gone.
    std::string name = (fs::temp_directory_path() / "gravlab-gui-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    here_.emplace(folder);
    environment_ = environmentWith({});
    statusFile_ = folder / "status.json";
    display = std::make_unique<Display>(folder);
    std::string missing;
    if (display->name().empty()) missing = "there is no display and no Xvfb that could make one";
    if (!installed("xdotool")) missing = "xdotool is not installed";
    if (missing.empty()) return;
    if (const char* required = std::getenv("GRAVLAB_REQUIRE_DISPLAY"); required && std::string(required) == "1")
        FAIL() << missing << ", and GRAVLAB_REQUIRE_DISPLAY=1";
    GTEST_SKIP() << "THE WINDOW IS NOT TESTED: " << missing;
}

void GuiTest::TearDown() {
    if (HasFailure()) std::cerr << contentOf(folder / "gravlab.log");
    program.reset();
    display.reset();
    here_.reset();
    if (!folder.empty()) {
        EXPECT_EQ(environmentWith({}), environment_) << "the test changed the environment of those after it";
    }
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

void GuiTest::open(Arguments arguments) {
    if (!greeted) arguments.emplace_back("--no-welcome");
    const auto lacks = [&](const char* option) { return std::ranges::find(arguments, option) == arguments.end(); };
    // Most tests are about the panels of Measure, which has every control.
    if (lacks("--depth")) arguments.insert(arguments.end(), {"--depth", "measure"});
    // Steps would fill the rest of each frame, and every event waits for two frames.
    if (lacks("--time-budget")) arguments.insert(arguments.end(), {"--time-budget", "4"});
    // Without a GPU, the time of a frame goes to its pixels. A window that remembers its size keeps it.
    if (lacks("--size") && !fs::exists(folder / "config/gravlab/config.toml"))
        arguments.insert(arguments.end(), {"--size", "1024x640"});
    if (const auto found = std::ranges::find(arguments, "--size"); half && found != arguments.end()) {
        std::string& size = *std::next(found);
        const std::size_t by = size.find('x');
        size = std::to_string(std::stoi(size) / 2) + "x" + std::to_string(std::stoi(size.substr(by + 1)) / 2);
        arguments.insert(arguments.end(), {"--ui-scale", "0.5"});
    }
    // A plain picture: most tests do not need another one, and without a GPU photographs took half of their time.
    if (plain) arguments.insert(arguments.end(), {"--colour", "speed", "--glow", "0"});
    arguments.insert(arguments.begin(), {binary.empty() ? GRAVLAB_BINARY : binary, "view"});
    program = std::make_unique<Process>(arguments,
                                        Environment{{"DISPLAY", display->name()},
                                                    {"WAYLAND_DISPLAY", ""},
                                                    {"GRAVLAB_STATUS_FILE", statusFile_},
                                                    {"GRAVLAB_GL_DEBUG", "1"},
                                                    {"XDG_CONFIG_HOME", (folder / "config").string()},
                                                    {"XDG_STATE_HOME", (folder / "state").string()}},
                                        folder / "gravlab.log");
    const auto start = Clock::now();
    patience = kPatienceToOpen;
    waitFor("the first frames", [](const Json& s) { return s.at("frame") >= 2; });
    // On a quiet machine the window opens in half a second.
    slowness = std::max(1.0, std::chrono::duration<double>(Clock::now() - start) / kUsualOpening);
    patience = std::chrono::duration_cast<std::chrono::milliseconds>(slowness * kPatience);
    const fs::path found = folder / "window";
    for (const auto end = Clock::now() + patience; Clock::now() < end && window.empty();) {
        fs::remove(found);
        Process search({"xdotool", "search", "--onlyvisible", "--name", "^gravlab$"}, {{"DISPLAY", display->name()}}, found);
        search.wait(patience);
        std::istringstream(contentOf(found)) >> window;
    }
    ASSERT_FALSE(window.empty()) << "xdotool does not find the window";
    xdotool({"windowfocus", window});
}

namespace {

/// Parameters get short names beside their paths: the last word, or both words for films, the camera, the lab and lessons.
void addShortNames(Json& json) {
    static const std::map<std::string, std::string> kOwn{{"run.rate", "/interactions_per_second"},
                                                         {"window.conservation", "/conservation/shown"},
                                                         {"window.instruments", "/instruments/shown"},
                                                         {"film.recording", "/film/active"},
                                                         {"film.panel", "/film/shown"},
                                                         {"window.files", "/files/shown"},
                                                         {"window.panels", "/panel"},
                                                         {"window.full_screen", "/fullscreen"},
                                                         {"window.display_sync", "/vsync"},
                                                         {"look.white_page", "/paper"},
                                                         {"overlay.shown", "/overlay"},
                                                         {"drop.on", "/launch/on"},
                                                         {"camera.rotation", "/rotation"},
                                                         {"camera.orthographic", "/orthographic"}};
    const Json found = json;
    for (const auto& [path, value] : found.items()) {
        const std::size_t point = path.find('.');
        if (point == std::string::npos) continue;
        const std::string group = path.substr(0, point), word = "/" + path.substr(point + 1);
        const auto own = kOwn.find(path);
        const bool both = group == "film" || group == "camera" || group == "lab" || group == "lesson",
                   one = group == "run" || group == "look" || group == "view" || group == "window";
        if (own == kOwn.end() && !both && !one) continue;
        const Json::json_pointer at(own != kOwn.end() ? own->second : both ? "/" + group + word : word);
        if (!json.contains(at)) json[at] = value;
    }
}

}  // namespace

Json GuiTest::status() {
    for (const auto end = Clock::now() + patience; Clock::now() < end;) {
        // Most looks find the frame that is known already.
        std::string text = contentOf(statusFile_);
        if (text == statusText && !text.empty()) return status_;
        if (Json json = Json::parse(text, nullptr, false); !json.is_discarded() && json.is_object()) {
            statusText = std::move(text);
            addShortNames(json);
            return status_ = std::move(json);
        }
        if (!program->running()) {
            ADD_FAILURE() << "the program ended with code " << program->wait(0ms);
            break;
        }
        std::this_thread::sleep_for(kPause);
    }
    throw std::runtime_error("no status");
}

Json GuiTest::waitFor(const std::string& what, const std::function<bool(const Json&)>& met) {
    Json now = status();
    for (const auto end = Clock::now() + patience; !met(now); now = status()) {
        if (Clock::now() > end || !program->running()) {
            now.erase("items");
            ADD_FAILURE() << "waited in vain for " << what << "; status: " << now.dump(1);
            throw std::runtime_error("waited in vain for " + what);
        }
        std::this_thread::sleep_for(kPause);
    }
    return now;
}

Json GuiTest::waitForValue(const std::string& key, const Json& value) {
    return waitFor(key + " = " + value.dump(), [&](const Json& s) { return s.at(key) == value; });
}

void GuiTest::settle() { lookAgain(2); }

/// The present frame may have polled events before this moment; the next one will poll them. When nothing moves and no event
/// arrives there are no frames to wait for; an event causes some, and this process may be too late for them.
void GuiTest::lookAgain(int frames, std::int64_t last) {
    const auto frame = status().at("frame").get<std::int64_t>();
    for (const auto end = Clock::now() + patience; program->running();) {
        std::this_thread::sleep_for(kPause);
        const Json now = status();
        if (now.at("frame") >= frame + frames || (now.at("rests") == true && now.at("frame") >= last)) return;
        if (Clock::now() > end) throw std::runtime_error("no frame has seen what was sent");
    }
}

void GuiTest::xdotool(Arguments arguments) {
    // Commands that always cause an event: a key or a button, but not a pointer that may be there already.
    static const std::set<std::string> kEvents{"key", "keydown", "type", "click", "mousedown", "mouseup"};
    const bool certain = kEvents.contains(arguments.front());
    const int frames = std::ranges::count(arguments, "click") > 0 ? 3 : 2;  // the end of a click is in a frame of its own
    // The frame of an event is followed by four.
    const std::int64_t last = certain ? status().at("frame").get<std::int64_t>() + 4 : 0;
    arguments.insert(arguments.begin(), "xdotool");
    Process run(arguments, {{"DISPLAY", display->name()}}, folder / "xdotool.log");
    EXPECT_EQ(run.wait(patience), 0) << contentOf(folder / "xdotool.log");
    lookAgain(frames, last);
}

std::pair<int, int> GuiTest::displaySize() {
    const fs::path found = folder / "geometry";
    fs::remove(found);
    Process ask({"xdotool", "getdisplaygeometry"}, {{"DISPLAY", display->name()}}, found);
    ask.wait(patience);
    std::pair<int, int> size{0, 0};
    std::istringstream(contentOf(found)) >> size.first >> size.second;
    return size;
}

void GuiTest::key(const std::string& name) { xdotool({"key", name}); }
void GuiTest::type(const std::string& text) { xdotool({"type", "--delay", "20", "--", text}); }

void GuiTest::moveTo(int x, int y) { xdotool({"mousemove", "--window", window, std::to_string(x), std::to_string(y)}); }

void GuiTest::moveTo(const std::string& item) {
    const auto shown = [&](const Json& s) { return s.at("items").contains(item); };
    const auto place = [&] { return waitFor("control " + item, shown).at("items").at(item).at("rect"); };
    // A panel that has just opened may still move.
    for (Json rect, before = place();; before = rect) {
        settle();
        if ((rect = place()) != before) continue;
        moveTo((rect[0].get<int>() + rect[2].get<int>()) / 2, (rect[1].get<int>() + rect[3].get<int>()) / 2);
        if (place() == rect) return;
    }
}

void GuiTest::click(const std::string& item) {
    moveTo(item);
    xdotool({"click", "1"});
}

void GuiTest::choose(const std::string& combo, const std::string& row) {
    click(combo);
    const std::string prefix = combo + "/";
    const auto rowInSight = [&](const Json& s) {
        for (const auto& [item, state] : s.at("items").items())
            if (item.starts_with(prefix)) return item;
        return std::string();
    };
    waitFor("the list of " + combo, [&](const Json& s) { return !rowInSight(s).empty(); });
    settle();
    const auto inSight = [&] { return status().at("items").contains(prefix + row); };
    // A long list opens at its present row; the wheel brings the others into sight.
    if (!inSight()) moveTo(rowInSight(status()));
    for (const char* wheel : {"4", "5"})
        for (int turn = 0; turn < 20 && !inSight(); ++turn) xdotool({"click", wheel});
    click(prefix + row);
}

void GuiTest::enter(const std::string& item, const std::string& text) {
    click(item);
    typeOver(text);
}

/// Letters are commands until a field has the keyboard.
void GuiTest::typeOver(const std::string& text) {
    waitForValue("typing", true);
    xdotool({"key", "ctrl+a", "type", "--delay", "20", "--args", "1", "--", text, "key", "Return"});
    waitForValue("typing", false);
}

void GuiTest::overwrite(const std::string& item, const std::string& text) {
    moveTo(item);
    xdotool({"keydown", "ctrl", "click", "1", "keyup", "ctrl"});
    typeOver(text);
}

void GuiTest::drag(int fromX, int fromY, int toX, int toY, int button) {
    moveTo(fromX, fromY);
    xdotool({"mousedown", std::to_string(button)});
    moveTo((fromX + toX) / 2, (fromY + toY) / 2);
    moveTo(toX, toY);
    xdotool({"mouseup", std::to_string(button)});
}

}  // namespace gravlab::test
