// Names that only a window has: the keys that it remembers, the members of its status, and its controls.
#include "gui_fixture.h"
#include "tests/paths.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gravlab::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// "camera.distance", "rewind.steps": nested members, but not those that describe a control.
void addMembers(const Json& object, const std::string& before, std::set<std::string>& to) {
    for (const auto& [name, value] : object.items()) {
        to.insert(before + name);
        if (value.is_object() && name != "items") addMembers(value, before + name + ".", to);
    }
}

/// The entries of a section of tests/data/inventory.txt.
std::set<std::string> listedIn(const std::string& section) {
    std::ifstream file(GRAVLAB_SOURCE_DIR "/tests/data/inventory.txt");
    std::set<std::string> found;
    bool inside = false;
    for (std::string line; std::getline(file, line);)
        if (line.starts_with('['))
            inside = line == "[" + section + "]";
        else if (inside && !line.empty())
            found.insert(line);
    return found;
}

/// Fails with the names of entries that are lost or not listed.
void expectInventory(const std::string& section, const std::set<std::string>& found) {
    const std::set<std::string> listed = listedIn(section);
    std::vector<std::string> lost, added;
    std::ranges::set_difference(listed, found, std::back_inserter(lost));
    std::ranges::set_difference(found, listed, std::back_inserter(added));
    EXPECT_TRUE(lost.empty()) << "lost from [" << section << "]: " << testing::PrintToString(lost);
    EXPECT_TRUE(added.empty()) << "to be added to [" << section
                               << "] of tests/data/inventory.txt: " << testing::PrintToString(added);
}

class InventoryWindow : public GuiTest {};

TEST_F(InventoryWindow, holdsTheStatusTheControlsAndWhatIsRemembered) {
    const fs::path file = folder / "config/gravlab/config.toml";
    fs::create_directories(file.parent_path());
    std::ofstream(file)
        << "[window]\nwidth = 1600\nheight = 1000\n[scene]\nname = \"plummer\"\nbodies = 200\n[look]\ncolour = \"speed\"\n";
    greeted = true;  // the line that remembers the greeting is one of the names
    plain = false;   // the default look is one, too
    open({"--backend", "cpu", "--twin", "integrator=euler"});
    std::set<std::string> members, controls;
    const auto look = [&] {
        settle();
        const Json now = status();
        const Json reported = Json::parse(statusText);
        Json own;  // parameters have a list of their own
        for (const auto& [name, value] : reported.items())
            if (name.find('.') == std::string::npos) own[name] = value;
        addMembers(own, "", members);
        for (const auto& [name, value] : now.at("items").items()) controls.insert(name);
    };
    look();
    const std::pair<const char*, const char*> dialogs[] = {
        {"ctrl+j", "instruments_rotation"}, {"l", "lab_source"}, {"ctrl+o", "open_path"}, {"alt+r", "record"}};
    for (const auto& [action, control] : dialogs) {
        key(action);
        waitFor(control, [&](const Json& s) { return s.at("items").contains(control); });
        look();
        if (action[0] != 'l') key("Escape");
    }
    // Some controls appear with the first measurement.
    const std::set<std::string> listed = listedIn("controls of the window");
    for (int i = 0; i < 30 && !std::includes(controls.begin(), controls.end(), listed.begin(), listed.end()); ++i) look();
    controls.erase("open_file");  // one for each file of the folder that it is started in
    expectInventory("members of the window's status", members);
    expectInventory("controls of the window", controls);
    xdotool({"windowsize", window, "1280", "800"});  // the whole menu bar is on the display
    waitForValue("width", 1280);
    settle();
    click("depth/teach");
    waitForValue("depth", "teach");
    key("ctrl+q");
    EXPECT_EQ(program->wait(patience), 0);
    std::ifstream stream(file);
    std::set<std::string> keys;
    std::string table;
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty() && line.front() == '[') table = line.substr(1, line.size() - 2) + ".";
        const std::size_t equals = line.find(" =");
        if (equals != std::string::npos) keys.insert(table + line.substr(0, equals));
    }
    expectInventory("keys of config.toml", keys);
    window.clear();
}

}  // namespace
}  // namespace gravlab::test
