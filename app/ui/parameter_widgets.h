// Controls of the tables: what they are called, what they say and when they are grey comes from the row of a parameter or of
// an action. Rule: a control changes nothing by itself; it posts a command and shows what was asked for.
#pragma once
#include "app/control/action.h"
#include "app/control/parameter.h"
#include "app/ui/panels.h"

#include <optional>
#include <string_view>

namespace gravlab {

/// What one place says otherwise than the row.
struct ParameterStyle {
    const char* label = nullptr;
    Reason unavailable{};        ///< why it cannot be changed here, beside the row's own reasons
    std::optional<Value> now{};  ///< shown instead of what was asked for: of what others decide
    std::optional<Dragged> dragged{};
    std::optional<Shown> shown{};  ///< the unit that the scene has for it
    std::string_view action{};     ///< that switches the flag, where there is more to it
    float width = 0;               ///< of a list that stands in a line with others [pixels]
};

/// A line with the label, and the control that fits the row's kind: a tick, a list, or a number to drag or to type.
void parameter(PanelContext& panel, std::string_view path, const ParameterStyle& style = {});
/// A line with a whole number to type, and beside it `button` pixels for what follows.
void typedParameter(PanelContext& panel, std::string_view path, float button, const ParameterStyle& style = {});

/// A button that does an action; grey with the reason where that cannot be done now.
void action(PanelContext& panel, std::string_view name, float width, const char* label = nullptr);

/// What a person has typed into a field, without the commas that group digits.
Value typedValue(std::string typed);

/// Posts one command.
void set(PanelContext& panel, std::string_view path, Value value);
void invoke(PanelContext& panel, std::string_view action, std::vector<Value> arguments = {});

/// Label and tooltip of a row, with the keys that change it. The row's texts live as long as the program.
Control controlOf(const Parameter& row, const char* label = nullptr);
Control controlOf(const Action& row, const char* label = nullptr);

}  // namespace gravlab
