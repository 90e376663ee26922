// What a command asks of the world outside the document: files, films, measurements, single bodies, the panels.
// Rule: plain data. An action returns it, a Host carries it out, and events with the command's ticket say how it ended.
#pragma once
#include "app/tables/launch.h"

#include <glm/ext/vector_double3.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace gravlab {

/// Names one post of commands; rises with every post.
using Ticket = std::uint64_t;

/// A change of single bodies between two steps.
struct EditBodies {
    enum class What {
        remove,    ///< the selected body
        dropStar,  ///< a heavy star at rest in the middle of the view
        hold,      ///< the selected body stays where it is, or falls again from rest
        coast,     ///< the selected body goes straight on, or feels forces again
        aim,       ///< the selected body gets `velocity`
        launch     ///< adds the bodies of `order`
    } what = What::remove;
    glm::dvec3 velocity{0};              ///< [L/T]
    std::optional<LaunchOrder> order{};  ///< empty: nothing was pointed at
};

/// To a kept state: a place in the list of the history, or so many states back (below 0) or on.
struct JumpTo {
    std::optional<std::size_t> state{};
    int by = 0;
};

/// The scene again, from its start.
struct Restart {};

/// Groups of bodies, friends of friends, as they are now.
struct FindGroups {};

/// Files. A name that is empty becomes one with the time, in the current folder.
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
    std::string units{};  ///< row of unitSystems() for its numbers; empty: as the file says
};
/// Bodies of the last complete step into the memory that a client shares, and a run from the bodies that are there.
struct ShareBodies {
    unsigned arrays = 0;  ///< SharedArrays, added
};
struct TakeBodies {
    std::string units{};  ///< row of unitSystems() for its numbers; empty: G = 1
};
/// Opens what an earlier session left, or removes it.
struct Recover {};
struct ForgetSession {};
/// Lists a folder in the panel of files: absolute, or from the one that is listed.
struct ListFolder {
    std::string folder{};
};

/// A film of a window.
struct Record {
    enum class What { start, stop, cancel } what = What::start;
};

/// What the lab measures or writes.
struct Measure {
    enum class What { sweep, tune, cancel, csv, png, matrixCsv, matrixNpy } what = What::sweep;
};
/// Compiles and tries the text of the lab's editor, or writes it.
struct TryKernel {};
struct SaveKernel {
    std::string file{};  ///< empty: the editor's own
};

/// What a student or teacher asks of a lesson.
struct LessonGo {
    enum class What { open, close, list, go, answer, show } what = What::open;
    std::string name{};  ///< of the lesson to open
    int step = 0;        ///< to go to, from 0
    double answer = 0;   ///< number of a choice from 1, or a number
};

/// Keys go to the menus, or to the next panel.
struct WalkMenus {};
struct NextPanel {};

/// The program ends.
struct Quit {};

using Effect =
    std::variant<EditBodies, JumpTo, Restart, FindGroups, SavePicture, SaveRun, SaveScene, Open, ShareBodies, TakeBodies, Recover, ForgetSession,
                 ListFolder, Record, Measure, TryKernel, SaveKernel, LessonGo, WalkMenus, NextPanel, Quit>;

/// A visitor made of lambdas, one for each kind that matters.
template <class... Each>
struct Overloaded : Each... {
    using Each::operator()...;
};
template <class... Each>
Overloaded(Each...) -> Overloaded<Each...>;

}  // namespace gravlab
