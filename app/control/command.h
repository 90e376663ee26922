// Every change that a key, a panel, a file, a script, a lesson or a socket can make, as an object.
#pragma once
#include "sim/core/value.h"

#include <glm/vec2.hpp>

#include <string>
#include <variant>
#include <vector>

namespace gravlab {

/// "run.time_step" = 0.01: a row of the table of parameters.
struct SetParameter {
    std::string path;
    Value value;
};

/// A row of the table of actions, by its name, with what it takes.
struct Invoke {
    std::string action;
    std::vector<Value> arguments{};
};

/// What the pointer does to the picture.
enum class PointerKind {
    orbit,      ///< turns the camera by `by`
    pan,        ///< moves what the camera looks at by `by`, with the picture under `at`
    zoom,       ///< by.y steps nearer to what is under `at`
    centre,     ///< looks at what is under `at`
    pick,       ///< selects the body under `at`, or none
    dropStart,  ///< an arrow begins at `at`
    dropMove,   ///< and ends there
    dropEnd     ///< what it points at is dropped
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
};

/// A change of single bodies at the next step boundary.
enum class BodyChange { remove, dropStar, hold, coast, undo };
struct EditBodies {
    BodyChange change = BodyChange::undo;
};

using Command = std::variant<SetParameter, Invoke, Pointer, OpenFile, EditBodies>;

/// Who asks.
enum class Sender { key, pointer, panel, file, script, socket };

/// The command as a line of a script, for messages and logs.
std::string commandText(const Command& command);

}  // namespace gravlab
