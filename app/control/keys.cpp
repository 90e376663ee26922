// Finds the action of a key, and the text of an action's keys.
#include "app/control/keys.h"

#include "app/control/action.h"
#include "app/control/controller.h"
#include "sim/core/names.h"

#include <utility>

namespace gravlab {
namespace {

struct NameRow {
    Key key;
    std::string_view text;
};
constexpr NameRow kNames[] = {{Key::space, "Space"}, {Key::equal, "+"},        {Key::escape, "Esc"},
                              {Key::enter, "Enter"}, {Key::tab, "Tab"},        {Key::remove, "Delete"},
                              {Key::right, "Right"}, {Key::left, "Left"},      {Key::down, "Down"},
                              {Key::up, "Up"},       {Key::pageUp, "Page Up"}, {Key::pageDown, "Page Down"},
                              {Key::home, "Home"},   {Key::end, "End"},        {Key::padMinus, "-"},
                              {Key::padPlus, "+"},   {Key::padEnter, "Enter"}, {Key::leftAlt, "Alt"}};

std::string nameOf(Key key) {
    for (const NameRow& row : kNames)
        if (row.key == key) return std::string(row.text);
    const int code = static_cast<int>(key);
    if (key >= Key::f1 && code < static_cast<int>(Key::f1) + 25)
        return "F" + std::to_string(code - static_cast<int>(Key::f1) + 1);
    if (key >= Key::pad1 && key <= Key::pad9) return std::to_string(code - static_cast<int>(Key::pad1) + 1);
    return std::string(1, static_cast<char>(code));
}

std::string modifierText(int modifiers) {
    return std::string(modifiers & kControl ? "Ctrl " : "") + (modifiers & kAlt ? "Alt " : "");
}

bool matches(const KeyStroke& stroke, Key key, int modifiers) {
    if (stroke.key == Key::none || stroke.modifiers != (modifiers & (kControl | kAlt))) return false;
    const Key last = stroke.last == Key::none ? stroke.key : stroke.last;
    return key >= stroke.key && key <= last;
}

/// Whether the key belongs to a row that acts while its key is held.
bool holdsAt(Key key) {
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            if (action.holds &&
                (matches(action.strokes[0], key, kNoModifier) || matches(action.strokes[1], key, kNoModifier)))
                return true;
    return false;
}

bool inRow(Key key, int modifiers) {
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            for (const KeyStroke& stroke : action.strokes)
                if (matches(stroke, key, modifiers)) return true;
    return false;
}

bool isDigit(Key key) { return key >= Key{'0'} && key <= Key{'9'}; }

}  // namespace

std::string keyText(const Action& action) {
    std::string text;
    for (const KeyStroke& stroke : action.strokes) {
        if (stroke.key == Key::none) continue;
        std::string one = modifierText(stroke.modifiers) + nameOf(stroke.key);
        if (stroke.last != Key::none) one += " .. " + nameOf(stroke.last);
        if (one != text) addTo(text, one);  // the numeric pad repeats the same keys
    }
    return text;
}

std::string keysOf(std::string_view parameter) {
    std::vector<std::string> keys;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            if (action.parameter == parameter && !keyText(action).empty()) keys.push_back(keyText(action));
    std::string text;
    for (std::size_t i = 0; i < keys.size(); ++i) text += (i == 0 ? "" : i + 1 < keys.size() ? ", " : " and ") + keys[i];
    return text;
}

std::string keyText(const Action& action, int which) {
    const KeyStroke& stroke = action.strokes[0];
    if (stroke.key == Key::none || stroke.last == Key::none) return {};
    const Key key = static_cast<Key>(static_cast<int>(stroke.key) + which);
    return key > stroke.last ? std::string() : modifierText(stroke.modifiers) + nameOf(key);
}

Invoke invokeOf(const Action& action, int which) {
    Invoke command{std::string(action.name)};
    if (hasChoices(action)) command.arguments.emplace_back(std::int64_t{which} + 1);
    return command;
}

Key actingKey(Key physical, Key printed, int modifiers, const PrintedAt& printedAt) {
    const bool plain = !(modifiers & (kControl | kAlt));
    if (plain && holdsAt(physical)) return physical;
    // Some keyboards print digits with Shift alone.
    if ((modifiers & kShift) && isDigit(physical)) return physical;
    Key key = printed;
    // The places of the flight keys can print each other's letters.
    for (int most = 4; plain && most > 0 && printedAt && holdsAt(key); --most) key = printedAt(key);
    if (plain && holdsAt(key)) return physical;
    const bool letter = key >= Key{'A'} && key <= Key{'Z'};
    return letter || isDigit(key) || inRow(key, modifiers) ? key : physical;
}

const Action* pressKey(Key key, int modifiers, const PostOne& post, bool repeated) {
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            for (const KeyStroke& stroke : action.strokes)
                if (matches(stroke, key, modifiers)) {
                    if (!repeated || action.repeats)
                        post(invokeOf(action, static_cast<int>(key) - static_cast<int>(stroke.key)), Sender::key);
                    return &action;
                }
    return nullptr;
}

const Action* pressKey(Key key, int modifiers, Controller& controller, bool repeated) {
    return pressKey(
        key, modifiers, [&](Command command, Sender sender) { controller.post(std::move(command), sender); }, repeated);
}

}  // namespace gravlab
