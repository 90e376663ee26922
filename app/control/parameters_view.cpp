// From where bodies are seen, what is written over the picture, and which body is looked at.
#include "app/control/parameter_rows.h"
#include "app/model/camera_path.h"
#include "app/model/look.h"
#include "app/tables/launch.h"
#include "sim/core/error.h"
#include "sim/tree/key.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

using namespace rows;

/// A name that can be chosen, and what it is.
struct TreeBoxRow {
    std::string_view name, idea;
};

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr Shown kInDegrees{"degrees", kDegrees};
constexpr double kLeastField = 1 / kDegrees, kMostField = 150 / kDegrees;

Camera& camera(Document& d) { return d.camera; }

void addCamera(std::vector<Parameter>& all) {
    all.push_back(withMember(
        {.path = "camera.distance",
         .label = "Distance",
         .idea = "of the camera from what it looks at",
         .unit = "L",
         .bounds = {.least = 0, .aboveLeast = true},
         .usual = "(the scene's own)",
         .kept = {.option = "--distance", .scene = "view.distance"}},
        [](Document & d) -> auto& { return camera(d).distance; }));
    all.push_back(withMember(
        {.path = "camera.azimuth",
         .label = "Azimuth",
         .idea = "of the camera, seen from above",
         .unit = "rad",
         .usual = "(the scene's own)",
         .shown = kInDegrees,
         .kept = {.option = "--azimuth", .scene = "view.azimuth", .placeholder = "DEGREES"}},
        [](Document & d) -> auto& { return camera(d).azimuth; }));
    all.push_back(withMember(
        {.path = "camera.elevation",
         .label = "Elevation",
         .idea = "of the camera above the plane; what is beyond the pole is drawn from the pole",
         .unit = "rad",
         .usual = "(the scene's own)",
         .shown = kInDegrees,
         .kept = {.option = "--elevation", .scene = "view.elevation", .placeholder = "DEGREES"}},
        [](Document & d) -> auto& { return camera(d).elevation; }));
    all.push_back({.path = "camera.target",
                   .label = "Target",
                   .idea = "what the camera looks at",
                   .unit = "L",
                   .kind = Kind::list,
                   .size = 3,
                   .usual = "(the scene's own)",
                   .single = true,
                   .kept = {.scene = "view.target"},
                   .get = [](const Document& d) -> Value {
                       const glm::vec3 t = d.camera.target;
                       return std::vector{plainNumber(t.x), plainNumber(t.y), plainNumber(t.z)};
                   },
                   .set =
                       [](Document& d, const Value& v) {
                           const auto& list = std::get<std::vector<double>>(v);
                           for (glm::length_t i = 0; i < 3; ++i)
                               camera(d).target[i] = static_cast<float>(list[static_cast<std::size_t>(i)]);
                       }});
    all.push_back(withMember(
        {.path = "camera.field_of_view",
         .label = "Field of view",
         .idea = "upwards",
         .unit = "rad",
         .bounds = {.least = kLeastField, .most = kMostField},
         .usual = "0.8",
         .shown = kInDegrees,
         .kept = {.scene = "view.field"}},
        [](Document & d) -> auto& { return camera(d).fieldOfView; }));
    all.push_back(withMember(
        {.path = "camera.orthographic",
         .label = "Flat view",
         .idea = "no perspective: equal lengths look equal",
         .kind = Kind::flag,
         .usual = "false",
         .kept = {.option = "--orthographic", .scene = "view.orthographic"}},
        [](Document & d) -> auto& { return camera(d).orthographic; }));
    all.push_back(withMember(
        {.path = "camera.rotation",
         .label = "Turning",
         .idea = "how fast the camera turns by itself",
         .unit = "rad/s",
         .usual = "0",
         .shown = {"degrees/s", kDegrees},
         .dragged = {.speed = 0, .floor = 0.1, .format = "%.1f deg/s", .least = -90, .most = 90},
         .kept = {.option = "--rotate", .scene = "view.rotate", .placeholder = "DEGREES"}},
        [](Document & d) -> auto& { return d.rotation; }));
    all.push_back(fact({.path = "camera.flying", .label = "Flying", .idea = "along the camera path", .kind = Kind::flag},
                       [](const Document& d) -> Value { return d.tour.playing; }));
    all.push_back(
        fact({.path = "camera.remembered", .label = "Views", .idea = "views that are remembered", .kind = Kind::integer},
             [](const Document& d) -> Value {
                 const auto& views = d.views;
                 return wholeValue(static_cast<std::uint64_t>(
                     std::count_if(views.begin(), views.end(), [](const auto& view) { return view.has_value(); })));
             }));
}

