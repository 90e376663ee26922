// How bodies look.
#include "app/control/parameter_rows.h"
#include "app/model/look.h"
#include "render/colour_map.h"
#include "sim/backends/backend.h"

#include <algorithm>

namespace gravlab {
namespace {

using namespace rows;

Look& look(Document& d) { return d.look; }

Parameter light(Parameter row, float Look::*at) {
    return withMember(
        std::move(row), [at](Document & d) -> auto& { return look(d).*at; });
}
Parameter lookFlag(Parameter row, bool Look::*at) {
    row.kind = Kind::flag;
    row.usual = "false";
    return withMember(
        std::move(row), [at](Document & d) -> auto& { return look(d).*at; });
}

/// A row of a table that the document holds the place of.
template <class Table, class At, class Take>
Parameter ofTable(Parameter row, Table table, At at, Take take) {
    row.kind = Kind::choice;
    row.choices = [table] { return namesOf(table()); };
    row.offers = [table, at](const Document& d) {
        const auto all = table();
        return offersOf(all, all[static_cast<std::size_t>(at(d)) % all.size()].name);
    };
    row.get = [table, at](const Document& d) -> Value {
        const auto all = table();
        return std::string(all[static_cast<std::size_t>(at(d)) % all.size()].name);
    };
    row.set = [table, take](Document& d, const Value& v) {
        const auto all = table();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].name == textOf(v)) take(d, i);
    };
    return row;
}

}  // namespace

