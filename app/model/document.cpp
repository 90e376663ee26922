// Selecting, following, and changes that four views bring.
#include "app/model/document.h"

#include "app/model/look.h"
#include "app/tables/colour_mode.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/run/resolve.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace gravlab {

namespace {

/// Whether a galaxy has bodies that are not dark matter; the camera follows those.
bool shines(const BodyFacts& bodies, int galaxy) {
    return std::any_of(bodies.group.begin(), bodies.group.end(),
                       [&](std::uint8_t group) { return !isDark(group) && galaxyOf(group) == galaxy; });
}

}  // namespace

void Document::clearSelection() {
    selected.reset();
    follow = false;
}

void Document::select(std::size_t index) {
    const BodyFacts& bodies = *facts.bodies;
    if (index >= bodies.size()) return;
    selected = BodyReadout{.id = bodies.id[index],
                           .index = index,
                           .galaxy = galaxyOf(bodies.group[index]),
                           .dark = isDark(bodies.group[index]),
                           .source = static_cast<double>(bodies.mass[index])};
    // Under gravity source and mass are equal; otherwise the mass needs the body's response, which a copy of the state
    // brings.
    if (facts.configuration.force.law == Law::gravity) selected->mass = selected->source;
    selected->held = bodies.motion[index] != BodyMotion::free;
    selected->coasting = bodies.motion[index] == BodyMotion::coasting;
    ++selections;
}

void Document::selectId(std::uint32_t id) {
    const std::vector<std::uint32_t>& ids = facts.bodies->id;
    const auto found = std::find(ids.begin(), ids.end(), id);
    if (found == ids.end())
        throw UsageError("there is no body " + std::to_string(id) + " to select; ids go from " +
                         std::to_string(*std::min_element(ids.begin(), ids.end())) + " to " +
                         std::to_string(*std::max_element(ids.begin(), ids.end())));
    select(static_cast<std::size_t>(found - ids.begin()));
}

bool Document::unitsInDoubt() const {
    const StartState* start = facts.configuration.start.get();
    return start && !start->doubt.question.empty() && !start->file.path.empty() && ui.files.doubtLeft != start->file.path;
}

std::string Document::orbitsInDoubt() const {
    const RunConfiguration& run = facts.configuration;
    if (!run.start || run.start->file.path.empty() || ui.files.orbitsLeft == run.start->file.path) return {};
    return isAdaptive(facts.integrator->program) ? std::string()
                                                 : unresolvedOrbitOf(run.start.get(), run.force, run.timeStep);
}

void Document::followCentre(std::optional<int> which) {
    followedCentre = which;
    if (which) follow = false;
}

void Document::followByName(const std::string& what) {
    if (what.empty()) return;
    if (what == "all") {
        follow = false;
        followCentre(std::nullopt);
        frameAll = true;
        return;
    }
    if (what == "body") {
        if (!selected) throw UsageError("--follow body needs --select ID");
        follow = true;
        return;
    }
    const int galaxy = what == "centre" ? kWholeScene : std::atoi(what.c_str()) - 1;
    if (galaxy >= facts.galaxies)
        throw UsageError("--follow " + what + ": expected " +
                         (facts.galaxies == 1 ? std::string("1") : "1 to " + std::to_string(facts.galaxies)) +
                         ", a group of bodies that the scene was built from, or all, centre or body");
    if (galaxy != kWholeScene && !shines(*facts.bodies, galaxy))
        throw UsageError("--follow " + what + ": that galaxy has no body that shines");
    followCentre(galaxy);
}

void Document::followNext() {
    int next = followedCentre ? *followedCentre + 1 : kWholeScene;
    // A scene of one galaxy has one centre, and scenes of single bodies have bodies to follow.
    constexpr int kMostFollowed = 20;
    const bool galaxies = facts.galaxies > 1 && facts.galaxies <= kMostFollowed;
    while (next != kWholeScene && next < facts.galaxies && !shines(*facts.bodies, next)) ++next;
    followCentre(next <= (galaxies ? facts.galaxies - 1 : kWholeScene) ? std::optional(next) : std::nullopt);
    if (!followedCentre)
        say("The camera stays where it is.");
    else if (*followedCentre == kWholeScene)
        say("The camera follows the centre of mass.");
    else
        say("The camera follows galaxy " + std::to_string(*followedCentre + 1) + ".");
}

const ColourMode& Document::shownMode() const {
    const auto modes = colourModes();
    if (colourMode < 0 && facts.scene)
        for (const ColourMode& mode : modes)
            if (mode.name == facts.scene->view.colour) return mode;
    return modes[static_cast<std::size_t>(std::clamp(colourMode, 0, static_cast<int>(modes.size()) - 1))];
}

