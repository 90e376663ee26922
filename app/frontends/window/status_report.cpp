// One JSON object per frame: the values of parameters by their paths, and data that only a window has.
#include "app/frontends/window/status_report.h"
#include "app/parameters/twin_settings.h"

#include "app/control/json_value.h"
#include "app/parameters/parameter.h"
#include "app/runs/history.h"
#include "app/runs/twin.h"
#include "render/gl_objects.h"
#include "sim/forces/precision.h"
#include "sim/io/file/atomic_file.h"

#include <cstdlib>

namespace gravlab {
namespace {

nlohmann::ordered_json rewindFacts(const RunHost& runs) {
    const History* history = runs.history();
    if (!history) return nullptr;
    nlohmann::ordered_json steps = nlohmann::ordered_json::array(), other = steps;
    for (const HistoryMark& mark : history->marks()) (mark.other ? other : steps).push_back(mark.step);
    return {{"steps", steps}, {"other", other}};
}

}  // namespace

StatusReport::StatusReport() {
    if (const char* path = std::getenv("GRAVLAB_STATUS_FILE")) path_ = path;
}

void StatusReport::write(const App& app, const Ui& ui, std::int64_t frame, int width, int height, bool rests) const {
    if (!on()) return;
    nlohmann::ordered_json json{{"frame", frame}, {"width", width}, {"height", height}};
    for (const Parameter& row : parameters()) json[row.path] = jsonValue(row.get(app.document));
    const auto& newest = app.services.instruments.newest();
    GLint contextFlags = 0;
    glGetIntegerv(GL_CONTEXT_FLAGS, &contextFlags);
    json["colour_map"] = app.document.look.colourMap;
    json["four_views"] = app.document.fourViewed();
    json["selected"] = nullptr;
    if (app.document.selected) json["selected"] = app.document.selected->id;
    json["follow"] = app.document.follow;
    json["follow_centre"] = nullptr;
    if (app.document.followedCentre) json["follow_centre"] = *app.document.followedCentre;
    json["rewind"] = rewindFacts(app.runs);
    json["conservation"]["points"] = app.services.conservation.points().size();
    json["instruments"].update({{"bodies", newest ? newest->profile.bodies : 0},
                                {"rings", newest ? newest->profile.rings.size() : 0},
                                {"step", newest ? newest->step : 0},
                                {"busy", app.services.instruments.busy()}});
    json["files"].update({{"busy", ui.state.files.busy}, {"recover", ui.state.files.recover}});
    json["lab"].update({{"progress", app.services.lab.progress()}, {"points", app.services.lab.results().size()}});
    json["navigating"] = ui.navigates();
    json["typing"] = ui.wantsKeyboard();
    json["menu"] = ui.hasPopup();
    json["moving"] = app.moving();
    json["rests"] = rests;
    json["gl_watched"] = (contextFlags & GL_CONTEXT_FLAG_DEBUG_BIT) != 0;
    json["gl_errors"] = glErrorCount();
    json["items"] = nlohmann::ordered_json::object();
    for (const UiItem& item : ui.items())
        json["items"][item.name] = {{"rect", {item.left, item.top, item.right, item.bottom}}, {"enabled", item.enabled}};
    const Twin& twin = app.runs.twin();
    json["twin"] = {{"on", twin.on()}, {"view", twinViews()[static_cast<std::size_t>(twin.choice().view)].name}};
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
    // One report among thousands: the write need not be synchronised with the disk.
    writeFileAtomically(path_, jsonLine(json), {.durable = false});
}

}  // namespace gravlab
