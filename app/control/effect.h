// Requests of a command to the world outside the document: files, films, measurements, single bodies, the panels.
// Rule: effects are plain data. An action returns one, a Host carries it out, and events with the command's ticket report
// its end.
#pragma once
#include "app/tables/drop.h"

#include <glm/ext/vector_double3.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace gravlab {

/// Identifies one post of commands; rises with every post.
using Ticket = std::uint64_t;

/// A change of single bodies between two steps, by its row in app/runs/body_editor.cpp.
struct EditBodies {
    std::string_view row;
    glm::dvec3 velocity{0};             ///< `aim`: [L/T]
    std::optional<DropOrder> order{};   ///< `launch`: empty where the pointer was at nothing
    std::optional<glm::dvec3> place{};  ///< `pull`: empty for that under the pointer, else the picture's middle
};

/// Jumps to a kept state: an index of the history, or a number of states back (below 0) or forward.
struct JumpTo {
    std::optional<std::size_t> state{};
    int by = 0;
};

/// Restarts the scene from its start.
struct Restart {};

/// Finds groups of bodies in the present state, by friends of friends.
struct FindGroups {};

/// Files to write. An empty name becomes one with the time, in the current folder.
struct SavePicture {
    std::string file{};
};
struct SaveRun {
    std::string file{};
};
struct SaveScene {
    std::string file{};
};
/// Reads a scene file or a file with bodies, and begins the run from it.
struct Open {
    std::string file{};
    std::string units{};  ///< row of unitSystems() for its numbers; empty: the units of the file
};
/// Copies bodies of the last complete step into the memory shared with a client. TakeBodies begins a run from the bodies
/// there, ReplaceBodies continues this one with the arrays there.
struct ShareBodies {
    unsigned arrays = 0;  ///< sum of SharedArrays
};
struct TakeBodies {
    std::string units{};  ///< row of unitSystems() for its numbers; empty: those of the run
};
struct ReplaceBodies {};
/// Opens the state that an earlier session left, or removes it.
struct Recover {};
struct ForgetSession {};
/// Lists a folder in the panel of files: an absolute path, or one relative to the listed folder.
struct ListFolder {
    std::string folder{};
};

/// A film of a window.
struct Record {
    enum class What { start, stop, cancel } what = What::start;
};

/// Measures or writes results of the lab.
struct Measure {
    enum class What { sweep, tune, memory, cancel, csv, png, matrixCsv, matrixNpy } what = What::sweep;
    /// Whether it lasts for many frames.
    bool lasts() const { return what == What::sweep || what == What::tune || what == What::memory; }
};
/// Compiles and tries the text of the lab's editor. OpenKernel replaces that text by a file's, SaveKernel writes it.
struct TryKernel {};
struct OpenKernel {
    std::string file{};
};
struct SaveKernel {
    std::string file{};  ///< empty: the editor's own name
};

/// A request of a student or teacher to a lesson.
struct LessonGo {
    enum class What { open, close, list, go, answer, show } what = What::open;
    std::string name{};  ///< name of the lesson to open
    int step = 0;        ///< step to open, from 0
    double answer = 0;   ///< number of a choice from 1, or a numeric answer
};

/// Moves the keyboard focus to the menus, or to the next panel.
struct WalkMenus {};
struct NextPanel {};

/// Ends the program.
struct Quit {};

using Effect = std::variant<EditBodies, JumpTo, Restart, FindGroups, SavePicture, SaveRun, SaveScene, Open, ShareBodies,
                            TakeBodies, ReplaceBodies, Recover, ForgetSession, ListFolder, Record, Measure, TryKernel,
                            OpenKernel, SaveKernel, LessonGo, WalkMenus, NextPanel, Quit>;

/// A visitor made of lambdas, one for each kind of interest.
template <class... Each>
struct Overloaded : Each... {
    using Each::operator()...;
};
template <class... Each>
Overloaded(Each...) -> Overloaded<Each...>;

}  // namespace gravlab
