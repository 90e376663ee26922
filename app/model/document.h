// All that commands change and that parameters are read from. Rule: plain data: what is asked, and what is known since the
// last frame; a copy of it can be kept and put back. What acts on it is elsewhere.
#pragma once
#include "app/model/camera_path.h"
#include "app/model/facts.h"
#include "app/model/intent.h"
#include "app/model/lab_panel.h"
#include "app/model/lesson.h"
#include "app/model/options.h"
#include "app/model/ui_state.h"
#include "app/model/velocity_arrow.h"
#include "app/model/viewport.h"
#include "app/tables/launch.h"
#include "render/camera.h"
#include "render/particle_renderer.h"
#include "sim/measure/profile.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace gravlab {

/// A click whose body is to be found.
struct PickRequest {
    glm::vec2 cursor, surface;  ///< pixels
    bool operator==(const PickRequest&) const = default;
};

/// The path of the selected body ahead.
struct PathAhead {
    bool wanted = false;
    double duration = 0;  ///< [T]; 0: about a turn and a half
    bool operator==(const PathAhead&) const = default;
};

/// Groups of the run's bodies, friends of friends.
struct GroupsWish {
    double linking = 0.2;     ///< in mean distances
    std::int64_t least = 10;  ///< bodies of a group that has a colour
    bool operator==(const GroupsWish&) const = default;
};

struct Document {
    // the runs
    Intent intent;
    Facts facts;
    /// Of the next steps of a window: up to the next frame of a film.
    std::int64_t mostSteps = std::numeric_limits<std::int64_t>::max();

    // the picture
    Camera camera;  ///< wanted; drawnCamera() glides towards it
    Look look;
    int colourMode = -1;  ///< row of colourModes(); -1: the scene's own
    OverlayChoice overlay;
    DrawMethodRequest splat =
        DrawMethodRequest::automatic;  ///< how a window draws; films take the rasteriser unless one way is asked for
    bool holdRate = true;              ///< a window lowers its look while the machine is too slow for it
    bool copyVertices = false;         ///< go through host memory where OpenGL's own buffer could be written
    bool fourViews = false;            ///< wanted; see fourViewed()
    bool ownTrails = false;            ///< trails come and go with the scene; false: the user has said how long they are
    int trailsBefore = -1;             ///< four views bring paths: to go back to; -1: none
    double rotation = 0;               ///< of the camera by itself [rad/s]
    std::array<std::optional<Camera>, 9> views;  ///< saved ones
    CameraTour tour;
    Camera shown;  ///< what bodies are drawn with while `gliding`
    bool gliding = false;
    bool frameAll = false;  ///< the camera keeps everything that shines in the picture, until it is moved by hand
    PicturePart free;       ///< of the window's surface: what no panel covers; empty: all

    // single bodies
    std::optional<BodyReadout> selected;
    std::uint64_t selections = 0;       ///< counts what was selected
    std::optional<PickRequest> pick;    ///< asked for
    bool follow = false;                ///< keeps the selected body in the middle
    std::optional<int> followedCentre;  ///< keeps a galaxy there, or kWholeScene
    PathAhead ahead;
    std::optional<std::uint32_t> orbitAround;  ///< body that orbits are about; empty: the one that binds most closely
    Slingshot drop;
    VelocityArrow aim;
    ProfileRequest profileWanted;  ///< by the instruments
    GroupsWish groups;
    TreeWish tree;  ///< boxes of cells over the picture

    /// Why the last change was refused, or what else there is to say. A warning stays until a change succeeds or it is
    /// dismissed; news fade.
    std::string message;
    bool warning = false;
    double messageAge = 0;        ///< [s] that a window has shown it
    std::uint64_t storyRun = 0;   ///< run that was watched before its scene's story was told; 0: none
    std::uint64_t storyLeft = 0;  ///< run whose end was seen and put away
    UiState ui;
    LabPanel labPanel;
    LessonState lesson;

    /// News. An empty text says nothing.
    void say(std::string text) {
        message = std::move(text);
        warning = false;
        messageAge = 0;
    }
    /// Something went wrong, or was refused.
    void warn(std::string text) {
        say(std::move(text));
        warning = true;
    }
    void dismissMessage() { message.clear(); }
    /// News grow older by that [s], and go when they have been there long enough to be read. True where they look otherwise
    /// than before.
    bool fadeMessage(double seconds);
    /// How much of the message is still to be seen, 0 to 1.
    float messageLight() const;
    /// Whether the run has gone through its scene's story, somebody has watched, and has not put that away.
    bool storyTold() const;
    /// Whether the bodies came without units, seem to have some, and nobody has said yet.
    bool unitsInDoubt() const;

