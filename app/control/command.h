// Every change that a key, a panel, a file, a script, a lesson or a socket can make, as an object.
#pragma once
#include "sim/core/value.h"

#include <glm/ext/vector_double3.hpp>
#include <glm/vec2.hpp>

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace gravlab {

/// "run.time_step" = 0.01: a row of the table of parameters.
struct SetParameter {
    std::string path;
    Value value;
    bool goesOn = false;  ///< the hand that set it a moment ago has not let go yet: both are one change
};

/// A row of the table of actions, by its name, with what it takes.
struct Invoke {
    std::string action;
    std::vector<Value> arguments{};
};

/// Back, or on, to a state that is kept, by its place among those of the history.
struct GoTo {
    std::size_t state = 0;
};

/// What the pointer does to the picture.
enum class PointerKind {
    orbit,       ///< turns the camera by `by`
    pan,         ///< moves what the camera looks at by `by`, with the picture under `at`
    zoom,        ///< by.y steps nearer to what is under `at`
    centre,      ///< looks at what is under `at`
    pick,        ///< selects the body under `at`, or none
    dropStart,   ///< an arrow begins at `at`
    dropMove,    ///< and ends there
    dropEnd,     ///< what it points at is dropped
    dropCancel,  ///< the arrow is taken back
    aimStart,    ///< takes hold of the velocity arrow of the selected body, whose tip is under `at`
    aimMove,     ///< its tip is there
    aimEnd,      ///< the body goes on with that velocity
    aimCancel    ///< it keeps the one that it has
};
struct Pointer {
    PointerKind kind = PointerKind::orbit;
    glm::vec2 at{0};       ///< pixels from the upper left corner of the picture
    glm::vec2 by{0};       ///< pixels
    glm::vec2 surface{1};  ///< size of the picture in pixels
};

/// A scene by its name, a scene file, or a file with bodies.
struct OpenFile {
    std::string path;
    int others = 0;  ///< files that were let go over the window with it, and that are not opened
};

/// A change of single bodies at the next step boundary.
enum class BodyChange { remove, dropStar, hold, coast, aim, undo };
struct EditBodies {
    BodyChange change = BodyChange::undo;
    glm::dvec3 velocity{0};  ///< to aim for [L/T]
};

using Command = std::variant<SetParameter, Invoke, GoTo, Pointer, OpenFile, EditBodies>;

/// Who asks. Keys, pointer and panels are of people, who read a refusal on the screen.
enum class Sender { key, pointer, panel, file, script, socket };
constexpr bool atTheScreen(Sender sender) {
    return sender == Sender::key || sender == Sender::pointer || sender == Sender::panel;
}

/// The command as a line of a script, for messages and logs.
std::string commandText(const Command& command);

}  // namespace gravlab
