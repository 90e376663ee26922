#include "app/ui/panel_input.h"

#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <utility>

namespace gravlab {
namespace {

#if IMGUI_VERSION_NUM < 18700
constexpr ImGuiKey kPadEnter = ImGuiKey_KeyPadEnter;
#else
constexpr ImGuiKey kPadEnter = ImGuiKey_KeypadEnter;
#endif

struct PanelKey {
    Key key;
    ImGuiKey panels;
};
constexpr PanelKey kPanelKeys[] = {{Key::tab, ImGuiKey_Tab},
                                   {Key::left, ImGuiKey_LeftArrow},
                                   {Key::right, ImGuiKey_RightArrow},
                                   {Key::up, ImGuiKey_UpArrow},
                                   {Key::down, ImGuiKey_DownArrow},
                                   {Key::pageUp, ImGuiKey_PageUp},
                                   {Key::pageDown, ImGuiKey_PageDown},
                                   {Key::home, ImGuiKey_Home},
                                   {Key::end, ImGuiKey_End},
                                   {Key::insert, ImGuiKey_Insert},
                                   {Key::remove, ImGuiKey_Delete},
                                   {Key::backspace, ImGuiKey_Backspace},
                                   {Key::space, ImGuiKey_Space},
                                   {Key::enter, ImGuiKey_Enter},
                                   {Key::escape, ImGuiKey_Escape},
                                   {Key::padEnter, kPadEnter},
                                   {Key{'A'}, ImGuiKey_A},
                                   {Key{'C'}, ImGuiKey_C},
                                   {Key{'V'}, ImGuiKey_V},
                                   {Key{'X'}, ImGuiKey_X},
                                   {Key{'Y'}, ImGuiKey_Y},
                                   {Key{'Z'}, ImGuiKey_Z}};

constexpr int kMostButtons = 5;

/// Text fields identify letter keys by their printed character.
Key panelKey(const KeyEvent& event) {
    const bool letter = event.printed >= Key{'A'} && event.printed <= Key{'Z'};
    return letter ? event.printed : event.physical;
}

[[maybe_unused]] bool isControl(const KeyEvent& event) {
    return event.physical == Key::leftControl || event.physical == Key::rightControl;
}

bool within(Key key, std::size_t size) { return key > Key::none && static_cast<std::size_t>(key) < size; }

}  // namespace

bool enterPressed() { return panelKeyPressed(ImGuiKey_Enter) || panelKeyPressed(kPadEnter); }

std::optional<glm::vec2> PanelInput::newPlace() const {
    for (auto event = waiting_.rbegin(); event != waiting_.rend(); ++event)
        if (const auto* pointer = std::get_if<PointerEvent>(&*event);
            pointer && pointer->change == PointerEvent::Change::move)
            return pointer->at;
    return std::nullopt;
}

bool PanelInput::pressWaits() const {
    return std::ranges::any_of(waiting_, [](const InputEvent& event) {
        const auto* pointer = std::get_if<PointerEvent>(&event);
        return pointer && pointer->change == PointerEvent::Change::press;
    });
}

#if IMGUI_VERSION_NUM < 18700

void mapPanelKeys(ImGuiIO& io) {
    for (const PanelKey& row : kPanelKeys) io.KeyMap[row.panels] = static_cast<int>(row.key);
}

bool panelKeyPressed(int key, bool repeats) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), repeats); }

