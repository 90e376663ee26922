// A window's picture once more, for films and pictures: of a size of its own, at the full look, with or without panels.
#pragma once
#include "app/model/ui_state.h"
#include "app/system/file_jobs.h"
#include "app/view/app.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gravlab {

class OffscreenTarget;
class Ui;

class BesidePicture {
public:
    /// `renderer` names the OpenGL context, which is current as long as it lives.
    explicit BesidePicture(std::string renderer);
    ~BesidePicture();
    BesidePicture(const BesidePicture&) = delete;
    BesidePicture& operator=(const BesidePicture&) = delete;

    /// Draws into the target what the window shows, `seconds` after the picture before, and leaves the target bound.
    void draw(App& app, OffscreenTarget& target, bool panels, double seconds);
    /// What the window shows in another size: packed RGB rows, top row first. Large pictures are drawn in parts. Throws
    /// Error where that cannot be, GlError or std::bad_alloc where memory is too short.
    std::vector<std::uint8_t> pixels(App& app, int width, int height, bool panels);

private:
    bool buildPanels(App& app, int width, int height, bool panels, double seconds);
    std::string renderer_;
    UiState shown_;  ///< in the picture
    std::unique_ptr<Ui> panels_;
};

/// F12: draws what the window shows, at the full look, in the size and with or without panels as the document says, and
/// gives the job that writes it. Where it could not be drawn, the job fails with the reason. How it ends is a message, too.
/// `path`: empty for a name by the time.
FileJob takePicture(App& app, Ui& ui, int width, int height, const std::string& renderer, std::string path);

}  // namespace gravlab
