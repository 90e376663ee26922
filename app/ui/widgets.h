// The controls of the panels: label, value, tooltip, and the reason when a control does not apply.
// Rule: a control without a tooltip does not compile.
#pragma once
#include "app/ui/ui.h"
#include "sim/backends/kernel.h"

#include <imgui.h>

#include <any>
#include <climits>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <vector>

namespace gravlab {

/// A tooltip: a text that the compiler has checked to be non-empty.
class Tip {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): a Control is written as a plain list
    consteval Tip(const char* text) : text_(text) {
        if (text[0] == '\0') throw "a control needs a tooltip";
    }
    /// The tooltip of a row of a table; tests check these texts. Must outlive the call that draws it.
    static Tip ofRow(std::string_view text) {
        Tip tip("a row's own text");
        tip.text_ = text.data();
        return tip;
    }
    const char* text() const { return text_; }

private:
    const char* text_;
};

/// The common fields of controls. `name` is stable, because tests point at it.
struct Control {
    const char* name;
    const char* label;
    Tip tip;
};

/// Colours of the panels, by meaning; each has a variant for projectors and bright rooms, and one for a white page.
namespace palette {
inline bool strong = false, light = false;  ///< the variant in use; set with the theme, between frames

struct Colour {
    ImU32 usual, contrasting, onWhite;
    // NOLINTNEXTLINE(google-explicit-constructor): it is a colour wherever one is expected
    operator ImU32() const { return light ? onWhite : strong ? contrasting : usual; }
};

constexpr Colour kText{IM_COL32(222, 226, 232, 255), IM_COL32(255, 255, 255, 255), IM_COL32(20, 24, 30, 255)};
constexpr Colour kMuted{IM_COL32(139, 148, 160, 255), IM_COL32(205, 212, 222, 255), IM_COL32(84, 92, 104, 255)};
constexpr Colour kDisabled{IM_COL32(112, 119, 130, 255), IM_COL32(170, 178, 190, 255), IM_COL32(120, 126, 136, 255)};
constexpr Colour kFaint{IM_COL32(139, 148, 160, 60), IM_COL32(205, 212, 222, 150), IM_COL32(84, 92, 104, 90)};
constexpr Colour kAccent{IM_COL32(106, 176, 243, 255), IM_COL32(120, 200, 255, 255), IM_COL32(24, 104, 184, 255)};
constexpr Colour kGood{IM_COL32(111, 195, 131, 255), IM_COL32(120, 240, 150, 255), IM_COL32(20, 120, 50, 255)};
constexpr Colour kWarning{IM_COL32(232, 182, 96, 255), IM_COL32(255, 205, 90, 255), IM_COL32(150, 88, 0, 255)};
constexpr Colour kBad{IM_COL32(240, 98, 98, 255), IM_COL32(255, 110, 110, 255), IM_COL32(190, 20, 20, 255)};
constexpr Colour kPlate{IM_COL32(20, 24, 32, 245), IM_COL32(0, 0, 0, 255), IM_COL32(250, 250, 250, 245)};  ///< behind text

/// A thin layer over the background; `alpha` is 0 to 255.
inline ImU32 veil(int alpha) { return light ? IM_COL32(0, 0, 0, alpha) : IM_COL32(255, 255, 255, alpha); }

/// The width of a curve: thicker when it must be visible from the back of a lecture hall.
inline float line(float width) { return strong ? 1.8f * width : width; }
}  // namespace palette

struct Fonts {
    ImFont* normal = nullptr;
    ImFont* heading = nullptr;  ///< also the text of lessons
    ImFont* small = nullptr;
    ImFont* large = nullptr;
    ImFont* mono = nullptr;  ///< program text
};

/// The font of what is drawn during its lifetime.
class Letters {
public:
    explicit Letters(ImFont* font) { ImGui::PushFont(font); }
    ~Letters() { ImGui::PopFont(); }
    Letters(const Letters&) = delete;
    Letters& operator=(const Letters&) = delete;
};

/// Numbers of a drag field.
struct DragRange {
    double least = 0, most = 1;
    double speed = 0.01;  ///< fraction of the value per pixel; `floor` for values near 0
    double floor = 1e-4;
    const char* format = "%.4g";
    bool onRelease = false;  ///< report the value on release, not during the drag
    /// least and most limit the absolute value: dragging keeps the sign, a typed number has its own.
    bool bothSigns = false;
};

/// The new value of a drag field of both signs that had `before`, after dragging or typing gave `after`. Never 0.
double keptSign(double before, double after, bool typed, const DragRange& range);

/// The user's action on a drag field in this frame.
enum class Dragging {
    none,
    dragged,  ///< by the mouse; the value is in the range
    typed,    ///< a number, finished by Enter or by leaving the field
    words     ///< another text finished so; typed() returns it
};

/// Draws controls and keeps the state that lasts longer than a frame: typed text, the pointer's place, the places of items.
class Widgets {
public:
    void beginFrame(float scale, const Fonts& fonts);
    float scale() const { return scale_; }
    const Fonts& fonts() const { return fonts_; }

    /// Registers the window being drawn, "gravlab NAME", and its place as item "panel/NAME".
    void panel(const char* name);
    /// The panels of this frame, in the order of drawing.
    const std::vector<std::string_view>& panels() const { return panels_; }
    /// A heading with a line.
    void section(const char* title);
    /// A heading that opens and closes the following section; true while open. `open` is the initial state.
    bool fold(const Control& control, bool open);
    /// Text with a tooltip of its own.
    void text(const Control& control, ImU32 colour, const std::string& text);
    void wrapped(ImU32 colour, const std::string& text);