/// Passes on the events of a frame. A key or button changes once a frame, because ImGui sees the last state alone; all of
/// its further events wait for the next frame. So does a move after a button, because the press belongs to the old position.
/// Keys after a press wait for the next frame, because a field takes no keys in the frame of the press that chooses it.
/// ImGui drops letters of a frame in which Ctrl is down: so Ctrl and letters, and all later events, get separate frames.
void PanelInput::feed(ImGuiIO& io) {
    for (float& input : io.NavInputs) input = 0;
    std::array<bool, kMostButtons> buttonNow{}, buttonLate{};
    ByKey<bool> keyNow{}, keyLate{};
    const auto later = [](bool& why) {
        why = true;
        return false;
    };
    bool pointerLate = false, anyButton = false, lettersNow = false, keysLate = false;
    const auto pointer = [&](const PointerEvent& event) {
        const auto button = static_cast<std::size_t>(event.button);
        using Change = PointerEvent::Change;
        switch (event.change) {
            case Change::move:
                if (pointerLate || anyButton) return later(pointerLate);
                io.MousePos = ImVec2(event.at.x, event.at.y);
                return true;
            case Change::leave:
                if (pointerLate || anyButton) return later(pointerLate);
                // A drag continues outside of the window.
                if (!ImGui::IsAnyMouseDown()) io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
                return true;
            case Change::scroll:
                if (pointerLate) return false;
                io.MouseWheel += event.scroll.y;
                io.MouseWheelH += event.scroll.x;
                return true;
            case Change::press:
            case Change::release:
                break;
        }
        if (button >= buttonNow.size()) return true;
        const bool down = event.change == Change::press;
        keysLate = keysLate || down;
        if (pointerLate || buttonLate[button] || buttonNow[button]) return later(buttonLate[button]);
        io.MouseDown[button] = down;
        anyButton = true;
        buttonNow[button] = true;
        return true;
    };
    const auto key = [&](const KeyEvent& event) {
        if (!within(event.physical, given_.size())) return true;
        const auto at = static_cast<std::size_t>(event.physical);
        const bool early = keyNow[at] && event.down != down_[at];
        if (keysLate || (isControl(event) && (early || lettersNow))) return later(keysLate);
        if (keyLate[at] || early) return later(keyLate[at]);
        keyNow[at] = true;
        if (event.down && !event.repeat) given_[at] = panelKey(event);
        down_[at] = event.down;
        if (given_[at] != Key::none) io.KeysDown[static_cast<std::size_t>(given_[at])] = event.down;
        io.KeyCtrl = eitherDown(Key::leftControl, Key::rightControl);
        io.KeyShift = eitherDown(Key::leftShift, Key::rightShift);
        io.KeyAlt = eitherDown(Key::leftAlt, Key::rightAlt);
        io.KeySuper = eitherDown(Key::leftSuper, Key::rightSuper);
        return true;
    };
    const auto seen = [&](const InputEvent& event) {
        if (const auto* moved = std::get_if<PointerEvent>(&event)) return pointer(*moved);
        if (const auto* pressed = std::get_if<KeyEvent>(&event)) return key(*pressed);
        if (const auto* focus = std::get_if<FocusEvent>(&event)) return io.AddFocusEvent(focus->focused), true;
        if (keysLate) return false;
        lettersNow = true;
        io.AddInputCharacter(std::get<TextEvent>(event).letter);
        return true;
    };
    std::erase_if(waiting_, seen);
}

#else

void mapPanelKeys(ImGuiIO&) {}

bool panelKeyPressed(int key, bool repeats) { return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), repeats); }

void PanelInput::feed(ImGuiIO& io) {
    const auto pointer = [&](const PointerEvent& event) {
        using Change = PointerEvent::Change;
        if (event.change == Change::move) io.AddMousePosEvent(event.at.x, event.at.y);
        if (event.change == Change::leave) io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
        if (event.change == Change::scroll) io.AddMouseWheelEvent(event.scroll.x, event.scroll.y);
        if ((event.change == Change::press || event.change == Change::release) && event.button < kMostButtons)
            io.AddMouseButtonEvent(event.button, event.change == Change::press);
    };
    const auto key = [&](const KeyEvent& event) {
        if (!within(event.physical, given_.size())) return;
        const auto at = static_cast<std::size_t>(event.physical);
        down_[at] = event.down;
        io.AddKeyEvent(ImGuiMod_Ctrl, eitherDown(Key::leftControl, Key::rightControl));
        io.AddKeyEvent(ImGuiMod_Shift, eitherDown(Key::leftShift, Key::rightShift));
        io.AddKeyEvent(ImGuiMod_Alt, eitherDown(Key::leftAlt, Key::rightAlt));
        io.AddKeyEvent(ImGuiMod_Super, eitherDown(Key::leftSuper, Key::rightSuper));
        Key& given = given_[at];
        if (event.down && !event.repeat) given = panelKey(event);
        for (const PanelKey& row : kPanelKeys)
            if (row.key == given) io.AddKeyEvent(row.panels, event.down);
    };
    for (const InputEvent& event : std::exchange(waiting_, {})) {
        if (const auto* moved = std::get_if<PointerEvent>(&event)) pointer(*moved);
        if (const auto* pressed = std::get_if<KeyEvent>(&event)) key(*pressed);
        if (const auto* focus = std::get_if<FocusEvent>(&event)) io.AddFocusEvent(focus->focused);
        if (const auto* text = std::get_if<TextEvent>(&event)) io.AddInputCharacter(text->letter);
    }
}

#endif

}  // namespace gravlab
