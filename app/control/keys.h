// Keys and how they reach the table of actions (app/control/action.h). Knows no window system.
#pragma once
#include "app/control/command.h"
#include "app/model/document.h"

#include <functional>

namespace gravlab {

struct Action;
class Controller;

/// Keys that rows use. Printable ones are their ASCII upper-case letter; the others are numbered as GLFW numbers them.
enum class Key : int {
    none = 0,
    space = ' ',
    comma = ',',
    minus = '-',
    period = '.',
    digit0 = '0',
    digit1 = '1',
    digit9 = '9',
    equal = '=',
    letterA = 'A',
    letterB = 'B',
    letterC = 'C',
    letterD = 'D',
    letterE = 'E',
    letterF = 'F',
    letterG = 'G',
    letterH = 'H',
    letterI = 'I',
    letterJ = 'J',
    letterK = 'K',
    letterL = 'L',
    letterM = 'M',
    letterN = 'N',
    letterO = 'O',
    letterP = 'P',
    letterQ = 'Q',
    letterR = 'R',
    letterS = 'S',
    letterT = 'T',
    letterU = 'U',
    letterV = 'V',
    letterW = 'W',
    letterX = 'X',
    letterY = 'Y',
    letterZ = 'Z',
    leftBracket = '[',
    rightBracket = ']',
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

/// Modifier bits, as GLFW has them. Rows ignore Shift: it only makes + from =, or a digit, on some keyboards.
enum KeyModifier : int { kNoModifier = 0, kShift = 1, kControl = 2, kAlt = 4, kSuper = 8 };

/// What a key acts upon.
using KeyTarget = Document;

/// A key with its modifiers; `last` makes a row of neighbours (1 to 9).
struct KeyStroke {
    Key key = Key::none;
    int modifiers = kNoModifier;
    Key last = Key::none;
};

/// What a keyboard prints at the place where a US keyboard prints `physical`; none: no character of ASCII.
using PrintedAt = std::function<Key(Key physical)>;

/// The key whose row a press means. Rows name what is printed on a key. A press acts by its place where nothing of a row is
/// printed: digits and brackets are elsewhere on many keyboards. Keys that fly act by their place alone, as in games;
/// the letter that is printed there acts at the place of the letter that flies. An empty `printedAt` is a US keyboard.
Key actingKey(Key physical, Key printed, int modifiers, const PrintedAt& printedAt);

/// Takes a command from a sender.
using PostOne = std::function<void(Command, Sender)>;

/// Posts what the key's row says, also when the key only `repeated` because it stayed down: then for rows that want it.
/// The row; null when none has the key.
const Action* pressKey(Key key, int modifiers, const PostOne& post, bool repeated = false);
const Action* pressKey(Key key, int modifiers, Controller& controller, bool repeated = false);

}  // namespace gravlab
