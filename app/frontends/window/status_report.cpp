// One JSON object a frame, under a temporary name first so that a reader never sees half of it.
#include "app/frontends/window/status_report.h"

#include "app/model/camera_path.h"
#include "app/model/launch.h"
#include "app/model/look.h"
#include "app/services/instruments.h"
#include "app/services/quality_ladder.h"
#include "app/services/rewind.h"
#include "app/services/trajectory_prediction.h"
#include "app/session/twin.h"
#include "app/view/four_view.h"
#include "render/gl_objects.h"
#include "sim/core/error.h"
#include "sim/forces/law.h"
#include "sim/forces/precision.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace gravlab {
namespace {

nlohmann::ordered_json rewindFacts(const Session& session) {
    const Rewind* history = session.history();
    if (!history) return nullptr;
    nlohmann::ordered_json steps = nlohmann::ordered_json::array(), other = steps;
    for (const RewindMark& mark : history->marks()) (mark.other ? other : steps).push_back(mark.step);
    return {{"steps", steps}, {"other", other}, {"bytes", history->bytes()}, {"why", history->why()}};
}

}  // namespace

StatusReport::StatusReport() {
    if (const char* path = std::getenv("GRAVLAB_STATUS_FILE")) path_ = path;
    temporary_ = path_ + ".part" + std::to_string(getpid());
}

