#include "app/commands/option_groups.h"

#include "app/files/scene_data.h"
#include "app/parameters/quantity.h"
#include "app/parameters/twin_settings.h"
#include "sim/core/names.h"
#include "sim/io/formats/units.h"

#include <algorithm>
#include <tuple>

namespace gravlab {

void addReading(OptionRows& rows, const std::string& every) {
    ReadOptions& r = rows.start().read;
    rows.text("--columns", "LIST", r.columns,
              "columns of a table: x,y,z,vx,vy,vz,m,id,group; '-' skips one [the file's header]");
    rows.rowOf("--units", "NAME", r.units, unitSystem,
               "units of the file: nbody, solar, solar-day, cluster, galactic, gadget, si, cgs [the file's own, or G = 1]")
        .excludes("--G");
    rows.read("--G", "VALUE", r.gravity, parsePositive, "constant of gravity in the file's units");
    rows.read("--hubble", "NAME", r.ignoreHubble, ignoresHubble,
              "HubbleParam of a Gadget file: apply, lengths and masses are in units over h, or ignore it [apply]");
    rows.flag("--sanitize", r.sanitize, "leave out bodies with bad values instead of refusing the file");
    rows.read("--region", "X0:X1,Y0:Y1,Z0:Z1", r.part.region, parsedRegion,
              "read only the bodies in that box, in the file's numbers; an empty end is open: -5:5,:,0:");
    rows.whole(every, "COUNT", r.part.every, 1, kAnyCount,
               "read one body of each COUNT: the first, the one COUNT places later, and so on [1]");
}

void addScene(OptionRows& rows, const std::string& fallback, const std::string& orFile) {
    std::string& scene = rows.start().simulation.scene = fallback;
    rows.word("SCENE", scene, "starting state, see 'gravlab list scenes'" + orFile + " [" + fallback + "]");
}

void addSceneOrFile(OptionRows& rows, const std::string& fallback, const std::string& every) {
    addScene(rows, fallback, ", or a FILE with bodies");
    addReading(rows, every);
}

void addBonds(OptionRows& rows) {
    rows.text("--bonds", "FILE", rows.start().read.bonds,
              "a table of bonds between the bodies of a file, by their ids: i,j,length,stiffness,damping,breaking,law");
}

OptionRows::Row addKernelList(OptionRows& rows, std::vector<std::string>& kernels, const std::string& help) {
    return rows.list(
        "--kernel", "LIST", [&kernels](auto&, auto& texts) { kernels = texts; }, help);
}

void addSet(OptionRows& rows) {
    rows.pairs("--set", rows.start().simulation.parameters, "toomre-q=1.5",
               "a number of the scene, see 'gravlab list scenes'; may be given several times");
}

void addRun(OptionRows& rows) {
    rows.ofAll([](const Parameter& row) { return row.ask != nullptr; });
    addSet(rows);
}

void addPhysics(OptionRows& rows, std::initializer_list<std::string_view> without) {
    rows.ofAll([&](const Parameter& row) {
        return row.ask && !row.storedAs.scene.empty() && row.path != "run.precision" && row.path != "run.accuracy" &&
               std::ranges::find(without, row.path) == without.end();
    });
    addSet(rows);
}

void addTwin(OptionRows& rows, bool picture) {
    StartOptions& start = rows.start();
    const std::string others = joined(twinKeys(), [](std::string_view key) {
        return key != "integrator" && key != "time_step" ? key : std::string_view();
    });
    rows.value(
        "--twin", "LIST",
        [&start](auto&, auto& text) {
            const TwinView view = start.twin.view;
            start.twin = parseTwin(text, &start);
            start.twin.view = view;
        },
        "run the same start a second time in other settings, such as \"integrator=euler,dt=0.05\"; also " + others);
    if (!picture) return;
    rows.read(
        "--twin-view", "NAME", start.twin.view, [](auto&, auto& text) { return twinView(text); },
        "how both share the picture: side or overlay [side]");
}

void addPicture(OptionRows& rows, PictureOptions& picture, bool window, const std::string& needs) {
    rows.value(
        "--size", "WxH",
        [&picture](auto& name, auto& text) { std::tie(picture.width, picture.height) = parseSize(name, text); },
        "pixels [1280x720]");
    const auto wanted = [&](const Parameter& row) {
        const bool run = row.ask || row.path.starts_with("scene.") || row.path.starts_with("twin.");
        return !run && (window || !row.storedAs.window);
    };
    rows.ofAll(wanted, needs);
    rows.flag("--path", rows.start().flyPath, "fly along the scene file's camera path; render: --frames is then its length");
}

void addFrames(OptionRows& rows, PictureOptions& picture) {
    rows.whole("--frames", "COUNT", picture.frames, 1, kAnyCount, "stop after this many frames");
    rows.of("window.text_scale", "--ui-scale", "FACTOR", picture.uiScale,
            "size of the panel's text, 0.5 to 4 [from the display]");
}

}  // namespace gravlab
