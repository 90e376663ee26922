// A queue of events for Dear ImGui. Versions before 1.87 read keys and buttons once a frame, and would lose a press and
// release between two frames. Newer versions have a queue of their own.
#pragma once
#include "app/ui/input.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

struct ImGuiIO;

namespace gravlab {

class PanelInput {
public:
    void take(const InputEvent& event) { waiting_.push_back(event); }
    bool pending() const { return !waiting_.empty(); }
    /// Whether a press of a button waits for another frame.
    bool pressWaits() const;
    /// The place of the pointer that the next frame will know; empty where that is the place of the last frame.
    std::optional<glm::vec2> newPlace() const;
    /// Passes the events for the next frame to the current context. Call it once before each frame.
    void feed(ImGuiIO& io);

private:
    /// An array indexed by keys.
    template <class T>
    using ByKey = std::array<T, 512>;
    bool eitherDown(Key left, Key right) const {
        return down_[static_cast<std::size_t>(left)] || down_[static_cast<std::size_t>(right)];
    }

    std::vector<InputEvent> waiting_;  ///< in order
    ByKey<bool> down_{};               ///< physical keys
    ByKey<Key> given_{};  ///< the key that Dear ImGui received for a physical key, and whose release it will receive
};

/// Numbers the keys for this version of Dear ImGui. Call it once per context.
void mapPanelKeys(ImGuiIO& io);

/// Whether the key went down in this frame; `repeats`: also when it stays down, at the keyboard's pace.
bool panelKeyPressed(int imguiKey, bool repeats = true);
/// The same for Enter, also that of the number pad.
bool enterPressed();

}  // namespace gravlab
