// Keys and their path to the table of actions (app/control/action.h). The file is independent of the window system.
#pragma once
#include "app/control/command.h"
#include "app/model/document.h"

#include <functional>

namespace gravlab {

struct Action;
class Controller;

/// Keys of the rows. Printable keys are their ASCII upper-case letter, as in Key{'A'}; the others have the numbers of GLFW.
enum class Key : int {
    none = 0,
    space = ' ',
    equal = '=',
    escape = 256,
    enter = 257,
    tab = 258,
    backspace = 259,
    insert = 260,
    remove = 261,
    right = 262,
    left = 263,
    down = 264,
    up = 265,
    pageUp = 266,
    pageDown = 267,
    home = 268,
    end = 269,
    f1 = 290,
    f2 = 291,
    f3 = 292,
    f4 = 293,
    f6 = 295,
    f10 = 299,
    f11 = 300,
    f12 = 301,
    pad1 = 321,
    pad9 = 329,
    padMinus = 333,
    padPlus = 334,
    padEnter = 335,
    leftShift = 340,
    leftControl = 341,
    leftAlt = 342,
    leftSuper = 343,
    rightShift = 344,
    rightControl = 345,
    rightAlt = 346,
    rightSuper = 347
};

/// Modifier bits of GLFW. Rows ignore Shift: some keyboards need it for + or for a digit.
enum KeyModifier : int { kNoModifier = 0, kShift = 1, kControl = 2, kAlt = 4, kSuper = 8 };

/// The document that a key acts on.
using KeyTarget = Document;

/// A key with its modifiers; `last` makes it a range of neighbours (1 to 9).
struct KeyStroke {
    Key key = Key::none;
    int modifiers = kNoModifier;
    Key last = Key::none;
};

/// Returns the character that a keyboard prints at the place of `physical` on a US keyboard; none: not an ASCII character.
using PrintedAt = std::function<Key(Key physical)>;

/// The key whose row a press means. Rows name the printed character. A press acts by its place where no row has the printed
/// character: many keyboards have digits and brackets elsewhere.
/// Keys for flight act by their place alone, as in games. The letter that is printed there acts at the place of the flight
/// letter. An empty `printedAt` is a US keyboard.
Key actingKey(Key physical, Key printed, int modifiers, const PrintedAt& printedAt);

using PostOne = std::function<void(Command, Sender)>;

/// Posts the command of the key's row. `repeated`: the key is held; only rows with repetition post then. Returns the row;
/// null when no row has the key.
const Action* pressKey(Key key, int modifiers, const PostOne& post, bool repeated = false);
const Action* pressKey(Key key, int modifiers, Controller& controller, bool repeated = false);

}  // namespace gravlab
