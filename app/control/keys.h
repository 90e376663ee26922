// Keys and how they reach the table of actions (app/control/action.h). Knows no window system.
#pragma once
#include "app/model/document.h"

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
    leftAlt = 342
};

/// Modifier bits, as GLFW has them. Shift is not looked at: it only makes + from = on some keyboards.
enum KeyModifier : int { kNoModifier = 0, kControl = 2, kAlt = 4 };

/// What a key acts upon.
using KeyTarget = Document;

/// A key with its modifiers; `last` makes a row of neighbours (1 to 9).
struct KeyStroke {
    Key key = Key::none;
    int modifiers = kNoModifier;
    Key last = Key::none;
};

/// Posts what the key's row says, also when the key only `repeated` because it stayed down: then for rows that want it.
/// The row; null when none has the key.
const Action* pressKey(Key key, int modifiers, Controller& controller, bool repeated = false);

}  // namespace gravlab
