// The state that commands change and parameters read. Rule: plain data: wishes, and facts of the last frame, so that a copy
// can be kept and restored. Other files act on it.
#pragma once
#include "app/model/camera_path.h"
#include "app/model/facts.h"
#include "app/model/lab_panel.h"
#include "app/model/lesson.h"
#include "app/model/start_options.h"
#include "app/model/twin_choice.h"
#include "app/model/ui_state.h"
#include "app/model/velocity_arrow.h"
#include "app/model/viewport.h"
#include "app/tables/drop.h"
#include "render/camera.h"
#include "render/particle_renderer.h"
#include "sim/measure/profile.h"
#include "sim/run/configuration.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gravlab {

/// The user's wishes; commands and the command line edit them, one place applies them.
struct Intent {
    RunRequest request;
    /// Simulated time per second of watching [T/s]; 0: stepsPerFrame determines the pace.
    double speed = 0;
    int stepsPerFrame = 1;
    double timeBudgetMs = 0;  ///< computing time of steps per frame; 0: the time that drawing leaves
    bool paused = false;
    int singleSteps = 0;   ///< steps to make while paused
    bool replays = false;  ///< kept states are shown one after the other, while paused
    TwinChoice twin;
    bool operator==(const Intent&) const = default;
};

/// A click for which a body must be found.
struct PickRequest {
    glm::vec2 cursor, surface;  ///< pixels
    bool operator==(const PickRequest&) const = default;
};

/// The predicted path of the selected body.
struct PathAhead {
    bool wanted = false;
    double duration = 0;  ///< [T]; 0: about one and a half orbits
    bool operator==(const PathAhead&) const = default;
};

/// Groups of the run's bodies, friends of friends.
struct GroupsWish {
    double linking = 0.2;                 ///< in units of the mean distance
    std::int64_t least = 10;              ///< bodies of a group with a colour
    std::optional<std::uint32_t> from{};  ///< id of the body from which depths are counted; empty: no depths
    bool operator==(const GroupsWish&) const = default;
};

/// Why the last change was refused, or other news. A warning stays until a change succeeds or the user dismisses it; news
/// fade.
struct News {
    std::string message;
    bool warning = false;
    double messageAge = 0;  ///< [s] since a window has shown it

    /// Shows news. An empty text shows nothing.
    void say(std::string text) {
        message = std::move(text);
        warning = false;
        messageAge = 0;
    }
    /// Shows an error or a refusal.
    void warn(std::string text) {
        say(std::move(text));
        warning = true;
    }
    void dismissMessage() { message.clear(); }
    /// Ages news by that time [s] and removes them after the time to read them. True when their look changes.
    bool fadeMessage(double seconds);
    /// Visible fraction of the message, 0 to 1.
    float messageLight() const;
    bool operator==(const News&) const = default;
};

/// Bodies that a live profile samples, beside the heaviest.
constexpr std::size_t kSampleOfProfiles = 16384;
/// The usual request for a scene with `galaxies` groups that are galaxies: the first of several, or all bodies.
ProfileRequest usualProfile(int galaxies);

struct Document : News {
    // the runs
    Intent intent;
    RunFacts facts;

    // the picture
    Camera camera;  ///< the wanted camera; drawnCamera() glides towards it
    Look look;
    int colourMode = -1;  ///< row of colourModes(); -1: the scene's own
    OverlayChoice overlay;
    DrawMethodRequest splat = DrawMethodRequest::automatic;  ///< method of drawing in a window; films use the rasteriser
                                                             ///< unless one method is chosen
    bool holdRate = true;                                    ///< a window lowers its quality while the machine is too slow
    bool copyVertices = false;  ///< copy through host memory even where OpenGL's buffer could be written directly
    bool fourViews = false;     ///< wanted; see fourViewed()
    bool ownTrails = false;     ///< the scene sets the trails; false: the user has set their length
    int trailsBefore = -1;      ///< trails before four views, to restore; -1: none
    double rotation = 0;        ///< automatic rotation of the camera [rad/s]
    std::array<std::optional<Camera>, 9> views;  ///< saved views
    CameraTour tour;
    Camera shown;  ///< the drawn camera while `gliding`
    bool gliding = false;
    bool frameAll = false;  ///< the camera keeps all visible bodies in the picture, until the user moves it
    PicturePart free;       ///< area of the window's surface without panels; empty: all

    // single bodies
    std::optional<BodyReadout> selected;
    std::uint64_t selections = 0;       ///< number of selections so far
    std::optional<PickRequest> pick;    ///< the pending click
    bool follow = false;                ///< keeps the selected body at the centre
    std::optional<int> followedCentre;  ///< keeps a galaxy, or kWholeScene, at the centre
    PathAhead ahead;
    std::optional<std::uint32_t> orbitAround;  ///< central body of orbits; empty: the most strongly binding one
    DropTool drop;
    VelocityArrow aim;
    BodyPull pull;
    ProfileRequest profileWanted;  ///< the profile that the instruments need
    GroupsWish groups;
    TreeWish tree;  ///< cells of a tree drawn as boxes

    std::uint64_t storyRun = 0;   ///< the watched run whose story has ended; 0: none
    std::uint64_t storyLeft = 0;  ///< the run whose story's end the user has dismissed
    UiState ui;
    LabPanel labPanel;
    LessonState lesson;