void StatusReport::write(const Session& session, const Ui& ui, std::int64_t frame, int width, int height) const {
    if (!on()) return;
    const Facts& facts = session.facts();
    const RunConfiguration& s = facts.configuration;
    nlohmann::ordered_json items = nlohmann::ordered_json::object();
    for (const UiItem& item : ui.items())
        items[item.name] = {{"rect", {item.left, item.top, item.right, item.bottom}}, {"enabled", item.enabled}};
    const Camera& camera = session.camera;
    GLint contextFlags = 0;
    glGetIntegerv(GL_CONTEXT_FLAGS, &contextFlags);
    nlohmann::ordered_json json{
        {"frame", frame},
        {"width", width},
        {"height", height},
        {"scene", s.scene},
        {"bodies", s.bodies},
        {"seed", s.seed},
        {"backend", s.backend},
        {"backend_why", facts.backendWhy},
        {"vertex_path", facts.vertexPath},
        {"draw_path", facts.drawPath},
        {"quality", session.quality->text()},
        {"kernel", s.kernel.kernel},
        {"block", s.kernel.launch.block},
        {"unroll", s.kernel.launch.unroll},
        {"integrator", s.integrator},
        {"time_step", s.timeStep},
        {"softening", s.force.softening},
        {"law", lawRow(s.force.law).name},
        {"exponent", s.force.exponent},
        {"strength", s.force.strength},
        {"diameter", s.force.diameter},
        {"cut_off", s.force.cutOff},
        {"precision", nameOf(s.force.precision)},
        {"steps_per_frame", session.intent.stepsPerFrame},
        {"time_budget_ms", session.intent.timeBudgetMs},
        {"paused", session.intent.paused},
        {"time", facts.time},
        {"step", facts.step},
        {"check", !facts.check          ? "pending"
                  : facts.check->passed ? "passed"
                                        : "failed"},
        {"interactions_per_second", session.telemetry.interactionsPerSecond},
        {"frames_per_second", session.telemetry.framesPerSecond},
        {"frame_ms", session.telemetry.frameMilliseconds},
        {"message", session.message()},
        {"conservation",
         {{"shown", ui.state.conservation},
          {"points", session.conservation.points().size()},
          {"marks", session.conservation.marks().size()},
          {"worst", session.conservation.worstChange()}}},
        {"instruments",
         {{"shown", ui.state.instruments},
          {"bodies", session.instruments->profile() ? session.instruments->profile()->bodies : 0},
          {"looked", session.instruments->profile() ? session.instruments->profile()->sampled : 0},
          {"rings", session.instruments->profile() ? session.instruments->profile()->rings.size() : 0},
          {"step", session.instruments->step()},
          {"busy", session.instruments->busy()}}},
        {"four_views", session.fourViewed()},
        {"inner_step", facts.innerStep},
        {"rewind", rewindFacts(session)},
        {"film",
         {{"active", ui.state.film.active},
          {"shown", ui.state.film.shown},
          {"frames", ui.state.film.frames},
          {"file", ui.state.film.file}}},
        {"tour", session.tour->playing},
        {"help", ui.state.help},
        {"files",
         {{"shown", ui.state.files.shown},
          {"entries", ui.state.files.entries.size()},
          {"busy", ui.state.files.busy},
          {"recover", ui.state.files.recover}}},
        {"panel", ui.state.panel},
        {"visible", ui.state.visible},
        {"fullscreen", ui.state.fullscreen},
        {"projector", ui.state.projector},
        {"text_scale", ui.state.textScale},
        {"navigating", ui.navigates()},
        {"menu", ui.hasPopup()},
        {"moving", session.moving()},
        {"rotation", session.rotation},
        {"orthographic", session.camera.orthographic},
        {"tone", toneCurves()[static_cast<std::size_t>(session.look.tone)].name},
        {"views",
         std::count_if(session.views.begin(), session.views.end(), [](const auto& view) { return view.has_value(); })},
        {"vsync", ui.state.vsync},
        {"gl_watched", (contextFlags & GL_CONTEXT_FLAG_DEBUG_BIT) != 0},
        {"gl_errors", glErrorCount()},
        {"camera",
         {{"distance", camera.distance},
          {"azimuth", camera.azimuth},
          {"elevation", camera.elevation},
          {"target", {camera.target.x, camera.target.y, camera.target.z}}}},
        {"exposure", session.look.exposure},
        {"colour_map", session.look.colourMap},
        {"lab",
         {{"open", session.lab.open},
          {"busy", session.lab.busy()},
          {"progress", session.lab.progress()},
          {"points", session.lab.results().size()},
          {"status", session.lab.status()}}},
        {"colour_mode", session.shownMode().name},
        {"overlay", overlayText(session.overlay)},
        {"paper", session.look.paper},
        {"selected", session.selected() ? nlohmann::ordered_json(session.selected()->id) : nlohmann::ordered_json()},
        {"follow_centre",
         session.followedCentre() ? nlohmann::ordered_json(*session.followedCentre()) : nlohmann::ordered_json()},
        {"held", session.heldBodies().size()},
        {"ahead", session.orbit().wanted},
        {"path", session.orbit().path().points.size()},
        {"launch",
         {{"on", session.launch().on},
          {"row", session.launch().row},
          {"dragging", session.launch().dragging()},
          {"path", session.launchPath().path().points.size()}}},
        {"follow", session.follow},
        {"trails", session.look.trails},
        {"auto_exposure", session.look.autoExposure},
        {"items", items},
    };
    const Twin& twin = session.twin();
    json["twin"] = {{"on", twin.on()}, {"view", twinViews()[static_cast<std::size_t>(twin.choice().view)]}};
    if (twin.on()) {
        const RunConfiguration& other = twin.simulation().configuration();
        const auto points = twin.watch().curve().points();
        json["twin"].update({{"integrator", other.integrator},
                             {"time_step", other.timeStep},
                             {"softening", other.force.softening},
                             {"precision", nameOf(other.force.precision)},
                             {"bodies", other.bodies},
                             {"time", twin.simulation().time()},
                             {"step", twin.simulation().step()},
                             {"first_label", twin.labels().first},
                             {"label", twin.labels().second},
                             {"points", points.size()},
                             {"apart", points.empty() ? 0.0 : points.back().apart.rms}});
    }
    std::ofstream file(temporary_);
    file << json;
    file.close();
    if (!file || std::rename(temporary_.c_str(), path_.c_str()) != 0)
        throw IoError("cannot write the status file " + path_ + " (named by GRAVLAB_STATUS_FILE)");
}

}  // namespace gravlab