    /// True when pressed.
    bool button(const Control& control, float width, const Reason& unavailable = {}, const ImVec2* foot = nullptr);
    /// A button that is highlighted while `lit`, as the primary one of its panel is always. True when pressed.
    bool litButton(const Control& control, float width, bool lit, const ImVec2* foot = nullptr,
                   const Reason& unavailable = {});
    /// True when changed.
    bool toggle(const Control& control, bool& value, const Reason& unavailable = {});
    /// A drag field that can also be typed into (double click). `value` is the new value after dragging or typing.
    Dragging drag(const Control& control, double& value, const DragRange& range, const Reason& unavailable = {});
    const char* typed() const { return typed_; }
    /// Whether a drag that has just changed its value also changed it before, without a release.
    bool sameDrag(const char* control);
    /// Powers of two from 1 to `most`; true when released at another value.
    bool powers(const Control& control, float width, std::size_t& value, std::size_t most, const Reason& unavailable = {});
    /// A text field; true when Enter or leaving it finished an edit, with the text in `typed`.
    bool field(const Control& control, float width, const char* shown, std::string& typed, const Reason& unavailable = {});

    /// A list to choose from. Call choice() for every row between begin and end.
    bool beginCombo(const Control& control, std::string_view shown, const Reason& unavailable = {}, float width = 0);
    /// True when chosen. `idea` is its tooltip; a row with a reason is grey and shows the reason.
    bool choice(std::string_view name, std::string_view idea, bool selected, const Reason& unavailable = {});
    void endCombo();

    /// A list of the menu bar or of another list. Call end only after a true; menuItem() and others go between.
    bool beginMenu(const std::string& name, std::string_view label, bool enabled = true);
    void endMenu();
    bool listOpen = false, listFocused = false;  ///< of the lists begun since these were cleared
    /// True when chosen. `keys` is shown at its right.
    bool menuItem(const std::string& name, std::string_view label, std::string_view keys, bool checked,
                  std::string_view idea, const Reason& unavailable = {});

    /// Starts a row: the label at the left, the next control at the right with the rest of the width. An empty label takes
    /// no room.
    void label(const Control& control, const Reason& unavailable = {});
    /// Registers the last item and shows its tooltip when the pointer rests on it. `foot`: the place for the tooltip, when
    /// it would hide something beside the pointer.
    void finish(const Control& control, const Reason& unavailable = {}, const ImVec2* foot = nullptr);

    /// Registers the last item.
    void record(std::string name, bool enabled);
    /// The same without a tooltip, which would hide the things to compare.
    void finishQuietly(const Control& control);

    /// Gives the keyboard to the next item, unless some item has it already. It takes some frames.
    void takeKeys();
    /// Whether takeKeys() still waits for the keyboard. The wait ends after four frames, also where the item never gets it.
    bool awaitsKeys() const { return awaitsKeys_ && framesOfKeys_ < 4; }

    /// True while a tooltip is due.
    bool restless() const { return !restingOn_.empty() && !tooltipShown_; }

    /// Highlights a control and the menu that contains it with a frame; scrolls its panel to it once.
    void light(std::string_view name, const std::string& menu);

    /// State of a panel that lasts longer than a frame: one object of each type. The panels of a film have their own.
    template <class State>
    State& kept() {
        std::any& one = kept_[typeid(State)];
        if (!one.has_value()) one.emplace<State>();
        return *std::any_cast<State>(&one);
    }

    bool recording = false;
    std::vector<UiItem> items;
    std::map<std::string, bool, std::less<>> folds;  ///< sections opened or closed by the user, by name

private:
    /// What the last recorded item is.
    void describe(std::string_view role, std::string_view label, std::string_view value = {}, const Reason& reason = {});
    void takeHold(const char* control);
    void typeInto(const Control& control);
    Dragging typedNumber(double& value, const DragRange& range) const;
    void frameIfLit(std::string_view name, ImVec2 from, ImVec2 to);
    void tooltip(std::string_view name, std::string_view tip, const Reason& unavailable, const ImVec2* foot = nullptr);

    float scale_ = 1;
    Fonts fonts_;
    std::map<std::type_index, std::any> kept_;
    std::vector<std::string_view> panels_;
    std::string lit_, litMenu_;  ///< highlighted control, and its menu; empty: none
    bool litShown_ = true;       ///< its panel has scrolled to it
    std::string restingOn_;      ///< control under the pointer
    double restingSince_ = 0;
    bool restingSeen_ = false, tooltipShown_ = false;
    bool awaitsKeys_ = false;
    int framesOfKeys_ = 0;  ///< frames in a row
    const char* comboName_ = "";
    std::string editing_;        ///< name of the text field or slider to which `typed_` or `power_` belongs; empty: none
    char typed_[PATH_MAX] = {};  ///< long enough for each path
    bool typing_ = false;        ///< text is being typed into a drag field
    std::string untouched_;      ///< the initial text of the field
    /// A field that was left for one above it: it is drawn later in the frame and then takes the typed text.
    struct Left {
        std::string control, text, untouched;
    };
    Left left_;
    float power_ = 0;
    double dragged_ = 0;
    std::string changing_;  ///< name of the drag that has changed its value since it was gripped; empty: none
};

/// Writes the text as it is, without wrapping.
void colouredText(ImU32 colour, std::string_view text);

// Lines of a text within a width. Rule: break lines only at blanks; ImGui's own wrapping also breaks after points and
// commas, which would cut the number 0.0001 in two.

/// The text with line breaks at blanks, so that no line is wider than `width` [pixels]. A wider word stays whole.
std::string linesWithin(const ImFont& font, float size, std::string_view text, float width);
/// The same in the font in use.
std::string linesWithin(std::string_view text, float width);

}  // namespace gravlab
