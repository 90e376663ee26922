// The rows of the menus File and Help.
#include "app/control/action.h"
#include "app/model/document.h"
#include "app/model/launch.h"
#include "app/model/ui_state.h"
#include "app/version.h"
#include "sim/core/error.h"

namespace gravlab {
namespace {

/// The name of a file. Throws UsageError.
std::string fileOf(const Value& argument, std::string_view ending = {}) {
    const auto* word = std::get_if<std::string>(&argument);
    std::string name = word ? *word : valueText(argument);
    if (name.empty() || !name.ends_with(ending))
        throw UsageError("'" + name + "': expected the name of a file" +
                         (ending.empty() ? "" : " that ends with " + std::string(ending)));
    return name;
}

constexpr Action kFile[] = {
    {.name = "open",
     .label = "Open and save ...",
     .idea = "save and open files",
     .strokes = {{Key::letterO, kControl}},
     .act = [](KeyTarget& t, int) { toggle(t.ui.files.shown); },
     .checked = [](const KeyTarget& t) { return t.ui.files.shown; }},
    {.name = "save",
     .label = "Save the run",
     .idea = "save the run into the current folder",
     .strokes = {{Key::letterS, kControl}},
     .act = [](KeyTarget& t, int) { t.ui.files.saveAsked = true; },
     .argument = "FILE",
     .with = [](KeyTarget& t, const Value& file) { t.ui.files.saveAs = fileOf(file); }},
    {.name = "save-scene",
     .label = "Save as scene file",
     .idea = "write scene, camera and look as a scene file into the current folder",
     .strokes = {{Key::letterE, kControl}},
     .act = [](KeyTarget& t, int) { t.ui.saveScene = true; },
     .argument = "FILE.toml",
     .with =
         [](KeyTarget& t, const Value& file) {
             t.ui.sceneName = fileOf(file, ".toml");
             t.ui.saveScene = true;
         },
     .line = true},
    {.name = "picture",
     .label = "Save picture",
     .idea = "write a picture into the current folder",
     .strokes = {{Key::f12}},
     .act = [](KeyTarget& t, int) { t.ui.screenshot = true; },
     .argument = "FILE.png",
     .with =
         [](KeyTarget& t, const Value& file) {
             t.ui.pictureName = fileOf(file, ".png");
             t.ui.screenshot = true;
         }},
    {.name = "record",
     .label = "Record a film",
     .idea = "start a film in the current folder, or stop and keep it",
     .strokes = {{Key::letterR, kControl}},
     .act = [](KeyTarget& t, int) { t.ui.film.toggle = true; },
     .checked = [](const KeyTarget& t) { return t.ui.film.active; }},
    {.name = "film",
     .label = "Film ...",
     .idea = "size, encoder, pace and length of a film",
     .strokes = {{Key::letterR, kAlt}},
     .act = [](KeyTarget& t, int) { toggle(t.ui.film.shown); },
     .checked = [](const KeyTarget& t) { return t.ui.film.shown; }},
    {.name = "quit",
     .label = "Quit",
     .idea = "quit",
     .strokes = {{Key::letterQ, kControl}},
     .act = [](KeyTarget& t, int) { t.intent.quit = true; },
     .line = true},
};

constexpr Action kHelp[] = {
    {.name = "keys",
     .label = "Keys and mouse",
     .idea = "these keys",
     .strokes = {{Key::f1}, {Key::letterH}},
     .act = [](KeyTarget& t, int) { toggle(t.ui.help); },
     .checked = [](const KeyTarget& t) { return t.ui.help; }},
    {.name = "close",
     .label = "Close what is open",
     .idea = "close the list of keys or a message, select nothing",
     .strokes = {{Key::escape}},
     .act =
         [](KeyTarget& t, int) {
             if (t.drop.dragging()) {
                 t.drop.cancel();
                 return;
             }
             t.drop.on = false;
             t.ui.help = false;
             t.ui.files.shown = t.ui.film.shown = false;
             if (t.message.empty()) t.clearSelection();
             t.dismissMessage();
         }},
    {.name = "about",
     .label = "About gravlab",
     .idea = "which version this is",
     .act = [](KeyTarget& t, int) { t.say(versionText()); },
     .line = true},
};

}  // namespace

std::span<const Action> fileActions() { return kFile; }
std::span<const Action> helpActions() { return kHelp; }

}  // namespace gravlab