    /// Whether the run has reached the end of its scene's story, with a viewer, and the user has not dismissed that.
    bool storyEnded() const;
    /// Whether the bodies came without units, probably have some, and the user has not decided.
    bool unitsInDoubt() const;
    /// The reason why the steps do not follow the orbits of the bodies of a file; empty: they do, or it was dismissed.
    std::string orbitsInDoubt() const;

    // Functions that change several of these at once: document.cpp, document_camera.cpp
    // Selects body `index`; clears the selection when there is no such body.
    void select(std::size_t index);
    void clearSelection();
    /// Selects the body with that id. Throws UsageError when there is none.
    void selectId(std::uint32_t id);
    /// Selects the body nearest to a point of the picture (pixels from the upper left corner), if any.
    void pickAt(glm::vec2 cursor, glm::vec2 surface) { pick = PickRequest{cursor, surface}; }

    static constexpr int kWholeScene = -1;
    /// Keeps the centre of mass of all bodies (kWholeScene) or of a galaxy at the centre of the picture; empty: neither.
    void followCentre(std::optional<int> which);
    /// Follows the target of --follow: a body, a centre, or the number of a galaxy from 1. Throws UsageError when it does
    /// not exist.
    void followByName(const std::string& what);
    /// Follows the next target: all bodies, the first galaxy, ..., none.
    void followNext();

    const ColourMode& shownMode() const;
    /// Ends of the colour map, in the scene's units.
    ValueRange shownRange() const;
    /// Largest N for which starts are marked, and for which four views show paths: more would cover the picture.
    static constexpr std::size_t kMostStarts = 256, kMostPaths = 4096;
    /// Up to this N the paths are the main thing to see.
    static constexpr std::size_t kFewBodies = 100;
    /// Sets the trails of the scene unless the user has set them: paths for few bodies, none for many.
    void bringTrails();
    /// Shows four views with paths, or one view with the previous trails.
    void showFourViews(bool on);
    /// Call it when the bodies change: it shows or hides paths by their number.
    void fitFourViews();
    /// Whether the surface shows four views now; twin runs divide it in another way.
    bool fourViewed() const { return fourViews && !facts.twin.on; }

    /// The camera with which bodies are drawn.
    const Camera& drawnCamera() const { return gliding ? shown : camera; }
    /// Rotates or flies the camera by itself for `seconds`, if enabled. Once a frame, before glide() in windows.
    void turn(double seconds);
    /// Moves the drawn camera towards `camera` for `seconds`; without this call the drawn camera is `camera`.
    void glide(double seconds);
    /// Moves both cameras without lag: the followed body stands still and the others move.
    void aimAt(glm::vec3 target);

    /// A point of the surface in the picture under it.
    struct SurfaceSpot {
        glm::vec2 cursor, size;  ///< pixels from that picture's upper left corner
        Camera camera;           ///< with which it is drawn
        std::size_t run = 0;
    };
    SurfaceSpot spotAt(glm::vec2 cursor, glm::vec2 surface) const;
    /// Camera moves by pixels of the picture under the cursor: towards it, with it, onto it.
    void zoomAt(float steps, glm::vec2 cursor, glm::vec2 surface);
    void panBy(glm::vec2 pixels, glm::vec2 cursor, glm::vec2 surface);
    void centreOn(glm::vec2 cursor, glm::vec2 surface);

    /// The facts of the run for adding bodies.
    DropScene dropScene() const;
    /// The arrow begins at the cursor and follows it.
    void startDrop(glm::vec2 cursor, glm::vec2 surface);
    void moveDrop(glm::vec2 cursor);
    glm::vec2 dropFrom{0};  ///< corner of the picture in which the arrow began

    /// Whether an overlay is drawn over the picture.
    bool overlayDraws() const;
    ArrowScale arrowScale() const;
    /// The arrow of the selected body, with its velocity or the one being dragged; empty when it is not shown.
    std::optional<BodyMark> selectedArrow() const;
    /// Whether the tip of that arrow is under a point of the surface.
    bool onArrowTip(glm::vec2 cursor, glm::vec2 surface) const;
    /// Grips the tip; moves it.
    void startAim(glm::vec2 cursor, glm::vec2 surface);
    void moveAim(glm::vec2 cursor);
    /// Whether the selected body is under a point of the surface, and a drag there pulls it: not while the camera follows
    /// it.
    bool onSelected(glm::vec2 cursor, glm::vec2 surface) const;
    /// Grips the selected body; false where it is not in the picture. Moves the end of the spring.
    bool startPull(glm::vec2 cursor, glm::vec2 surface);
    void movePull(glm::vec2 cursor);

    bool operator==(const Document&) const = default;
};

/// The parts of a document that report. Services, panels and frontends write these, and read the rest. Settings change by
/// commands alone; time, clicks and framing move the camera and the selection.
struct DocumentReports {
    explicit DocumentReports(Document& document)
        : news(document),
          facts(document.facts),
          free(document.free),
          panels(document.ui),
          files(document.ui.files),
          film(document.ui.film),
          lesson(document.lesson),
          own(document.labPanel.own),
          matrixSaved(document.labPanel.said) {}
    News& news;
    RunFacts& facts;
    PicturePart& free;
    PanelState& panels;
    FilesList& files;
    FilmProgress& film;
    LessonProgress& lesson;
    OwnResult& own;
    std::string& matrixSaved;
};

/// The body with that name or number; part of a name suffices when it is unique. Throws UsageError listing the candidates.
std::uint32_t bodyCalled(const Document& document, const std::string& text);

}  // namespace gravlab
