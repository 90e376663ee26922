// The order of the menu bar, and the mouse gestures. The rows of each menu are in its own file.
#include "app/control/action.h"
#include "app/parameters/parameter.h"

#include <deque>
#include <vector>

namespace gravlab {
namespace {

/// The rows of a menu, with label and idea of the parameter where a row has no text.
std::span<const Action> withWords(std::span<const Action> rows) {
    static std::deque<std::vector<Action>> kept;
    std::vector<Action>& all = kept.emplace_back(rows.begin(), rows.end());
    for (Action& row : all) {
        if (row.label.empty()) row.label = parameter(row.parameter).label;
        if (row.idea.empty()) row.idea = parameter(row.parameter).idea;
    }
    return all;
}

}  // namespace

std::span<const Menu> menus() {
    static const Menu all[] = {{"File", withWords(fileActions())},
                               {"Scene", withWords(sceneActions())},
                               {"Simulation", withWords(simulationActions())},
                               {"Bodies", withWords(bodyActions())},
                               {"View", withWords(viewActions())},
                               {"Look", withWords(lookActions())},
                               {"Lab", withWords(labActions())},
                               {"Window", withWords(windowActions())},
                               {"Help", withWords(helpActions())}};
    return all;
}

const Action* findAction(std::string_view name) {
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            if (action.name == name) return &action;
    return nullptr;
}

std::span<const MouseRow> mouseRows() {
    static constexpr MouseRow kRows[] = {
        {"Left drag", "turn"},
        {"Right drag", "move; also Shift and left drag"},
        {"Wheel", "nearer or farther, towards the pointer"},
        {"Click", "select a body: read it, follow it, remove it"},
        {"Left drag from the selected body", "pull it by a spring to the pointer; Esc lets go"},
        {"Left drag after Ctrl I", "drop a body where the drag begins; the arrow is its velocity"},
        {"Double click", "centre on that place"},
        {"Drop a file", "open bodies, a checkpoint, a scene file or a picture that carries one"},
    };
    return kRows;
}

}  // namespace gravlab
