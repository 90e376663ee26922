// The menu bar's order, and what the mouse does. The rows of each menu are in its own file.
#include "app/control/action.h"

namespace gravlab {

std::span<const Menu> menus() {
    static const Menu all[] = {{"File", fileActions()},   {"Scene", sceneActions()},   {"Simulation", simulationActions()},
                               {"Bodies", bodyActions()}, {"View", viewActions()},     {"Look", lookActions()},
                               {"Lab", labActions()},     {"Window", windowActions()}, {"Help", helpActions()}};
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
        {"Left drag after Ctrl I", "drop a body where the drag begins; the arrow is its velocity"},
        {"Double click", "centre on that place"},
        {"Drop a file", "open bodies, a checkpoint, a scene file or a picture that carries one"},
    };
    return kRows;
}

}  // namespace gravlab
