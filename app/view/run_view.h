// The runs as a picture: one view, four, or two runs beside or over each other. Rule: whatever it shows is a list of
// viewports; the camera has followed what it follows before the first of them is drawn.
#pragma once
#include "app/services/adaptive_quality.h"
#include "app/view/auto_framer.h"
#include "app/view/centre_follower.h"
#include "app/view/colouring.h"
#include "app/view/mark_reader.h"
#include "app/view/selection_reader.h"
#include "render/pair_picture.h"
#include "render/part_target.h"
#include "render/vertex_sample.h"

#include <memory>
#include <span>

namespace gravlab {

class RunView {
public:
    /// Draws the newest complete step into `framebuffer` and leaves that bound. A size of 0 only records trails, and follows
    /// in a film.
    void draw(Document& document, RunHost& host, unsigned framebuffer, int width, int height, bool realTime);
    /// What was drawn last once more, for a film beside the window or in parts: nothing recorded, nothing measured, light as
    /// draw() found it.
    void drawAgain(RunHost& host, std::span<const Viewport> views, unsigned framebuffer, int width, int height);
    /// What is read of the selected body. Throws std::bad_alloc.
    void readSelected(Document& document, RunHost& host, bool realTime) {
        selection_.read(document, host, realTime);
        marks_.read(document, host, realTime);
    }

    /// A frame of a window took this long until it was shown, and until it was handed to the display [s]; the quality of the
    /// next ones follows.
    void frameTook(const RunHost& host, double seconds, double workSeconds);
    /// How long to rest after a frame that took so long [s], so that drawing takes half of the processors' time at most.
    /// `behind`: the steps use that time.
    double restSeconds(const RunHost& host, double seconds, bool behind) const;
    /// Time on the GPU of all views of the last picture [s].
    double drawSeconds(const RunHost& host) const;
    AdaptiveQuality& quality() { return quality_; }
    /// False: all bodies are drawn also while the camera moves; for those who time drawing.
    void thinWhileMoving(bool on) { thinning_ = on; }
    /// What of the look is lowered now, for the status line; empty at the full look.
    std::string lowered() const { return rests_ ? std::string() : quality_.text(); }

    /// Whether the next picture would differ from the last one without any new intent.
    bool moving(const Document& document, const RunHost& host) const;
    /// A vertex of very many bodies is not finite, or too far for their forces: a state will tell which. Of the newest
    /// frame.
    bool outOfRange() const { return outOfRange_; }
    /// Lets go of everything of OpenGL, with its context still current.
    void dropPicture();
    /// The context is another.
    void restart() { colouring_.restart(); }

private:
    /// All that the picture of a paused run is made of.
    struct Still {
        std::uint64_t run = 0, revision = 0;
        std::int64_t step = -1;
        Camera camera;
        Look look;
        int colourMode = -1, width = 0, height = 0;
        bool operator==(const Still&) const = default;
    };
    void watch(const Document& document, const RunHost& host);
    bool restsNow(const Document& document, int width, int height);
    int thinned(const Document& document, const RunHost& host);
    void compose(RunHost& host, std::span<const Viewport> views, const Look& look, unsigned framebuffer, int width,
                 int height, bool again);

    SelectionReader selection_;
    MarkReader marks_;
    CentreFollower centre_;
    AutoFramer framer_;
    Colouring colouring_;
    AdaptiveQuality quality_;  ///< of a window's picture
    Still still_;              ///< of the last picture
    double stillSince_ = 0;    ///< host clock [s]
    bool rests_ = false;       ///< the run is paused, and its picture had the time to be drawn in full
    Camera movedTo_;           ///< of the last picture
    double movedAt_ = -1e9;    ///< host clock [s] when it was another one than before
    bool thinning_ = true, started_ = false;
    int every_ = 1;                       ///< one body of so many is drawn, as long as the camera moves
    Look look_;                           ///< what bodies were drawn like last
    std::size_t alike_ = 1;               ///< views of the last picture that the renderer's timer saw one of
    std::unique_ptr<VertexWatch> watch_;  // from the first frame of very many bodies
    bool outOfRange_ = false;
    std::unique_ptr<PartTarget> part_;   // from the first picture of four
    std::unique_ptr<PairPicture> pair_;  // from the first picture of two
};

}  // namespace gravlab