std::vector<Parameter> lookParameters() {
    std::vector<Parameter> all;
    all.push_back(ofTable(
        {.path = "look.colour_mode",
         .label = "Colour by",
         .idea = "what the colour of a body says",
         .usual = "(the scene's own)",
         .otherwise = "auto",
         .kept = {.option = "--colour", .scene = "view.colour", .configuration = "look.colour", .alias = "--color"},
         .noun = "colour mode"},
        colourModes, [](const Document& d) { return &d.shownMode() - colourModes().data(); },
        [](Document& d, std::size_t i) { d.colourMode = static_cast<int>(i); }));
    all.back().asked = [named = all.back().get](const Document& d) {
        return d.colourMode < 0 ? Value(std::string("auto")) : named(d);
    };
    all.back().set = [named = all.back().set](Document& d, const Value& v) {
        if (isAuto(v))
            d.colourMode = -1;
        else
            named(d, v);
    };
    all.push_back(ofTable(
        {.path = "look.colour_map",
         .label = "Colours",
         .idea = "colour map, low to high",
         .usual = "glow",
         .kept = {.option = "--map", .scene = "view.map", .configuration = "look.map"},
         .noun = "colour map"},
        colourMaps, [](const Document& d) { return std::max(d.look.colourMap, 0); },
        [](Document& d, std::size_t i) { look(d).colourMap = static_cast<int>(i); }));
    all.push_back(ofTable(
        {.path = "look.tone",
         .label = "Tone",
         .idea = "how light becomes what the screen shows",
         .usual = "auto",
         .kept = {.option = "--tone", .scene = "view.tone", .configuration = "look.tone"},
         .noun = "tone curve"},
        toneCurves, [](const Document& d) { return d.look.tone; },
        [](Document& d, std::size_t i) { look(d).tone = toneCurves()[i].curve; }));
    all.push_back(light({.path = "look.exposure",
                         .label = "Exposure",
                         .idea = "how bright the picture is",
                         .bounds = {.least = 0, .aboveLeast = true},
                         .usual = "1",
                         .dragged = {.format = "%.3g"},
                         .kept = {.option = "--exposure", .scene = "view.exposure"}},
                        &Look::exposure));
    all.push_back(lookFlag(
        {.path = "look.auto_exposure",
         .label = "Auto exposure",
         .idea = "brightness follows the picture",
         .kept = {.option = "--auto-exposure", .scene = "view.auto_exposure", .configuration = "look.auto_exposure"}},
        &Look::autoExposure));
    all.push_back(light({.path = "look.glow",
                         .label = "Glow",
                         .idea = "part of the light that spreads around bright places; 0 is off",
                         .bounds = {.least = 0, .most = 1},
                         .usual = "0.3",
                         .dragged = {.speed = 0, .floor = 0.005, .format = "%.2f"},
                         .kept = {.option = "--glow", .scene = "view.glow", .configuration = "look.glow"}},
                        &Look::bloom));
    all.push_back(light({.path = "look.body_size",
                         .label = "Body size",
                         .idea = "radius of a body as drawn",
                         .unit = "L",
                         .bounds = {.least = 0, .aboveLeast = true},
                         .usual = "(the scene's own)",
                         .dragged = {.floor = 1e-6, .format = "%.3g"},
                         .kept = {.option = "--body-size", .scene = "view.body_size"}},
                        &Look::pointSize));
    all.push_back(light({.path = "look.top_speed",
                         .label = "Top speed",
                         .idea = "the speed at the end of the colour map",
                         .unit = "L/T",
                         .bounds = {.least = 0, .aboveLeast = true},
                         .usual = "(the scene's own)",
                         .dragged = {.floor = 1e-6, .format = "%.3g"},
                         .kept = {.option = "--top-speed", .scene = "view.top_speed"}},
                        &Look::valueScale));
    all.push_back(light({.path = "look.dark_matter",
                         .label = "Dark matter",
                         .idea = "brightness of the bodies of dark haloes; 0 hides them, and they pull all the same",
                         .bounds = {.least = 0},
                         .usual = "0.03",
                         .dragged = {.floor = 0.002, .format = "%.3g"},
                         .kept = {.option = "--dark-matter", .scene = "view.dark_matter"}},
                        &Look::darkLight));
    const auto layer = [&](Parameter row, float Photograph::*at) {
        row.bounds = {.least = 0, .most = 10};
        row.usual = "1";
        row.dragged = {.floor = 0.005, .format = "%.2f"};
        all.push_back(withMember(
            std::move(row), [at](Document & d) -> auto& { return look(d).photograph.*at; }));
    };
    layer({.path = "look.dust",
           .label = "Dust",
           .idea = "what the dust of discs takes away in a photograph; 0 is none",
           .kept = {.option = "--dust", .scene = "view.dust"}},
          &Photograph::dust);
    layer({.path = "look.gas",
           .label = "Gas",
           .idea = "light of gas around young stars in a photograph; 0 is none",
           .kept = {.option = "--gas", .scene = "view.gas"}},
          &Photograph::gas);
    layer({.path = "look.sky",
           .label = "Sky",
           .idea = "light of stars and galaxies far behind a photograph; 0 is none",
           .kept = {.option = "--sky", .scene = "view.sky"}},
          &Photograph::sky);
    all.push_back(lookFlag({.path = "look.white_page",
                            .label = "White page",
                            .idea = "dark bodies on white, for print and projectors",
                            .kept = {.option = "--paper", .scene = "view.paper", .configuration = "look.paper"}},
                           &Look::paper));
    all.push_back(withMember(
        {.path = "look.trails",
         .label = "Trails",
         .idea =
             "frames that the line behind each body goes back; where a window makes many steps a frame for few bodies, of "
             "several points each; 0 is none",
         .kind = Kind::integer,
         .bounds = {.least = 0, .most = 100000},
         .usual = "(0; 400 in a window for scenes of up to 100 bodies)",
         .dragged = {.floor = 0.3, .format = "%.0f"},
         .kept = {.option = "--trails", .scene = "view.trails", .placeholder = "POINTS"}},
        [](Document & d) -> auto& { return look(d).trails; }));
    all.back().set = [trails = all.back().set](Document& d, const Value& v) {
        trails(d, v);
        d.ownTrails = false;
    };
    all.push_back(light({.path = "look.trail_light",
                         .label = "Trail light",
                         .idea = "brightness of the trails",
                         .bounds = {.least = 0, .aboveLeast = true},
                         .usual = "1",
                         .dragged = {.format = "%.3g"}},
                        &Look::trailLight));
    all.push_back(ofTable(
        {.path = "look.splat",
         .label = "Drawing",
         .idea = "how bodies become a picture; auto takes the faster way as measured here",
         .usual = "(auto; films: raster)",
         .kept = {.option = "--splat"},
         .noun = "way to draw bodies"},
        drawMethodRows,
        [](const Document& d) {
            const auto rows = drawMethodRows();
            return std::find_if(rows.begin(), rows.end(), [&](auto& row) { return row.wish == d.splat; }) - rows.begin();
        },
        [](Document& d, std::size_t i) { d.splat = drawMethodRows()[i].wish; }));
    all.push_back(withMember(
        {.path = "look.hold_rate",
         .label = "Hold 30 frames/s",
         .idea = "lower the look of a window while the machine is too slow for it, glow and sharpness first; the line at "
                 "the bottom says what is lowered",
         .kind = Kind::flag,
         .usual = "true",
         .kept = {.option = "--full-quality",
                  .help = "keep the full look where 30 frames/s cannot be held with it",
                  .window = true}},
        [](Document & d) -> auto& { return d.holdRate; }));
    all.push_back(withMember(
        {.path = "look.copy_vertices",
         .label = "Copy vertices",
         .idea = "bodies reach the picture by a copy through the host, once a frame, though the kernel could store them "
                 "straight into OpenGL's buffer",
         .term =
             "What a program does where CUDA and OpenGL share no memory: down to the host and up again. Of the time of a "
             "frame the way down is the part 'copied', which else is 'publish'; the way up is in 'other'.",
         .kind = Kind::flag,
         .usual = "false",
         .kept = {.option = "--copy-vertices"},
         .unavailable = [](const Document& d) -> Reason {
             return backend(d.facts.kernel->backend).onDevice ? Reason() : "The bodies are in the host's memory already.";
         }},
        [](Document & d) -> auto& { return d.copyVertices; }));
    all.push_back(fact({.path = "look.quality",
                        .label = "Quality",
                        .idea = "what is lowered to hold the rate",
                        .kind = Kind::text,
                        .measured = true},
                       [](const Document& d) -> Value { return d.facts.quality; }));
    all.push_back(fact(
        {.path = "look.draw_path", .label = "Draw path", .idea = "how bodies become a picture and why", .kind = Kind::text},
        [](const Document& d) -> Value { return d.facts.drawMethod; }));
    return all;
}

}  // namespace gravlab