void addOverlays(std::vector<Parameter>& all) {
    struct Row {
        std::string_view path, label, idea;
        bool OverlayChoice::*shown;
    };
    constexpr Row kRows[] = {
        {"overlay.legend", "Legend", "what the colours mean, in the picture", &OverlayChoice::legend},
        {"overlay.scale_bar", "Scale", "a bar of known length", &OverlayChoice::scaleBar},
        {"overlay.clock", "Clock", "the simulated time", &OverlayChoice::clock},
        {"overlay.axes", "Axes", "x, y and z from the origin", &OverlayChoice::axes},
        {"overlay.grid", "Grid", "a grid in the x-y plane", &OverlayChoice::grid},
        {"overlay.labels", "Names", "the names of bodies that have one, nearest and heaviest first", &OverlayChoice::labels},
        {"overlay.velocities", "Velocities",
         "arrows of velocities: of few bodies all, else of the selected one, whose arrow can be taken "
         "by its tip",
         &OverlayChoice::velocities},
        {"overlay.forces", "Forces",
         "arrows of accelerations, the strongest as long as a fast velocity: of few bodies all, else "
         "of the selected one",
         &OverlayChoice::forces}};
    for (const Row& row : kRows)
        all.push_back(withMember(
            {.path = std::string(row.path),
             .label = row.label,
             .idea = row.idea,
             .kind = Kind::flag,
             .usual = "(names; scale bar and clock in a window)"},
            [shown = row.shown](Document & d) -> auto& { return d.overlay.*shown; }));
    all.push_back(
        {.path = "overlay.shown",
         .label = "Overlays",
         .idea = "all that is written over the picture",
         .kind = Kind::names,
         .usual = "(labels; scale,clock,labels in a window)",
         .kept = {.option = "--overlay", .scene = "view.overlay", .configuration = "look.overlay", .placeholder = "LIST"},
         .choices = overlayNames,
         .noun = "overlay",
         .get = [](const Document& d) -> Value { return overlayText(d.overlay); },
         .set = [](Document& d, const Value& v) { d.overlay = overlayOf(textOf(v)); }});
}

/// What the camera keeps in the middle, as one word or number.
Value followed(const Document& d) {
    if (d.follow) return std::string("body");
    const std::optional<int>& centre = d.followedCentre;
    if (!centre) return std::string(d.frameAll ? "all" : "none");
    return *centre == Document::kWholeScene ? Value(std::string("centre"))
                                            : wholeValue(static_cast<std::uint64_t>(*centre) + 1);
}

void follow(Document& d, const Value& value) {
    const std::string what = std::holds_alternative<std::string>(value) ? textOf(value) : valueText(value);
    if (what == "none") {
        d.follow = false;
        d.followCentre(std::nullopt);
        d.frameAll = false;
    } else if (what == "body") {
        if (!d.selected) throw UsageError("view.follow body: no body is selected; set view.selected first");
        d.followCentre(std::nullopt);
        d.follow = true;
    } else {
        d.followAsAsked(what);
    }
}

