// Events on their way to Dear ImGui. Versions before 1.87 look at keys and buttons once a frame: what goes down and up
// between two frames would be lost. Newer ones keep a queue themselves.
#pragma once
#include "app/ui/input.h"

#include <array>
#include <cstddef>
#include <vector>

struct ImGuiIO;

namespace gravlab {

class PanelInput {
public:
    void take(const InputEvent& event) { waiting_.push_back(event); }
    /// Whether events wait for a further frame.
    bool pending() const { return !waiting_.empty(); }
    /// Gives the current context what the next frame shall see. Once before each frame.
    void feed(ImGuiIO& io);

private:
    /// By the number of a key.
    template <class T>
    using ByKey = std::array<T, 512>;
    bool eitherDown(Key left, Key right) const {
        return down_[static_cast<std::size_t>(left)] || down_[static_cast<std::size_t>(right)];
    }

    std::vector<InputEvent> waiting_;  ///< in their order
    ByKey<bool> down_{};               ///< physical keys
    ByKey<Key> given_{};               ///< what Dear ImGui was given for a physical key, and what it will see released
};

/// Numbers keys in a way that this version of Dear ImGui understands. Once in the life of a context.
void mapPanelKeys(ImGuiIO& io);

/// Whether the key went down in this frame; `repeats`: also when it stays down, at the keyboard's pace.
bool panelKeyPressed(int imguiKey, bool repeats = true);

}  // namespace gravlab
