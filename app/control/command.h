// Every change that a key, a panel, a file, a script, a lesson or a socket can make, as an object.
#pragma once
#include "sim/core/value.h"

#include <glm/vec2.hpp>

#include <cstddef>
#include <cstdint>
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

/// Settings that begin a scene together, whatever was set before: the run is built once. Settings that the scene does not
/// have are passed over. Undo does not go back behind it.
struct Begin {
    std::string scene;  ///< empty: the one that runs, from where it is
    std::vector<SetParameter> settings{};
};

using Command = std::variant<SetParameter, Invoke, GoTo, Pointer, OpenFile, Begin>;

/// Who asks, and which of several of that kind.
struct Sender {
    enum class Kind { key, pointer, panel, file, script, socket, lesson } kind = Kind::script;
    std::uint32_t id = 0;
    bool operator==(const Sender&) const = default;

    static const Sender key, pointer, panel, file, script, socket, lesson;
};
inline constexpr Sender Sender::key{Kind::key}, Sender::pointer{Kind::pointer}, Sender::panel{Kind::panel},
    Sender::file{Kind::file}, Sender::script{Kind::script}, Sender::socket{Kind::socket}, Sender::lesson{Kind::lesson};

/// Keys, pointer and panels are of people, who read a refusal on the screen.
constexpr bool atTheScreen(const Sender& sender) {
    return sender.kind == Sender::Kind::key || sender.kind == Sender::Kind::pointer || sender.kind == Sender::Kind::panel;
}

/// The command as a line of a script, for messages and logs.
std::string commandText(const Command& command);

}  // namespace gravlab