    // What touches several of them at once: document.cpp, document_camera.cpp
    /// Selects body `index`; nothing where there is none.
    void select(std::size_t index);
    void clearSelection();
    /// Selects the body of that id. Throws UsageError when there is none.
    void selectId(std::uint32_t id);
    /// Selects the body nearest to a point of the picture (pixels from the upper left corner), or nothing.
    void pickAt(glm::vec2 cursor, glm::vec2 surface) { pick = PickRequest{cursor, surface}; }

    static constexpr int kWholeScene = -1;
    /// Keeps the centre of mass of all bodies (kWholeScene) or a galaxy in the middle; empty: neither.
    void followCentre(std::optional<int> which);
    /// What --follow says: body, centre, or a galaxy's number from 1. Throws UsageError for what is not there.
    void followAsAsked(const std::string& what);
    /// Goes on: all bodies, the first galaxy, ..., nothing.
    void followNext();

    const ColourMode& shownMode() const;
    /// Ends of the colour map, in the scene's units.
    ValueRange shownRange() const;
    /// Starts are marked, and paths come with four views, of at most so many bodies: of more they would be a fog.
    static constexpr std::size_t kMostStarts = 256, kMostPaths = 4096;
    /// Of so few bodies the paths are what there is to see.
    static constexpr std::size_t kFewBodies = 100;
    /// A scene brings its trails, where nobody has said otherwise: paths of few bodies, none of many.
    void bringTrails();
    /// Shows four views with paths, or one view again with the trails there were before.
    void showFourViews(bool on);
    /// Other bodies: paths come and go with their number.
    void fitFourViews();
    /// Whether the surface shows four views now: twins share it in their own way.
    bool fourViewed() const { return fourViews && !facts.twin.on; }

    /// What bodies are drawn with.
    const Camera& drawnCamera() const { return gliding ? shown : camera; }
    /// Lets the camera turn or fly by itself for `seconds`, if it shall. Once a frame, before glide() in windows.
    void turn(double seconds);
    /// Lets the drawn camera glide towards `camera` for `seconds`; without it the drawn camera is `camera`.
    void glide(double seconds);
    /// Both cameras, without lag: what is followed stands still and the rest moves.
    void aimAt(glm::vec3 target);

    /// A point of the surface in the picture that is there.
    struct SurfaceSpot {
        glm::vec2 cursor, size;  ///< pixels from that picture's upper left corner
        Camera camera;           ///< that it is drawn with
        std::size_t run = 0;
    };
    SurfaceSpot spotAt(glm::vec2 cursor, glm::vec2 surface) const;
    /// Camera moves by pixels of the picture under the cursor: towards it, with it, onto it.
    void zoomAt(float steps, glm::vec2 cursor, glm::vec2 surface);
    void panBy(glm::vec2 pixels, glm::vec2 cursor, glm::vec2 surface);
    void centreOn(glm::vec2 cursor, glm::vec2 surface);

    /// What a drop must know of the run.
    LaunchScene launchScene() const;
    /// The arrow begins at the cursor, and follows it.
    void startDrop(glm::vec2 cursor, glm::vec2 surface);
    void moveDrop(glm::vec2 cursor);
    glm::vec2 dropFrom{0};  ///< corner of the picture that the arrow began in

    /// Whether anything is written over the picture.
    bool overlayDraws() const;
    /// How long arrows are.
    ArrowScale arrowScale() const;
    /// The arrow of the selected body, with the velocity that it has or is given now; empty: it is not shown.
    std::optional<BodyMark> selectedArrow() const;
    /// Whether the tip of that arrow is under a point of the surface.
    bool onArrowTip(glm::vec2 cursor, glm::vec2 surface) const;
    /// Takes hold of it; moves it.
    void startAim(glm::vec2 cursor, glm::vec2 surface);
    void moveAim(glm::vec2 cursor);

    bool operator==(const Document&) const = default;
};

}  // namespace gravlab