void addBodies(std::vector<Parameter>& all) {
    all.push_back({.path = "view.four",
                   .label = "Four views",
                   .idea = "the planes xy, xz and yz and space at once, with paths and the places where bodies began",
                   .kind = Kind::flag,
                   .usual = "false",
                   .kept = {.option = "--views",
                            .scene = "view.views",
                            .placeholder = "COUNT",
                            .help = "1, or 4: the planes xy, xz and yz and space at once, with paths, axes and starts",
                            .off = "1",
                            .on = "4"},
                   .get = [](const Document& d) -> Value { return d.fourViews; },
                   .set = [](Document& d, const Value& v) { d.showFourViews(std::get<bool>(v)); }});
    all.push_back({.path = "view.selected",
                   .label = "Selected body",
                   .idea = "id of the body that has a ring and a panel",
                   .kind = Kind::integer,
                   .bounds = {.least = 0, .most = 4294967295.0},
                   .usual = "none",
                   .otherwise = "none",
                   .kept = {.option = "--select", .placeholder = "ID"},
                   .get = [](const Document& d) -> Value {
                       const auto& selected = d.selected;
                       return selected ? Value(static_cast<std::int64_t>(selected->id)) : Value(std::string("none"));
                   },
                   .set =
                       [](Document& d, const Value& v) {
                           if (std::holds_alternative<std::string>(v))
                               d.clearSelection();
                           else
                               d.selectId(static_cast<std::uint32_t>(std::get<std::int64_t>(v)));
                       }});
    all.push_back({.path = "view.follow",
                   .label = "Follow",
                   .idea = "what stays in the middle: none, body (the selected one), centre (of mass), or a galaxy by its "
                           "number from 1; all: "
                           "everything stays in the picture",
                   .kind = Kind::choice,
                   .usual = "none",
                   .kept = {.option = "--follow", .placeholder = "WHAT"},
                   .choices =
                       [] {
                           std::vector<std::string> names{"none", "body", "centre", "all"};
                           for (int i = 1; i <= 64; ++i) names.push_back(std::to_string(i));
                           return names;
                       },
                   .names = "none, body, centre, all or the number of a galaxy from 1 to 64",
                   .get = followed,
                   .set = follow});
    const auto selected = [&](Parameter row, auto get) {
        all.push_back(
            fact(std::move(row), [get](const Document& d) -> Value { return d.selected ? get(*d.selected) : Value(); }));
    };
    selected({.path = "view.selected_mass", .label = "Mass", .idea = "of the selected body", .unit = "M"},
             [](const BodyReadout& body) -> Value { return body.mass ? Value(*body.mass) : Value(); });
    selected({.path = "view.selected_speed", .label = "Speed", .idea = "of the selected body", .unit = "L/T"},
             [](const BodyReadout& body) -> Value { return body.speed ? Value(*body.speed) : Value(); });
    selected({.path = "view.selected_held", .label = "Held", .idea = "the selected body feels no force", .kind = Kind::flag},
             [](const BodyReadout& body) -> Value { return body.held; });
    struct Element {
        std::string_view path, label, idea, unit;
        Shown shown;
        std::optional<double> (*of)(const Orbit&);
    };
    const Element elements[] = {{"view.orbit_semi_major_axis",
                                 "Semi-major axis",
                                 "of the selected body's orbit; below 0: it is not closed",
                                 "L",
                                 {},
                                 [](const Orbit& orbit) { return std::optional(orbit.semiMajorAxis); }},
                                {"view.orbit_eccentricity",
                                 "Eccentricity",
                                 "of the selected body's orbit; from 1 on it is not closed",
                                 "",
                                 {},
                                 [](const Orbit& orbit) { return std::optional(orbit.eccentricity); }},
                                {"view.orbit_inclination", "Inclination", "of the selected body's orbit to the plane x, y",
                                 "rad", kInDegrees, [](const Orbit& orbit) { return std::optional(orbit.inclination); }},
                                {"view.orbit_period",
                                 "Period",
                                 "of the selected body's orbit; nothing where it is not closed",
                                 "T",
                                 {},
                                 [](const Orbit& orbit) { return orbit.period; }},
                                {"view.orbit_pericentre",
                                 "Pericentre",
                                 "least distance in the selected body's orbit",
                                 "L",
                                 {},
                                 [](const Orbit& orbit) { return std::optional(orbit.pericentre); }},
                                {"view.orbit_apocentre",
                                 "Apocentre",
                                 "largest distance in the selected body's orbit; nothing where it is not closed",
                                 "L",
                                 {},
                                 [](const Orbit& orbit) { return orbit.apocentre; }}};
    for (const Element& row : elements)
        selected({.path = std::string(row.path), .label = row.label, .idea = row.idea, .unit = row.unit, .shown = row.shown},
                 [of = row.of](const BodyReadout& body) -> Value {
                     const std::optional<double> value = body.orbit ? of(body.orbit->orbit) : std::nullopt;
                     return value ? Value(*value) : Value();
                 });
    selected({.path = "view.orbit_centre",
              .label = "Goes round",
              .idea = "id of the body that the orbit of the selected one is about",
              .kind = Kind::integer},
             [](const BodyReadout& body) -> Value {
                 return body.orbit ? Value(static_cast<std::int64_t>(body.orbit->around)) : Value();
             });
    all.push_back({.path = "view.orbit_around",
                   .label = "Orbit about",
                   .idea = "id of the body that orbits are measured about; auto is the one that binds the selected body, "
                           "and of several the one with the closest orbit",
                   .kind = Kind::integer,
                   .bounds = {.least = 0, .most = 4294967295.0},
                   .usual = "auto",
                   .otherwise = "auto",
                   .get = [](const Document& d) -> Value {
                       return d.orbitAround ? Value(static_cast<std::int64_t>(*d.orbitAround)) : Value(std::string("auto"));
                   },
                   .set =
                       [](Document& d, const Value& v) {
                           if (isAuto(v)) {
                               d.orbitAround.reset();
                               return;
                           }
                           const auto id = static_cast<std::uint32_t>(std::get<std::int64_t>(v));
                           const std::vector<std::uint32_t>& ids = d.facts.bodies->id;
                           if (std::find(ids.begin(), ids.end(), id) == ids.end())
                               throw UsageError("view.orbit_around " + std::to_string(id) + ": there is no such body");
                           d.orbitAround = id;
                       }});
    all.push_back(withMember(
        {.path = "view.ahead",
         .label = "Path ahead",
         .idea = "the path of the selected body ahead",
         .kind = Kind::flag,
         .usual = "false",
         .kept = {.option = "--ahead"}},
        [](Document & d) -> auto& { return d.ahead.wanted; }));
    Parameter duration = withMember(
        {.path = "view.ahead_time",
         .label = "How far ahead",
         .idea = "simulated time of that path; auto is about a turn and a half",
         .unit = "T",
         .bounds = {.least = 0, .aboveLeast = true},
         .usual = "auto",
         .otherwise = "auto",
         .dragged = {.speed = 0.02},
         .kept = {.option = "--ahead",
                  .placeholder = "TIME",
                  .help = "draw the selected body's path so far ahead; auto is about a turn and a half"}},
        [](Document & d) -> auto& { return d.ahead.duration; });
    duration.get = [](const Document& d) -> Value {
        const double found = d.ahead.duration;
        return found == 0 ? Value(std::string("auto")) : Value(found);
    };
    duration.set = [set = duration.set](Document& d, const Value& v) {
        if (isAuto(v))
            d.ahead.duration = 0;
        else
            set(d, v);
    };
    all.push_back(std::move(duration));
}

