// A window's picture once more, for films and pictures: of a size of its own, at the full look, with or without panels.
#pragma once
#include "app/control/host.h"
#include "app/model/ui_state.h"
#include "app/system/picture.h"
#include "app/view/workspace.h"

#include <memory>
#include <string>

namespace gravlab {

class OffscreenTarget;
class Ui;

class BesidePicture {
public:
    /// `target` outlives it; `renderer` names the OpenGL context, which is current as long as it lives.
    BesidePicture(OffscreenTarget& target, std::string renderer);
    ~BesidePicture();
    BesidePicture(const BesidePicture&) = delete;
    BesidePicture& operator=(const BesidePicture&) = delete;

    /// Draws into the target what the window shows, `seconds` after the picture before, and leaves the target bound.
    void draw(Workspace& workspace, bool panels, double seconds);

private:
    OffscreenTarget& target_;
    std::string renderer_;
    UiState shown_;  ///< in the picture
    std::unique_ptr<Ui> panels_;
};

/// F12: writes what the window shows, at the full look, in the size and with or without panels as the document asks.
/// A failure is a message, not the end. `path`: empty for a name by the time.
EffectResult takePicture(Workspace& workspace, Ui& ui, int width, int height, const std::string& renderer, std::string path);

/// What a picture at `path` says about itself, so that it can be opened again.
PictureTexts pictureTexts(const Workspace& workspace, const std::string& path);

}  // namespace gravlab
