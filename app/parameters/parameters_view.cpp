// The camera, the texts over the picture, and the selected body.
#include "app/model/camera_path.h"
#include "app/model/look.h"
#include "app/parameters/parameter_rows.h"
#include "app/tables/drop.h"
#include "sim/api/errors.h"
#include "sim/tree/key.h"

#include <algorithm>

namespace gravlab {
namespace {

using namespace rows;

constexpr DisplayUnit kInDegrees{"degrees", kDegrees};

template <auto member>
constexpr auto inCamera = at<&Document::camera, member>;

void addCamera(Rows& rows) {
    rows.member("camera.distance", "Distance", "of the camera from what it looks at", "(the scene's own)",
                inCamera<&Camera::distance>,
                {.unit = "L",
                 .bounds = {.least = 0, .aboveLeast = true},
                 .storedAs = {.option = "--distance", .scene = "view.distance"}});
    rows.member("camera.azimuth", "Azimuth", "of the camera, seen from above", "(the scene's own)",
                inCamera<&Camera::azimuth>,
                {.unit = "rad",
                 .displayUnit = kInDegrees,
                 .storedAs = {.option = "--azimuth", .scene = "view.azimuth", .placeholder = "DEGREES"}});
    rows.member("camera.elevation", "Elevation",
                "of the camera above the plane; an elevation beyond a pole is drawn from the pole", "(the scene's own)",
                inCamera<&Camera::elevation>,
                {.unit = "rad",
                 .displayUnit = kInDegrees,
                 .storedAs = {.option = "--elevation", .scene = "view.elevation", .placeholder = "DEGREES"}});
    rows.own("camera.target", "Target", "what the camera looks at", "(the scene's own)",
             {.unit = "L",
              .kind = Kind::list,
              .size = 3,
              .single = true,
              .storedAs = {.scene = "view.target"},
              .get = [](const Document& d) -> Value {
                  const glm::vec3 t = d.camera.target;
                  return std::vector{plainNumber(t.x), plainNumber(t.y), plainNumber(t.z)};
              },
              .set =
                  [](Document& d, const Value& v) {
                      const auto& list = std::get<std::vector<double>>(v);
                      for (glm::length_t i = 0; i < 3; ++i)
                          d.camera.target[i] = static_cast<float>(list[static_cast<std::size_t>(i)]);
                  }});
    rows.member("camera.field_of_view", "Field of view", "upwards", "0.8", inCamera<&Camera::fieldOfView>,
                {.unit = "rad",
                 .bounds = {.least = 1 / kDegrees, .most = 150 / kDegrees},
                 .displayUnit = kInDegrees,
                 .storedAs = {.scene = "view.field"}});
    rows.member("camera.orthographic", "Flat view", "no perspective: equal lengths look equal", "",
                inCamera<&Camera::orthographic>, {.storedAs = {.option = "--orthographic", .scene = "view.orthographic"}});
    rows.member("camera.rotation", "Turning", "how fast the camera turns by itself", "0", at<&Document::rotation>,
                {.unit = "rad/s",
                 .displayUnit = {"degrees/s", kDegrees},
                 .dragged = {.speed = 0, .floor = 0.1, .format = "%.1f deg/s", .least = -90, .most = 90},
                 .storedAs = {.option = "--rotate", .scene = "view.rotate", .placeholder = "DEGREES"}});
    rows.fact("camera.flying", "Flying", "along the camera path", at<&Document::tour, &CameraTour::playing>);
    rows.fact("camera.remembered", "Views", "views that are remembered", [](const Document& d) {
        return std::ranges::count_if(d.views, [](const auto& view) { return view.has_value(); });
    });
}

void addOverlays(Rows& rows) {
    const auto add = [&](const char* path, std::string_view label, std::string_view idea, bool OverlayChoice::*member) {
        rows.member(
            path, label, idea,
            "(names; scale bar and clock in a window)", [member](auto& d) -> auto& { return d.overlay.*member; });
    };
    add("overlay.legend", "Legend", "what the colours mean, in the picture", &OverlayChoice::legend);
    add("overlay.scale_bar", "Scale", "a bar of known length", &OverlayChoice::scaleBar);
    add("overlay.clock", "Clock", "the simulated time", &OverlayChoice::clock);
    add("overlay.axes", "Axes", "x, y and z from the origin", &OverlayChoice::axes);
    add("overlay.grid", "Grid", "a grid in the x-y plane", &OverlayChoice::grid);
    add("overlay.labels", "Names", "the names of bodies that have one, nearest and heaviest first", &OverlayChoice::labels);
    add("overlay.velocities", "Velocities",
        "arrows of velocities, for all of few bodies, else for the selected body; drag the tip of its arrow to change it",
        &OverlayChoice::velocities);
    add("overlay.forces", "Forces",
        "arrows of accelerations, for all of few bodies, else for the selected body; the strongest is as long as a fast "
        "velocity",
        &OverlayChoice::forces);
    rows.own("overlay.shown", "Overlays", "all that is written over the picture", "(labels; scale,clock,labels in a window)",
             {.kind = Kind::names,
              .storedAs =
                  {.option = "--overlay", .scene = "view.overlay", .configuration = "look.overlay", .placeholder = "LIST"},
              .choices = overlayNames,
              .noun = "overlay",
              .get = [](const Document& d) -> Value { return overlayText(d.overlay); },
              .set = [](Document& d, const Value& v) { d.overlay = overlayOf(textOf(v)); }});
}

/// The object in the middle of the camera's picture, as one word or number.
Value followed(const Document& d) {
    if (d.follow) return std::string("body");
    const std::optional<int>& centre = d.followedCentre;
    if (!centre) return std::string(d.frameAll ? "all" : "none");
    return *centre == Document::kWholeScene ? Value(std::string("centre"))
                                            : wholeValue(static_cast<std::uint64_t>(*centre) + 1);
}

void follow(Document& d, const Value& value) {
    const std::string what = wordOf(value);
    if (what == "none") {
        d.follow = false;
        d.followCentre(std::nullopt);
        d.frameAll = false;
    } else if (what == "body") {
        if (!d.selected) throw UsageError("view.follow body: no body is selected; set view.selected first");
        d.followCentre(std::nullopt);
        d.follow = true;
    } else {
        d.followByName(what);
    }
}

constexpr Bounds kIds{.least = 0, .most = 4294967295.0};

void addBodies(Rows& rows) {
    rows.own("view.four", "Four views",
             "the planes xy, xz and yz and space at once, with paths and the places where bodies began", "false",
             {.kind = Kind::flag,
              .storedAs = {.option = "--views",
                           .scene = "view.views",
                           .placeholder = "COUNT",
                           .help = "1, or 4: the planes xy, xz and yz and space at once, with paths, axes and starts",
                           .off = "1",
                           .on = "4"},
              .get = [](const Document& d) -> Value { return d.fourViews; },
              .set = [](Document& d, const Value& v) { d.showFourViews(std::get<bool>(v)); }});
    rows.own(
        "view.selected", "Selected body", "id of the body that has a ring and a panel", "none",
        {.kind = Kind::integer,
         .bounds = kIds,
         .specialValue = "none",
         .storedAs = {.option = "--select", .placeholder = "ID"},
         .get = [](const Document& d) -> Value { return d.selected ? asValue(d.selected->id) : Value(std::string("none")); },
         .set =
             [](Document& d, const Value& v) {
                 if (std::holds_alternative<std::string>(v))
                     d.clearSelection();
                 else
                     d.selectId(fromValue<std::uint32_t>(v));
             }});
    rows.own("view.follow", "Follow",
             "what stays in the middle: none, body (the selected one), centre (of mass), or a galaxy by its number from 1; "
             "all: everything stays in the picture",
             "none",
             {.kind = Kind::choice,
              .storedAs = {.option = "--follow", .placeholder = "WHAT"},
              .choices =
                  [] {
                      std::vector<std::string> names{"none", "body", "centre", "all"};
                      for (int i = 1; i <= 64; ++i) names.push_back(std::to_string(i));
                      return names;
                  },
              .names = "none, body, centre, all or the number of a galaxy from 1 to 64",
              .get = followed,
              .set = follow});
    const auto selected = [&](const char* path, std::string_view label, std::string_view idea, auto member,
                              std::string_view unit = {}) {
        using Held = std::remove_cvref_t<decltype(std::declval<const BodyReadout&>().*member)>;
        rows.fact(path, label, idea,
                  [member](const Document& d) { return d.selected ? asValue(*d.selected.*member) : Value(); },
                  {.unit = unit, .kind = kindOf<Held>()});
    };
    selected("view.selected_mass", "Mass", "of the selected body", &BodyReadout::mass, "M");
    selected("view.selected_speed", "Speed", "of the selected body", &BodyReadout::speed, "L/T");
    selected("view.selected_held", "Held", "the selected body feels no force", &BodyReadout::held);
    const auto orbit = [&](const char* path, std::string_view label, std::string_view idea, std::string_view unit,
                           auto member, DisplayUnit shown = {}) {
        rows.fact(path, label, idea,
                  [member](const Document& d) {
                      return d.selected && d.selected->orbit ? asValue(d.selected->orbit->orbit.*member) : Value();
                  },
                  {.unit = unit, .displayUnit = shown});
    };
    orbit("view.orbit_semi_major_axis", "Semi-major axis", "of the selected body's orbit; below 0: it is not closed", "L",
          &Orbit::semiMajorAxis);
    orbit("view.orbit_eccentricity", "Eccentricity", "of the selected body's orbit; from 1 on it is not closed", "",
          &Orbit::eccentricity);
    orbit("view.orbit_inclination", "Inclination", "of the selected body's orbit to the plane x, y", "rad",
          &Orbit::inclination, kInDegrees);
    orbit("view.orbit_period", "Period", "of the selected body's orbit; empty where it is not closed", "T", &Orbit::period);
    orbit("view.orbit_pericentre", "Pericentre", "least distance in the selected body's orbit", "L", &Orbit::pericentre);
    orbit("view.orbit_direction", "Direction of the pericentre",
          "from the x axis towards y; an ellipse that turns shows here", "rad", &Orbit::direction, kInDegrees);
    orbit("view.orbit_apocentre", "Apocentre", "largest distance in the selected body's orbit; empty where it is not closed",
          "L", &Orbit::apocentre);
    rows.fact(
        "view.orbit_centre", "Goes round", "id of the body that the orbit of the selected one is about",
        [](const Document& d) { return d.selected && d.selected->orbit ? asValue(d.selected->orbit->around) : Value(); },
        {.kind = Kind::integer});
    rows.member("view.orbit_around", "Orbit about",
                "id of the body that orbits are measured about; auto is the body that binds the selected one, with the "
                "closest orbit of several",
                "auto", at<&Document::orbitAround>,
                {.bounds = kIds, .specialValue = "auto", .set = [](Document& d, const Value& v) {
                     const auto id = isAuto(v) ? std::nullopt : std::optional(fromValue<std::uint32_t>(v));
                     if (id && std::ranges::find(d.facts.bodies->id, *id) == d.facts.bodies->id.end())
                         throw UsageError("view.orbit_around " + std::to_string(*id) + ": there is no such body");
                     d.orbitAround = id;
                 }});
    rows.member("view.ahead", "Path ahead", "the path of the selected body ahead", "",
                at<&Document::ahead, &PathAhead::wanted>, {.storedAs = {.option = "--ahead"}});
    rows.numberOrAuto("view.ahead_time", "How far ahead", "simulated time of that path; auto is about a turn and a half",
                      at<&Document::ahead, &PathAhead::duration>, 0,
                      {.unit = "T",
                       .bounds = {.least = 0, .aboveLeast = true},
                       .dragged = {.speed = 0.02},
                       .storedAs = {.option = "--ahead",
                                    .placeholder = "TIME",
                                    .help = "draw the selected body's path so far ahead; auto is about a turn and a half"}});
}

struct TreeBoxRow {
    std::string_view name, idea;
};
constexpr TreeBoxRow kTreeBoxes[] = {{"none", "no boxes"},
                                     {"level", "the cells of one level"},
                                     {"acting", "the cells that act on the selected body, coloured by how they do"}};

void addTree(Rows& rows) {
    rows.choice(
        "view.tree_cells", "Cells of a tree",
        "boxes of the cells of an octree over the bodies: none, level (those of one level), or acting (those that "
        "act on the selected body)",
        kTreeBoxes[0].name, [] { return std::span(kTreeBoxes); }, at<&Document::tree, &TreeWish::boxes>,
        {.explanation = "A tree takes far bodies together: cubes of space, each divided into eight while it has more than "
                        "a few bodies. It is made of a copy of the bodies, whatever computes the run; cells act by the "
                        "accuracy in force, or by the usual one where every pair is computed.",
         .storedAs = {.option = "--tree-cells", .scene = "view.tree_cells", .placeholder = "WHAT"}});
    rows.member("view.tree_level", "Level of cells",
                "level of the tree whose cells have boxes; the root's is 0, and each is half as large as the one above", "4",
                at<&Document::tree, &TreeWish::level>,
                {.bounds = {.least = 0, .most = kTreeLevels},
                 .storedAs = {.option = "--tree-level", .scene = "view.tree_level", .placeholder = "LEVEL"}});
    const auto fact = [&](const char* path, std::string_view label, std::string_view idea, auto member) {
        rows.fact(path, label, idea,
                  [member](const Document& d) {
                      return d.facts.tree ? wholeValue(static_cast<std::uint64_t>(d.facts.tree->cells.*member)) : Value();
                  },
                  {.kind = Kind::integer});
    };
    fact("view.tree_levels", "Levels", "of the tree whose cells have boxes, the root's included", &TreeCells::levels);
    fact("view.tree_boxes", "Cells", "of the level with boxes, or that act on the selected body", &TreeCells::cells);
    fact("view.tree_bodies", "Single bodies", "that act on the selected body one by one", &TreeCells::single);
}

void addArrow(Rows& rows) {
    rows.member("drop.on", "Drop by an arrow", "a drag of the mouse drops a body", "", at<&Document::drop, &DropTool::on>);
    rows.choice("drop.kind", "What drops", "what the arrow drops", dropRows().front().name, dropRows,
                at<&Document::drop, &DropTool::row>,
                {.offers =
                     [](const Document& d) {
                         std::vector<SettingChoice> offers = offersOf(dropRows(), dropRows()[d.drop.row].name);
                         DropTool other = d.drop;
                         for (other.row = 0; SettingChoice & offer : offers) {
                             offer.refused = other.refusal(d.dropScene());
                             ++other.row;
                         }
                         return offers;
                     },
                 .displayName =
                     [](const std::string& name) {
                         for (const DropRow& row : dropRows())
                             if (row.name == name) return std::string(row.label);
                         return name;
                     }});
    const auto factor = [&](const char* path, std::string_view label, std::string_view idea, auto member) {
        rows.member(path, label, idea, "1", member,
                    {.bounds = {.least = 0.001, .most = 1000}, .dragged = {.speed = 0.02, .format = "%.3g x"}});
    };
    factor("drop.mass", "Mass", "of what drops, in its usual mass", at<&Document::drop, &DropTool::massFactor>);
    factor("drop.size", "Size", "of a galaxy that drops, in its usual size", at<&Document::drop, &DropTool::sizeFactor>);
    factor("drop.bodies", "Bodies", "of a galaxy that drops, in their usual number",
           at<&Document::drop, &DropTool::bodiesFactor>);
}

}  // namespace

std::vector<Parameter> viewParameters() {
    Rows rows;
    addCamera(rows);
    addOverlays(rows);
    addBodies(rows);
    addTree(rows);
    addArrow(rows);
    return rows.take();
}

}  // namespace gravlab