constexpr TreeBoxRow kTreeBoxes[] = {{"none", "no boxes"},
                                     {"level", "the cells of one level"},
                                     {"acting", "the cells that act on the selected body, coloured by how they do"}};

void addTree(std::vector<Parameter>& all) {
    all.push_back(
        {.path = "view.tree_cells",
         .label = "Cells of a tree",
         .idea = "boxes of the cells of an octree over the bodies: none, level (those of one level), or acting "
                 "(those that act on the selected body)",
         .term = "A tree takes far bodies together: cubes of space, each divided into eight while it has more than "
                 "a few bodies. It is made of a copy of the bodies, whatever computes the run; cells act by the "
                 "accuracy in force, or by the usual one where every pair is computed.",
         .kind = Kind::choice,
         .usual = kTreeBoxes[0].name,
         .kept = {.option = "--tree-cells", .scene = "view.tree_cells", .placeholder = "WHAT"},
         .choices = [] { return namesOf(kTreeBoxes); },
         .offers =
             [](const Document& d) { return offersOf(kTreeBoxes, kTreeBoxes[static_cast<std::size_t>(d.tree.boxes)].name); },
         .get = [](const Document& d) -> Value {
             return std::string(kTreeBoxes[static_cast<std::size_t>(d.tree.boxes)].name);
         },
         .set =
             [](Document& d, const Value& v) {
                 const auto row = std::ranges::find(kTreeBoxes, textOf(v), &TreeBoxRow::name);
                 d.tree.boxes = static_cast<TreeBoxes>(row - kTreeBoxes);
             }});
    all.push_back(withMember(
        {.path = "view.tree_level",
         .label = "Level of cells",
         .idea = "level of the tree whose cells have boxes; the root's is 0, and each is half as large as the one above",
         .kind = Kind::integer,
         .bounds = {.least = 0, .most = kTreeLevels},
         .usual = "4",
         .kept = {.option = "--tree-level", .scene = "view.tree_level", .placeholder = "LEVEL"}},
        [](Document & d) -> auto& { return d.tree.level; }));
    const auto told = [&](Parameter row, std::size_t (*get)(const TreeCells&)) {
        row.kind = Kind::integer;
        all.push_back(fact(std::move(row), [get](const Document& d) -> Value {
            return d.facts.tree ? wholeValue(static_cast<std::uint64_t>(get(d.facts.tree->cells))) : Value();
        }));
    };
    told({.path = "view.tree_levels", .label = "Levels", .idea = "of the tree whose cells have boxes, the root's included"},
         [](const TreeCells& cells) { return static_cast<std::size_t>(cells.levels); });
    told({.path = "view.tree_boxes", .label = "Cells", .idea = "of the level with boxes, or that act on the selected body"},
         [](const TreeCells& cells) { return cells.cells; });
    told({.path = "view.tree_bodies", .label = "Single bodies", .idea = "that act on the selected body one by one"},
         [](const TreeCells& cells) { return cells.single; });
}

