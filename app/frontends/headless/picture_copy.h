// Draws a window's picture once more, for films and pictures: in a size of its own, at the full look, with or without
// panels.
#pragma once
#include "app/files/file_jobs.h"
#include "app/model/ui_state.h"
#include "app/view/app.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gravlab {

class OffscreenTarget;
class Ui;

class PictureCopy {
public:
    /// `renderer` names the OpenGL context, which must be current as long as the object lives.
    explicit PictureCopy(std::string renderer);
    ~PictureCopy();
    PictureCopy(const PictureCopy&) = delete;
    PictureCopy& operator=(const PictureCopy&) = delete;

    /// Draws the window's content into the target, `seconds` after the previous picture, and leaves the target bound.
    void draw(App& app, OffscreenTarget& target, bool panels, double seconds);
    /// The window's content in another size: packed RGB rows, top row first. Large pictures are drawn in tiles. Throws Error
    /// where that is impossible, GlError or std::bad_alloc where memory is too short.
    std::vector<std::uint8_t> pixels(App& app, int width, int height, bool panels);

private:
    bool buildPanels(App& app, int width, int height, bool panels, double seconds);
    std::string renderer_;
    UiState shown_;  ///< state of the panels in the picture
    std::unique_ptr<Ui> panels_;
};

/// Action of F12: draws the window's content at the full look, with the document's size and choice of panels, and returns
/// the job that writes it. Where drawing failed, the job fails with the reason. Its result also becomes a message. `path`:
/// empty for a name with the time.
FileJob takePicture(App& app, Ui& ui, int width, int height, const std::string& renderer, std::string path);

}  // namespace gravlab
