// Every change that a key, panel, file, script, lesson or socket can make, as an object.
#pragma once
#include "sim/backends/tuning.h"
#include "sim/core/value.h"

#include <glm/vec2.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace gravlab {

/// "run.time_step" = 0.01: sets a row of the table of parameters.
struct SetParameter {
    std::string path;
    Value value;
    bool sameGesture = false;  ///< the same drag set it a moment ago: both are one change
};

/// A row of the table of actions, by its name, with its arguments.
struct Invoke {
    std::string action;
    std::vector<Value> arguments{};
};

/// Returns to a kept state, by its index in the history.
struct GoTo {
    std::size_t state = 0;
};

/// Pointer gestures in the picture.
enum class PointerKind {
    orbit,       ///< rotates the camera by `by`
    pan,         ///< moves the camera's target by `by`; the picture stays under `at`
    zoom,        ///< moves by.y steps nearer to the point under `at`
    centre,      ///< targets the point under `at`
    pick,        ///< selects the body under `at`, or none
    dropStart,   ///< begins an arrow at `at`
    dropMove,    ///< moves its tip to `at`
    dropEnd,     ///< drops the bodies that the arrow defines
    dropCancel,  ///< cancels the arrow
    aimStart,    ///< grabs the tip of the selected body's velocity arrow under `at`
    aimMove,     ///< moves that tip to `at`
    aimEnd,      ///< gives that velocity to the body
    aimCancel,   ///< keeps the old velocity
    pullStart,   ///< begins to pull the selected body towards `at`
    pullMove,    ///< moves the end of that spring to `at`
    pullEnd      ///< lets the body go
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
    int others = 0;  ///< other files of the same drop, which are not opened
};

/// Settings that begin a scene together, whatever the settings before: the run is built once. Settings that the scene does
/// not have are ignored. Undo stops at it.
struct Begin {
    std::string scene;  ///< empty: the present scene, from its present state
    std::vector<SetParameter> settings{};
};

/// A kernel that the lab has found or made. The run uses it; one of a search is also what an open kernel means from now on.
struct UseTuned {
    TunedChoice found;
};

using Command = std::variant<SetParameter, Invoke, GoTo, Pointer, OpenFile, Begin, UseTuned>;

/// The kind of sender, and its identity within that kind. The lab sends what it has measured and tried; a guard watches the
/// run, and stops what cannot go on.
struct Sender {
    enum class Kind { key, pointer, panel, file, script, socket, lesson, lab, guard } kind = Kind::script;
    std::uint32_t id = 0;
    bool operator==(const Sender&) const = default;

    static const Sender key, pointer, panel, file, script, socket, lesson, lab, guard;
};
inline constexpr Sender Sender::key{Kind::key}, Sender::pointer{Kind::pointer}, Sender::panel{Kind::panel},
    Sender::file{Kind::file}, Sender::script{Kind::script}, Sender::socket{Kind::socket}, Sender::lesson{Kind::lesson},
    Sender::lab{Kind::lab}, Sender::guard{Kind::guard};

/// Whether the sender is a key, the pointer or a panel, or the lab of a panel: their users read a refusal on the screen.
constexpr bool atTheScreen(const Sender& sender) {
    return sender.kind == Sender::Kind::key || sender.kind == Sender::Kind::pointer || sender.kind == Sender::Kind::panel ||
           sender.kind == Sender::Kind::lab;
}
/// Whether undo takes back what the sender has changed. A lesson restores its steps itself; a guard's reason stays.
constexpr bool undoable(const Sender& sender) {
    return sender.kind != Sender::Kind::lesson && sender.kind != Sender::Kind::guard;
}

/// Commands that wait to be posted.
struct Posted {
    std::vector<Command> batch;
    Sender sender;
};

/// The command as a line of a script, for messages and logs.
std::string commandText(const Command& command);

}  // namespace gravlab