ValueRange Document::shownRange() const {
    if (&shownMode() == &colourModes().front())
        return {static_cast<double>(look.valueFloor), static_cast<double>(look.valueScale)};
    return facts.colourRange;
}

void Document::bringTrails() {
    if (!ownTrails) return;
    look.trails = facts.configuration.bodies <= kFewBodies ? kUsualTrail : 0;
    trailsBefore = -1;
}

void Document::showFourViews(bool on) {
    if (on == fourViews) return;
    fourViews = on;
    if (on && look.trails == 0 && facts.configuration.bodies <= kMostPaths) {
        trailsBefore = look.trails;
        look.trails = kUsualTrail;
    } else if (!on && trailsBefore >= 0) {
        if (look.trails == kUsualTrail) look.trails = trailsBefore;
        trailsBefore = -1;
    }
}

void Document::fitFourViews() {
    if (!fourViews) return;
    showFourViews(false);
    showFourViews(true);
}

ProfileRequest usualProfile(int galaxies) {
    return {.centre = ProfileCentre::core, .galaxy = haveProfiles(galaxies) ? 0 : -1, .sample = kSampleOfProfiles};
}

DropScene Document::dropScene() const {
    return {.mass = facts.totalMass,
            .bodies = facts.bodies->size(),
            .size = facts.scene->view.distance,
            .speed = facts.scene->view.speedScale,
            .softening = facts.configuration.force.softening,
            .gravity = facts.configuration.force.law == Law::gravity,
            .response = facts.usualResponse};
}

void Document::startDrop(glm::vec2 cursor, glm::vec2 surface) {
    const SurfaceSpot spot = spotAt(cursor, surface);
    dropFrom = cursor - spot.cursor;
    drop.press(spot.camera, spot.cursor, spot.size, dropScene());
}

void Document::moveDrop(glm::vec2 cursor) { drop.move(cursor - dropFrom); }

namespace {

// News stay as long as it takes to read them.
constexpr double kShortest = 6, kSecondsPerLetter = 0.05, kFading = 0.6;  // [s]

double readingTime(const std::string& text) {
    return std::max(kShortest, kSecondsPerLetter * static_cast<double>(text.size()));
}

}  // namespace

bool News::fadeMessage(double seconds) {
    if (message.empty() || warning) return false;
    messageAge += std::max(seconds, 0.0);
    const float light = messageLight();
    if (light <= 0) dismissMessage();
    return light < 1;
}

float News::messageLight() const {
    if (message.empty() || warning) return 1;
    return static_cast<float>(std::clamp((readingTime(message) - messageAge) / kFading, 0.0, 1.0));
}

bool Document::storyEnded() const {
    const double end = facts.scene ? facts.scene->story.time : 0;
    return end > 0 && facts.time >= end && storyRun == facts.bodiesId && storyLeft != facts.bodiesId;
}

const KernelRow& rowOf(const RunFacts& facts, std::string_view term) {
    for (const TermInUse& one : facts.configuration.others())
        if (one.term == term) return termKernel(facts.configuration.backend, term, one.kernel.kernel);
    return *facts.kernel;
}

bool namesAccuracy(const RunFacts& facts) {
    const BackendRow& row = backend(facts.configuration.backend);
    return !row.exact && facts.scene->farField.accuracyOf(facts.configuration.bodies, row.onDevice) > 0;
}

double ownSpeed(const RunFacts& facts) {
    constexpr double kSteps = 30;  // [1/s]
    const double pace = facts.scene->story.pace();
    return pace > 0 ? pace : kSteps * std::abs(facts.configuration.timeStep);
}

// Motion of the camera: by itself, and by pixels of the picture under the cursor.

namespace {

bool near(float a, float b, float scale) { return std::abs(a - b) <= 1e-4f * scale; }

bool alike(const Camera& a, const Camera& b) {
    const float size = std::max(b.distance, 1e-6f);
    return near(a.distance, b.distance, size) && near(a.azimuth, b.azimuth, 1) && near(a.elevation, b.elevation, 1) &&
           near(a.target.x, b.target.x, size) && near(a.target.y, b.target.y, size) && near(a.target.z, b.target.z, size);
}

/// The camera of a picture, at the wanted position instead of the drawn one, which is still moving there.
Camera aimedLike(Camera picture, const Camera& wanted) {
    picture.target = wanted.target;
    picture.distance = wanted.distance;
    return picture;
}

}  // namespace

void Document::turn(double seconds) {
    if (tour.playing) {
        tour.advance(seconds, camera);
        shown = camera;
        gliding = false;
        return;
    }
    if (rotation == 0) return;
    const auto angle = static_cast<float>(rotation * std::clamp(seconds, 0.0, 0.25));
    camera.azimuth = std::remainder(camera.azimuth + angle, 2 * std::numbers::pi_v<float>);
    if (!gliding) shown = camera;
}

