// The rows of the menus File and Help.
#include "app/control/action.h"
#include "app/model/document.h"
#include "app/model/launch.h"
#include "app/model/ui_state.h"
#include "app/version.h"
#include "sim/core/error.h"

namespace gravlab {
namespace {

constexpr std::string_view kFileStays = "A file that was written stays; remove it where it is not wanted.";

/// The name of a file. Throws UsageError.
std::string fileOf(const Value& argument, std::string_view ending = {}) {
    const auto* word = std::get_if<std::string>(&argument);
    std::string name = word ? *word : valueText(argument);
    if (name.empty() || !name.ends_with(ending))
        throw UsageError("'" + name + "': expected the name of a file" +
                         (ending.empty() ? "" : " that ends with " + std::string(ending)));
    return name;
}

Reason filmEnding(const KeyTarget& t) {
    return t.ui.film.ending ? Reason("The film is complete; the encoder writes its last frames.") : Reason();
}

Reason nothingLeft(const KeyTarget& t) {
    return t.ui.files.recover.empty() ? Reason("No earlier run has left anything to go on from.") : Reason();
}

constexpr Action kFile[] = {
    {.name = "open",
     .label = "Open and save ...",
     .idea = "save and open files",
     .strokes = {{Key::letterO, kControl}},
     .parameter = "window.files"},
    {.name = "save",
     .label = "Save the run",
     .idea = "save the run into the current folder",
     .strokes = {{Key::letterS, kControl}},
     .act = [](KeyTarget& t, int) { t.ui.files.saveAsked = true; },
     .argument = "FILE",
     .with = [](KeyTarget& t, const Value& file) { t.ui.files.saveAs = fileOf(file); },
     .leaves = kFileStays},
    {.name = "recover",
     .label = "Go on from there",
     .idea = "open what was saved last before the program ended unexpectedly; the run on screen ends",
     .act = [](KeyTarget& t, int) { t.ui.files.recoverAsked = true; },
     .unavailable = nothingLeft,
     .lasting = "Opening has ended the run before, of which nothing is kept; open that one again."},
    {.name = "discard",
     .label = "Discard",
     .idea = "remove what was saved last before the program ended unexpectedly; nothing else changes",
     .act = [](KeyTarget& t, int) { t.ui.files.forgetAsked = true; },
     .unavailable = nothingLeft,
     .lasting = "What was discarded is gone."},
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
     .leaves = kFileStays,
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
         },
     .leaves = kFileStays},
    {.name = "record",
     .label = "Record a film",
     .idea = "start a film in the current folder, or stop and keep it",
     .strokes = {{Key::letterR, kControl}},
     .act = [](KeyTarget& t, int) { t.ui.film.toggle = true; },
     .checked = [](const KeyTarget& t) { return t.ui.film.active; },
     .unavailable = filmEnding,
     .leaves = "A film is stopped with Ctrl R, or cancelled in its panel."},
    {.name = "cancel-film",
     .label = "Cancel the film",
     .idea = "end the film and keep nothing",
     .act = [](KeyTarget& t, int) { t.ui.film.cancel = true; },
     .unavailable =
         [](const KeyTarget& t) { return t.ui.film.active ? filmEnding(t) : Reason("No film is being recorded."); },
     .lasting = "A film that was cancelled is gone; record it again."},
    {.name = "film",
     .label = "Film ...",
     .idea = "size, encoder, pace and length of a film",
     .strokes = {{Key::letterR, kAlt}},
     .parameter = "film.panel"},
    {.name = "quit",
     .label = "Quit",
     .idea = "quit",
     .strokes = {{Key::letterQ, kControl}},
     .act = [](KeyTarget& t, int) { t.intent.quit = true; },
     .leaves = "Nothing comes after quitting; the autosave keeps the run.",
     .line = true},
};

constexpr Action kHelp[] = {
    {.name = "keys",
     .label = "Keys and mouse",
     .idea = "these keys",
     .strokes = {{Key::f1}, {Key::letterH}},
     .parameter = "window.help"},
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
             if (t.message.empty() && !t.storyTold()) t.clearSelection();
             t.storyLeft = t.facts.run;
             t.dismissMessage();
         }},
    {.name = "dismiss",
     .label = "Put the message away",
     .idea = "put the message away",
     .act = [](KeyTarget& t, int) { t.dismissMessage(); },
     .unavailable = [](const KeyTarget& t) { return t.message.empty() ? Reason("There is no message.") : Reason(); },
     .leaves = "A message that was put away does not come back; what it was about is as before."},
    {.name = "about",
     .label = "About gravlab",
     .idea = "which version this is",
     .act = [](KeyTarget& t, int) { t.say(versionText()); },
     .leaves = "Nothing was changed by looking at the version.",
     .line = true},
};

}  // namespace

std::span<const Action> fileActions() { return kFile; }
std::span<const Action> helpActions() { return kHelp; }

}  // namespace gravlab
