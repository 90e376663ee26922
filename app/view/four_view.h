// Four views at once: three planes and space, on one scale, with axes, paths and the places where bodies began.
// Rule: one camera moves all four; what it turns is the view of space.
#pragma once
#include "render/camera.h"
#include "render/pair_picture.h"
#include "render/particle_renderer.h"
#include "sim/core/particles.h"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace gravlab {

class PartTarget;

class FourView {
public:
    FourView();
    ~FourView();

    /// Starts are marked of at most so many bodies: more rings would hide the picture.
    static constexpr std::size_t kMostStarts = 256;
    /// Paths come with the views of at most so many bodies: of more they would be a fog, and take a GPU's memory.
    static constexpr std::size_t kMostPaths = 4096;

    /// One of the four. `across` and `up`: the axes that run along its edges, 0 to 2; -1 in the view of space.
    struct Row {
        const char* title;
        int across, up;
    };
    static constexpr std::array<Row, 4> kRows{{{"x-y", 0, 1}, {"space", -1, -1}, {"x-z", 0, 2}, {"y-z", 1, 2}}};

    bool on() const { return on_; }
    /// Shows them with paths, or one view again with the trails there were before.
    void show(bool on, Look& look, std::size_t bodies);
    /// Other bodies: paths come and go with their number.
    void fit(Look& look, std::size_t bodies);
    /// Part of the surface that nothing covers; empty: all of it.
    void setFree(const PicturePart& free) { free_ = free; }
    const PicturePart& free() const { return free_; }

    /// Where they are on a surface of that size, in the order of kRows; all of one size.
    std::array<PicturePart, 4> parts(int width, int height) const;
    /// The camera of one: planes look along the third axis without perspective, from as far away as `space` does.
    static Camera cameraOf(std::size_t row, const Camera& space);
    /// Half of what a plane shows upwards [L].
    static double halfHeight(const Camera& space);

    /// The one under (or nearest to) the cursor: its corner and size in pixels, and its camera.
    struct Pane {
        glm::vec2 from, size;
        Camera camera;
    };
    Pane paneAt(glm::vec2 cursor, glm::vec2 surface, const Camera& space) const;

    /// Notes where bodies are at the start of a run.
    void takeStart(const ParticleSet& bodies);
    const std::vector<Double4>& starts() const { return starts_; }

    /// Draws all four into `framebuffer` and leaves it bound; `again` as ParticleRenderer::drawAgain() does.
    void draw(ParticleRenderer& renderer, const ParticleBuffer& bodies, const Camera& space, const Look& look,
              unsigned framebuffer, int width, int height, bool again = false);
    /// Lets go of what it has in OpenGL, with the context still current.
    void dropPicture();

private:
    bool on_ = false;
    int trailsBefore_ = -1;  ///< to go back to; -1: none
    PicturePart free_;
    std::unique_ptr<PartTarget> target_;  ///< from the first draw
    std::vector<Double4> starts_;
};

}  // namespace gravlab
