// The look of the bodies.
#include "app/model/look.h"
#include "app/parameters/parameter_rows.h"
#include "render/colour_map.h"
#include "sim/backends/backend.h"

namespace gravlab {
namespace {

using namespace rows;

template <auto member>
constexpr auto inLook = at<&Document::look, member>;
template <auto member>
constexpr auto inPhotograph = at<&Document::look, &Look::photograph, member>;

constexpr Bounds kAboveZero{.least = 0, .aboveLeast = true};

}  // namespace

std::vector<Parameter> lookParameters() {
    Rows rows;
    rows.choice(
        "look.colour_mode", "Colour by", "what the colour of a body says", "(the scene's own)", colourModes,
        at<&Document::colourMode>,
        {.specialValue = "auto",
         .storedAs = {.option = "--colour", .scene = "view.colour", .configuration = "look.colour", .alias = "--color"},
         .noun = "colour mode",
         .get = [](const Document& d) -> Value { return std::string(d.shownMode().name); },
         .requested = [](const Document& d) -> Value { return std::string(d.colourMode < 0 ? "auto" : d.shownMode().name); },
         .set =
             [](Document& d, const Value& v) {
                 d.colourMode = isAuto(v) ? -1 : static_cast<int>(placeIn(colourModes(), textOf(v)));
             }});
    rows.choice("look.colour_map", "Colours", "colour map, low to high", "glow", colourMaps, inLook<&Look::colourMap>,
                {.storedAs = {.option = "--map", .scene = "view.map", .configuration = "look.map"},
                 .noun = "colour map",
                 .get = [](const Document& d) -> Value {
                     return std::string(colourMaps()[static_cast<std::size_t>(std::max(d.look.colourMap, 0))].name);
                 }});
    rows.choice(
        "look.tone", "Tone", "how light becomes what the screen shows", "auto", toneCurves, inLook<&Look::tone>,
        {.storedAs = {.option = "--tone", .scene = "view.tone", .configuration = "look.tone"}, .noun = "tone curve"});
    rows.member("look.exposure", "Exposure", "how bright the picture is", "1", inLook<&Look::exposure>,
                {.bounds = kAboveZero,
                 .dragged = {.format = "%.3g"},
                 .storedAs = {.option = "--exposure", .scene = "view.exposure"}});
    rows.member(
        "look.auto_exposure", "Auto exposure", "brightness follows the picture", "", inLook<&Look::autoExposure>,
        {.storedAs = {.option = "--auto-exposure", .scene = "view.auto_exposure", .configuration = "look.auto_exposure"}});
    rows.member("look.glow", "Glow", "part of the light that spreads around bright places; 0 is off", "0.3",
                inLook<&Look::bloom>,
                {.bounds = {.least = 0, .most = 1},
                 .dragged = {.speed = 0, .floor = 0.005, .format = "%.2f"},
                 .storedAs = {.option = "--glow", .scene = "view.glow", .configuration = "look.glow"}});
    rows.member("look.body_size", "Body size", "radius of a body as drawn", "(the scene's own)", inLook<&Look::pointSize>,
                {.unit = "L",
                 .bounds = kAboveZero,
                 .dragged = {.floor = 1e-6, .format = "%.3g"},
                 .storedAs = {.option = "--body-size", .scene = "view.body_size"}});
    rows.member("look.top_speed", "Top speed", "the speed at the end of the colour map", "(the scene's own)",
                inLook<&Look::valueScale>,
                {.unit = "L/T",
                 .bounds = kAboveZero,
                 .dragged = {.floor = 1e-6, .format = "%.3g"},
                 .storedAs = {.option = "--top-speed", .scene = "view.top_speed"}});
    rows.member("look.dark_matter", "Dark matter",
                "brightness of the bodies of dark haloes; 0 hides them, and they pull all the same", "0.03",
                inLook<&Look::darkLight>,
                {.bounds = {.least = 0},
                 .dragged = {.floor = 0.002, .format = "%.3g"},
                 .storedAs = {.option = "--dark-matter", .scene = "view.dark_matter"}});
    const auto layer = [&](const char* path, std::string_view label, std::string_view idea, auto member, StoredNames kept) {
        rows.member(path, label, idea, "1", member,
                    {.bounds = {.least = 0, .most = 10}, .dragged = {.floor = 0.005, .format = "%.2f"}, .storedAs = kept});
    };
    layer("look.dust", "Dust", "light that the dust of discs absorbs in a photograph; 0 is none",
          inPhotograph<&Photograph::dust>, {.option = "--dust", .scene = "view.dust"});
    layer("look.gas", "Gas", "light of gas around young stars in a photograph; 0 is none", inPhotograph<&Photograph::gas>,
          {.option = "--gas", .scene = "view.gas"});
    layer("look.sky", "Sky", "light of stars and galaxies far behind a photograph; 0 is none",
          inPhotograph<&Photograph::sky>, {.option = "--sky", .scene = "view.sky"});
    rows.member("look.white_page", "White page", "dark bodies on white, for print and projectors", "", inLook<&Look::paper>,
                {.storedAs = {.option = "--paper", .scene = "view.paper", .configuration = "look.paper"}});
    alsoSets(rows.member("look.trails", "Trails",
                         "length of the line behind each body in frames; 0 is none. For few bodies with many steps a frame, "
                         "a frame has several points",
                         "(0; 400 in a window for scenes of up to 100 bodies)", inLook<&Look::trails>,
                         {.bounds = {.least = 0, .most = 100000},
                          .dragged = {.floor = 0.3, .format = "%.0f"},
                          .storedAs = {.option = "--trails", .scene = "view.trails", .placeholder = "POINTS"}}),
             [](Document& d) { d.ownTrails = false; });
    rows.member("look.trail_light", "Trail light", "brightness of the trails", "1", inLook<&Look::trailLight>,
                {.bounds = kAboveZero, .dragged = {.format = "%.3g"}});
    rows.member("look.bond_light", "Bond light",
                "brightness of the lines of bonds, whose colour is the strain; 0 hides them", "1", inLook<&Look::bondLight>,
                {.bounds = {.least = 0, .most = 10},
                 .dragged = {.floor = 0.005, .format = "%.2f"},
                 .storedAs = {.option = "--bond-light", .scene = "view.bond_light"}});
    rows.choice("look.splat", "Drawing", "how bodies become a picture; auto takes the faster way as measured here",
                "(auto; films: raster)", drawMethodRows, at<&Document::splat>,
                {.storedAs = {.option = "--splat"}, .noun = "way to draw bodies"});
    rows.member("look.hold_rate", "Hold 30 frames/s",
                "lower the look of a window while the machine is too slow for it, glow and sharpness first; the line at the "
                "bottom says what is lowered",
                "true", at<&Document::holdRate>,
                {.storedAs = {.option = "--full-quality",
                              .help = "keep the full look where 30 frames/s cannot be held with it",
                              .window = true}});
    rows.member(
        "look.copy_vertices", "Copy vertices",
        "bodies reach the picture by a copy through the host, once a frame, though the kernel could store them "
        "straight into OpenGL's buffer",
        "", at<&Document::copyVertices>,
        {.explanation = "Programs do this where CUDA and OpenGL share no memory: one copy to the host, one back. Of the "
                        "time of a frame the first is 'copied', in place of 'publish'; the second is in 'other'.",
         .storedAs = {.option = "--copy-vertices"},
         .unavailable = [](const Document& d) -> Reason {
             return backend(d.facts.kernel->backend).onDevice ? Reason() : "The bodies are in the host's memory already.";
         }});
    rows.measured("look.quality", "Quality", "what is lowered to hold the rate", at<&Document::facts, &RunFacts::quality>);
    rows.fact("look.draw_path", "Draw path", "how bodies become a picture and why",
              at<&Document::facts, &RunFacts::drawMethod>);
    return rows.take();
}

}  // namespace gravlab
