// Controls of the tables: label, tooltip and reasons for being grey come from the row of a parameter or of an action. Rule:
// a control changes nothing by itself; it posts a command and shows the wanted value.
#pragma once
#include "app/control/action.h"
#include "app/parameters/parameter.h"
#include "app/ui/panels.h"

#include <optional>
#include <string_view>

namespace gravlab {

/// Differences of one control from its row.
struct ParameterStyle {
    const char* label = nullptr;
    Reason unavailable{};        ///< why it cannot be changed here, beside the row's own reasons
    std::optional<Value> now{};  ///< shown instead of the wanted value, when other settings decide it
    std::optional<DragSpec> dragged{};
    std::optional<DisplayUnit> shown{};  ///< the scene's unit for it
    std::string_view action{};           ///< the action that switches the flag, when it does more
    float width = 0;                     ///< width of a list in a line with others [pixels]
};

/// A line with the label and the control for the row's kind: a tick, a list, or a number to drag or type.
void parameter(PanelContext& panel, std::string_view path, const ParameterStyle& style = {});
/// A line with a whole number to type; leaves `button` pixels for the next control.
void typedParameter(PanelContext& panel, std::string_view path, float button, const ParameterStyle& style = {});

/// A button for an action; grey with the reason when it is unavailable.
void action(PanelContext& panel, std::string_view name, float width, const char* label = nullptr);

/// The text of a field, without the commas that group digits.
Value typedValue(std::string typed);

/// Posts one command.
void set(PanelContext& panel, std::string_view path, Value value);
void invoke(PanelContext& panel, std::string_view action, std::vector<Value> arguments = {});

/// Label and tooltip of a row, with the keys that change it. The row's texts live as long as the program.
Control controlOf(const Parameter& row, const char* label = nullptr);
Control controlOf(const Action& row, const char* label = nullptr);

}  // namespace gravlab
