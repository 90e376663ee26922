// Draws the runs: one view, four views, or two runs beside or over each other.
// Rule: every picture is a list of viewports. The camera follows its target before the first viewport is drawn.
#pragma once
#include "app/services/adaptive_quality.h"
#include "app/view/camera_aim.h"
#include "app/view/colouring.h"
#include "app/view/selection_reader.h"
#include "render/pair_picture.h"
#include "render/part_target.h"
#include "render/vertex_sample.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace gravlab {

class RunView {
public:
    /// Draws the newest complete step into `framebuffer`, which stays bound. A size of 0 only records trails, and moves the
    /// camera of a film.
    void draw(Document& document, RunHost& host, unsigned framebuffer, int width, int height, bool realTime);
    /// Draws the last picture once more, for a film beside the window or in tiles. It records and measures nothing and keeps
    /// the exposure of draw().
    void drawAgain(RunHost& host, std::span<const Viewport> views, unsigned framebuffer, int width, int height);
    /// Draws other bodies of the scene in the look of the last picture, which had fewer: in pieces of at most `piece`, each
    /// with every so many bodies, through one buffer. `drawn` is called after each piece, with the number drawn so far.
    void drawPieces(const Document& document, RunHost& host, const BodiesToRead& bodies, std::size_t piece,
                    unsigned framebuffer, int width, int height, const std::function<void(std::size_t)>& drawn);
    /// Reads the values of the selected body. Throws std::bad_alloc.
    void readSelected(Document& document, RunHost& host, bool realTime) {
        selection_.read(document, host, realTime);
        marks_.read(document, host, realTime);
    }

    /// Reports the time until a window's frame was shown, and until it was handed to the display [s]. The quality of the
    /// next frames follows it.
    void frameTook(const RunHost& host, double seconds, double workSeconds);
    /// Rest after a frame that took `seconds` [s]. Drawing then uses at most half of the processors' time. `behind`: the
    /// steps use that time.
    double idleSeconds(const RunHost& host, double seconds, bool behind) const;
    /// GPU time of all views of the last picture [s].
    double drawSeconds(const RunHost& host) const;
    AdaptiveQuality& quality() { return quality_; }
    /// False: all bodies are drawn even while the camera moves, which timings of drawing need.
    void thinWhileMoving(bool on) { thinning_ = on; }
    /// The lowered settings of the look, for the status line; empty at the full look.
    std::string lowered() const { return idle_ ? std::string() : quality_.text(); }

    /// Whether the next picture would differ from the last one without a new intent.
    bool moving(const Document& document, const RunHost& host) const;
    /// Whether the newest frame of very many bodies has a vertex that is not finite or is too far for the forces. A state
    /// then identifies the body.
    bool outOfRange() const { return outOfRange_; }
    /// Releases all OpenGL objects while their context is still current.
    void dropPicture();
    /// Call it after a change of context.
    void restart() {
        colouring_.restart();
        bonds_.restart();
    }

private:
    /// Everything that determines the picture of a paused run.
    struct Still {
        std::uint64_t run = 0, revision = 0;
        std::int64_t step = -1;
        Camera camera;
        Look look;
        int colourMode = -1, width = 0, height = 0;
        bool operator==(const Still&) const = default;
    };
    /// What mostly determines the cost of a picture.
    struct Load {
        std::string scene;
        int magnitude = 0, width = 0, height = 0;  ///< magnitude: bits of the number of bodies
        bool operator==(const Load&) const = default;
    };
    void watch(const Document& document, const RunHost& host);
    bool isIdle(const Document& document, int width, int height);
    int thinned(const Document& document, const RunHost& host);
    void compose(RunHost& host, std::span<const Viewport> views, const Look& look, unsigned framebuffer, int width,
                 int height, bool again);

    SelectionReader selection_;
    MarkReader marks_;
    CentreFollower centre_;
    AutoFramer framer_;
    Colouring colouring_;
    BondPicture bonds_;
    AdaptiveQuality quality_;  ///< quality of a window's picture
    Load load_;
    Still still_;            ///< state of the last picture
    double stillSince_ = 0;  ///< host clock [s]
    bool idle_ = false;      ///< the run is paused, and its picture is drawn in full
    Camera movedTo_;         ///< camera of the last picture
    double movedAt_ = -1e9;  ///< host clock [s] of the last camera movement
    bool thinning_ = true, started_ = false;
    int every_ = 1;                       ///< one body in every_ is drawn while the camera moves
    Look look_;                           ///< look of the last picture
    std::size_t alike_ = 1;               ///< views of the last picture; the renderer's timer measures one of them
    std::unique_ptr<VertexWatch> watch_;  // created at the first frame of very many bodies
    bool outOfRange_ = false;
    std::unique_ptr<PartTarget> part_;   // created at the first picture of four views
    std::unique_ptr<PairPicture> pair_;  // created at the first picture of two runs
};

}  // namespace gravlab
