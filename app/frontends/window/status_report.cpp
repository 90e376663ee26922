// One JSON object a frame, under a temporary name first so that a reader never sees half of it.
#include "app/frontends/window/status_report.h"

#include "app/model/camera_path.h"
#include "app/model/launch.h"
#include "app/model/look.h"
#include "app/services/adaptive_quality.h"
#include "app/services/instruments.h"
#include "app/services/rewind.h"
#include "app/services/trajectory_prediction.h"
#include "app/services/twin.h"
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

nlohmann::ordered_json rewindFacts(const Workspace& workspace) {
    const Rewind* history = workspace.host.history();
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

void StatusReport::write(const Workspace& workspace, const Ui& ui, std::int64_t frame, int width, int height) const {
    if (!on()) return;
    const Facts& facts = workspace.facts;
    const RunConfiguration& s = facts.configuration;
    nlohmann::ordered_json items = nlohmann::ordered_json::object();
    for (const UiItem& item : ui.items())
        items[item.name] = {{"rect", {item.left, item.top, item.right, item.bottom}}, {"enabled", item.enabled}};
    const Camera& camera = workspace.camera;
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
        {"draw_path", facts.drawMethod},
        {"quality", workspace.facts.quality},
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
        {"steps_per_frame", workspace.intent.stepsPerFrame},
        {"time_budget_ms", workspace.intent.timeBudgetMs},
        {"paused", workspace.intent.paused},
        {"time", facts.time},
        {"step", facts.step},
        {"check", !facts.check          ? "pending"
                  : facts.check->passed ? "passed"
                                        : "failed"},
        {"interactions_per_second", workspace.telemetry.interactionsPerSecond},
        {"frames_per_second", workspace.telemetry.framesPerSecond},
        {"frame_ms", workspace.telemetry.frameMilliseconds},
        {"message", workspace.message},
        {"conservation",
         {{"shown", ui.state.conservation},
          {"points", workspace.conservation.points().size()},
          {"marks", workspace.conservation.marks().size()},
          {"worst", workspace.conservation.worstChange()}}},
        {"instruments",
         {{"shown", ui.state.instruments},
          {"bodies", workspace.instruments.profile() ? workspace.instruments.profile()->bodies : 0},
          {"looked", workspace.instruments.profile() ? workspace.instruments.profile()->sampled : 0},
          {"rings", workspace.instruments.profile() ? workspace.instruments.profile()->rings.size() : 0},
          {"step", workspace.instruments.step()},
          {"busy", workspace.instruments.busy()}}},
        {"four_views", workspace.fourViewed()},
        {"inner_step", facts.innerStep},
        {"rewind", rewindFacts(workspace)},
        {"film",
         {{"active", ui.state.film.active},
          {"shown", ui.state.film.shown},
          {"frames", ui.state.film.frames},
          {"file", ui.state.film.file}}},
        {"tour", workspace.tour.playing},
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
        {"moving", workspace.moving()},
        {"rotation", workspace.rotation},
        {"orthographic", workspace.camera.orthographic},
        {"tone", toneCurves()[static_cast<std::size_t>(workspace.look.tone)].name},
        {"views",
         std::count_if(workspace.views.begin(), workspace.views.end(), [](const auto& view) { return view.has_value(); })},
        {"vsync", ui.state.vsync},
        {"gl_watched", (contextFlags & GL_CONTEXT_FLAG_DEBUG_BIT) != 0},
        {"gl_errors", glErrorCount()},
        {"camera",
         {{"distance", camera.distance},
          {"azimuth", camera.azimuth},
          {"elevation", camera.elevation},
          {"target", {camera.target.x, camera.target.y, camera.target.z}}}},
        {"exposure", workspace.look.exposure},
        {"colour_map", workspace.look.colourMap},
        {"lab",
         {{"open", workspace.labPanel.open},
          {"busy", workspace.lab.busy()},
          {"progress", workspace.lab.progress()},
          {"points", workspace.lab.results().size()},
          {"status", workspace.lab.status()}}},
        {"colour_mode", workspace.shownMode().name},
        {"overlay", overlayText(workspace.overlay)},
        {"paper", workspace.look.paper},
        {"selected", workspace.selected ? nlohmann::ordered_json(workspace.selected->id) : nlohmann::ordered_json()},
        {"follow_centre",
         workspace.followedCentre ? nlohmann::ordered_json(*workspace.followedCentre) : nlohmann::ordered_json()},
        {"held", workspace.facts.held.size()},
        {"ahead", workspace.ahead.wanted},
        {"path", workspace.trajectory.path().points.size()},
        {"launch",
         {{"on", workspace.drop.on},
          {"row", workspace.drop.row},
          {"dragging", workspace.drop.dragging()},
          {"path", workspace.dropPath.path().points.size()}}},
        {"follow", workspace.follow},
        {"trails", workspace.look.trails},
        {"auto_exposure", workspace.look.autoExposure},
        {"items", items},
    };
    const Twin& twin = workspace.host.twin();
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