void addArrow(std::vector<Parameter>& all) {
    all.push_back(withMember(
        {.path = "drop.on",
         .label = "Drop by an arrow",
         .idea = "a drag of the mouse drops a body",
         .kind = Kind::flag,
         .usual = "false"},
        [](Document & d) -> auto& { return d.drop.on; }));
    all.push_back(
        {.path = "drop.kind",
         .label = "What drops",
         .idea = "what is dropped by the arrow",
         .kind = Kind::choice,
         .usual = launchRows().front().name,
         .choices = [] { return namesOf(launchRows()); },
         .offers =
             [](const Document& d) {
                 std::vector<SettingChoice> offers;
                 Slingshot other = d.drop;
                 const int now = other.row;
                 for (const LaunchRow& row : launchRows()) {
                     other.row = static_cast<int>(offers.size());
                     offers.push_back({std::string(row.name), row.idea, other.row == now, other.refusal(d.launchScene())});
                 }
                 return offers;
             },
         .spoken =
             [](const std::string& name) {
                 for (const LaunchRow& row : launchRows())
                     if (row.name == name) return std::string(row.label);
                 return name;
             },
         .get = [](const Document& d) -> Value {
             return std::string(launchRows()[static_cast<std::size_t>(d.drop.row)].name);
         },
         .set =
             [](Document& d, const Value& v) {
                 const auto kinds = launchRows();
                 const auto found =
                     std::find_if(kinds.begin(), kinds.end(), [&](auto& row) { return row.name == textOf(v); });
                 d.drop.row = static_cast<int>(found - kinds.begin());
             }});
    struct Row {
        std::string_view path, label, idea;
        double Slingshot::*at;
    };
    constexpr Row kRows[] = {
        {"drop.mass", "Mass", "of what drops, in its usual mass", &Slingshot::massFactor},
        {"drop.size", "Size", "of a galaxy that drops, in its usual size", &Slingshot::sizeFactor},
        {"drop.bodies", "Bodies", "of a galaxy that drops, in their usual number", &Slingshot::bodiesFactor}};
    for (const Row& row : kRows)
        all.push_back(withMember(
            {.path = std::string(row.path),
             .label = row.label,
             .idea = row.idea,
             .bounds = {.least = 0.001, .most = 1000},
             .usual = "1",
             .dragged = {.speed = 0.02, .format = "%.3g x"}},
            [at = row.at](Document & d) -> auto& { return d.drop.*at; }));
}

}  // namespace

std::vector<Parameter> viewParameters() {
    std::vector<Parameter> all;
    addCamera(all);
    addOverlays(all);
    addBodies(all);
    addTree(all);
    addArrow(all);
    return all;
}

}  // namespace gravlab