void Document::glide(double seconds) {
    if (!gliding && alike(shown, camera)) return;
    constexpr double kTimeConstant = 0.05;  // [s]; below this a drag feels direct, above it feels like rubber
    const auto part = static_cast<float>(1 - std::exp(-std::max(seconds, 0.0) / kTimeConstant));
    shown.distance *= std::pow(camera.distance / shown.distance, part);
    shown.azimuth += part * std::remainder(camera.azimuth - shown.azimuth, 6.2831853f);
    shown.elevation += part * (camera.elevation - shown.elevation);
    shown.target += part * (camera.target - shown.target);
    shown.fieldOfView = camera.fieldOfView;
    shown.orthographic = camera.orthographic;
    gliding = !alike(shown, camera);
    if (!gliding) shown = camera;
}

void Document::aimAt(glm::vec3 target) {
    const glm::vec3 way = target - camera.target;
    camera.target += way;
    shown.target += way;
}

Document::SurfaceSpot Document::spotAt(glm::vec2 cursor, glm::vec2 surface) const {
    const auto pictures = viewports(*this, static_cast<int>(surface.x), static_cast<int>(surface.y), free);
    const Viewport& view = viewportAt(pictures, cursor);
    Camera framed = view.camera;
    framed.part = Camera{}.part;  // cursor and size are those of its frame
    return {cursor - view.frameCorner(), view.frameSize(), framed, view.run};
}

void Document::zoomAt(float steps, glm::vec2 cursor, glm::vec2 surface) {
    frameAll = false;
    const SurfaceSpot spot = spotAt(cursor, surface);
    if (fourViewed()) {
        Camera moved = aimedLike(spot.camera, camera);
        moved.zoom(steps, spot.cursor, spot.size);
        camera.target = moved.target;
        camera.distance = moved.distance;
        return;
    }
    const float stretch = spot.camera.distance / drawnCamera().distance;
    // In a stretched picture the camera needs the unstretched size of the surface.
    const glm::vec2 seen = spot.size / stretch;
    camera.zoom(steps, spot.cursor - 0.5f * spot.size + 0.5f * seen, seen);
}

void Document::panBy(glm::vec2 pixels, glm::vec2 cursor, glm::vec2 surface) {
    frameAll = false;
    const SurfaceSpot spot = spotAt(cursor, surface);
    if (fourViewed()) {
        Camera moved = aimedLike(spot.camera, camera);
        moved.pan(pixels, spot.size);
        camera.target = moved.target;
        return;
    }
    camera.pan(pixels, spot.size * (drawnCamera().distance / spot.camera.distance));
}

void Document::centreOn(glm::vec2 cursor, glm::vec2 surface) {
    const SurfaceSpot spot = spotAt(cursor, surface);
    panBy(0.5f * spot.size - spot.cursor, cursor, surface);
}

// The search of a body by its name.

namespace {

bool isThere(const RunFacts& facts, std::uint32_t id) {
    return std::ranges::find(facts.bodies->id, id) != facts.bodies->id.end();
}

std::string listed(const std::vector<BodyNames::Row>& rows) { return joined(rows, &BodyNames::Row::name); }

}  // namespace

std::uint32_t bodyCalled(const Document& document, const std::string& text) {
    const RunFacts& facts = document.facts;
    constexpr std::size_t kMost = 64, kShown = 6;
    std::vector<BodyNames::Row> found = facts.names->matching(text, kMost);
    std::erase_if(found, [&](const BodyNames::Row& row) { return !isThere(facts, row.id); });
    const auto exact = [&](const BodyNames::Row& row) { return row.name.size() == trimmed(text).size(); };
    if (!found.empty() && (exact(found.front()) || found.size() == 1)) return found.front().id;
    if (const std::optional<std::uint32_t> id = numberFrom<std::uint32_t>(trimmed(text))) return *id;
    const std::string shown = "'" + printable(text.substr(0, 2 * BodyNames::kMostBytes)) + "'";
    if (!found.empty()) {
        const std::size_t all = found.size();
        found.resize(std::min(all, kShown));
        throw UsageError(shown + " may be " + listed(found) + (all > kShown ? ", ..." : "") +
                         "; give a longer part of the name");
    }
    if (facts.names->empty())
        throw UsageError("no body is called " + shown + ": those of this run have no names; give a number");
    std::vector<BodyNames::Row> some;
    for (std::size_t i = 0; i < std::min(facts.names->size(), kShown); ++i) some.push_back(facts.names->row(i));
    throw UsageError("no body is called " + shown + "; there are " + listed(some) +
                     (facts.names->size() > kShown ? ", ..." : ""));
}

}  // namespace gravlab
