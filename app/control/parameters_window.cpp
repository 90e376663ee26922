// What the window and its panels show, films, kept states and the lab.
#include "app/control/parameter_rows.h"
#include "app/film/encoders.h"
#include "app/model/film_plan.h"
#include "app/tables/lab_sweep.h"
#include "sim/core/error.h"
#include "sim/io/snapshot.h"
#include "sim/measure/profile.h"

#include <algorithm>
#include <iterator>

namespace gravlab {
namespace {

using namespace rows;

constexpr int kMostGalaxies = 64;

/// The endings of files that bodies can be saved to; the first is the exact one.
std::vector<std::string> savedEndings() {
    std::vector<std::string> endings;
    for (const FileFormat& format : fileFormats())
        if (format.write) endings.emplace_back(format.extensions.front());
    return endings;
}

void addFiles(std::vector<Parameter>& all) {
    all.push_back(withMember(
        {.path = "window.save_ending",
         .label = "Format",
         .idea = "ending of a file to be saved: .hdf5 goes on exactly, the others keep the bodies",
         .kind = Kind::choice,
         .usual = ".hdf5",
         .choices = savedEndings,
         .noun = "ending"},
        [](Document & d) -> auto& { return d.ui.files.ending; }));
}

void addGroups(std::vector<Parameter>& all) {
    all.push_back(withMember(
        {.path = "groups.linking",
         .label = "Linking",
         .idea = "bodies are friends that are at most so far apart, in mean distances; taken by the next search",
         .term = "A group is all that friendship leads to (friends of friends). The mean distance is that of bodies spread "
                 "evenly over the box that holds all of them; 0.2 is usual for haloes.",
         .bounds = {.least = 0, .most = 1000, .aboveLeast = true},
         .usual = "0.2"},
        [](Document & d) -> auto& { return d.groups.linking; }));
    all.push_back(withMember(
        {.path = "groups.least",
         .label = "Least",
         .idea = "bodies that a group has at least to have a colour and a line; taken by the next search",
         .kind = Kind::integer,
         .bounds = {.least = 1, .most = 2147483647},
         .usual = "10"},
        [](Document & d) -> auto& { return d.groups.least; }));
    const auto add = [&](Parameter row, auto get) {
        row.kind = Kind::integer;
        all.push_back(fact(std::move(row), [get](const Document& d) -> Value {
            return d.facts.groups ? wholeValue(static_cast<std::uint64_t>(get(*d.facts.groups))) : Value();
        }));
    };
    add({.path = "groups.count", .label = "Groups", .idea = "groups of enough bodies, as found last"},
        [](const KnownGroups& known) { return known.table.groups.size(); });
    add({.path = "groups.largest", .label = "Largest group", .idea = "bodies of it"},
        [](const KnownGroups& known) { return known.table.groups.empty() ? 0 : known.table.groups.front().members; });
    add({.path = "groups.step", .label = "Groups of step", .idea = "the step at which groups were found last"},
        [](const KnownGroups& known) { return known.step; });
}

void addWindow(std::vector<Parameter>& all) {
    struct Row {
        std::string_view path, label, idea, usual;
        bool UiState::*at;
        Kept kept;
    };
    const Row rows[] = {
        {"window.visible",
         "Panels over the picture",
         "anything but the picture",
         "true",
         &UiState::visible,
         {.option = "--no-ui", .help = "start with the panels hidden", .window = true}},
        {"window.panels",
         "Panels",
         "controls and measurements",
         "true",
         &UiState::panel,
         {.configuration = "panels.panels"}},
        {"window.measurements",
         "Measurements",
         "measurements are shown where there is no room for the controls beside them",
         "false",
         &UiState::measurements,
         {}},
        {"window.conservation",
         "Energy and momenta",
         "the strip of energy and momenta",
         "true",
         &UiState::conservation,
         {.configuration = "panels.conservation"}},
        {"window.instruments",
         "Instruments",
         "a galaxy over its radius, in place of that strip",
         "false",
         &UiState::instruments,
         {.configuration = "panels.instruments"}},
        {"window.timeline",
         "Kept states",
         "the strip of kept states",
         "(true where states are kept)",
         &UiState::timeline,
         {}},
        {"window.help", "Keys", "the list of keys", "false", &UiState::help, {}},
        {"window.welcome",
         "Welcome",
         "the card of the first start: what one sees, how to look around, three things to try",
         "(true at the first start)",
         &UiState::welcome,
         {.option = "--no-welcome",
          .configuration = "window.welcome",
          .help = "leave out the card that greets at the first start",
          .window = true}},
        {"window.scenes", "Scenes", "the pictures of all scenes, to choose from", "false", &UiState::scenes, {}},
        {"window.find", "Find a command", "the search of actions and settings by words", "false", &UiState::find, {}},
        {"window.about", "About", "which version this is, and what it runs on", "false", &UiState::about, {}},
        {"window.full_screen",
         "Full screen",
         "the window covers its display",
         "false",
         &UiState::fullscreen,
         {.option = "--fullscreen", .window = true}},
        {"window.projector",
         "Projector",
         "large letters, strong contrast, thick lines",
         "false",
         &UiState::projector,
         {.configuration = "window.projector"}},
        {"window.display_sync",
         "Display sync",
         "wait for the display before showing a picture",
         "true",
         &UiState::vsync,
         {.option = "--no-vsync",
          .configuration = "window.display_sync",
          .help = "do not wait for the display",
          .window = true}},
    };
    for (const Row& row : rows)
        all.push_back(withMember(
            {.path = std::string(row.path),
             .label = row.label,
             .idea = row.idea,
             .kind = Kind::flag,
             .usual = row.usual,
             .kept = row.kept},
            [at = row.at](Document & d) -> auto& { return d.ui.*at; }));
    all.push_back(withMember(
        {.path = "window.text_scale",
         .label = "Text",
         .idea = "size of the panels' text, in what the display asks for",
         .bounds = {.least = 0.5, .most = 4},
         .usual = "1",
         .kept = {.configuration = "window.text_scale", .before = "--ui-scale"}},
        [](Document & d) -> auto& { return d.ui.textScale; }));
    all.push_back(withMember(
        {.path = "window.files",
         .label = "Files",
         .idea = "the panel to open and save",
         .kind = Kind::flag,
         .usual = "false"},
        [](Document & d) -> auto& { return d.ui.files.shown; }));
    all.push_back({.path = "instruments.centre",
                   .label = "Centre",
                   .idea = "what radii are measured from: the centre of mass of the chosen bodies, the heaviest of them, or "
                           "the place where they lie most densely",
                   .kind = Kind::choice,
                   .usual = "(core of galaxies, else mass)",
                   .choices = [] { return std::vector<std::string>(profileCentres().begin(), profileCentres().end()); },
                   .spoken = [](const std::string& name) -> std::string {
                       return name == "mass" ? "centre of mass" : name == "core" ? "densest place" : "heaviest body";
                   },
                   .get = [](const Document& d) -> Value {
                       return std::string(profileCentres()[static_cast<std::size_t>(d.profileWanted.centre)]);
                   },
                   .set =
                       [](Document& d, const Value& v) {
                           const auto names = profileCentres();
                           const auto found = std::find(names.begin(), names.end(), textOf(v));
                           d.profileWanted.centre = static_cast<ProfileCentre>(found - names.begin());
                       }});
    all.push_back({.path = "instruments.galaxy",
                   .label = "Galaxy",
                   .idea =
                       "only the bodies that started in the galaxy of that number, from 1, or all; one is measured from its "
                       "densest place, because the others pull its halo along",
                   .kind = Kind::choice,
                   .usual = "(the first of several, else all)",
                   .choices =
                       [] {
                           std::vector<std::string> names{"all"};
                           for (int i = 1; i <= kMostGalaxies; ++i) names.push_back(std::to_string(i));
                           return names;
                       },
                   .names = "all or the number of a galaxy from 1 to 64",
                   .offers =
                       [](const Document& d) {
                           const int now = d.profileWanted.galaxy;
                           std::vector<SettingChoice> offers{{"all", "whatever galaxy they started in", now < 0, {}}};
                           for (int i = 0; i < std::min(d.facts.galaxies, 16); ++i)
                               offers.push_back({std::to_string(i + 1), "its own bodies only", now == i, {}});
                           return offers;
                       },
                   .spoken = [](const std::string& name) { return name == "all" ? "all bodies" : "galaxy " + name; },
                   .get = [](const Document& d) -> Value {
                       const int now = d.profileWanted.galaxy;
                       return now < 0 || now >= d.facts.galaxies ? std::string("all") : std::to_string(now + 1);
                   },
                   .set =
                       [](Document& d, const Value& v) {
                           ProfileRequest& wanted = d.profileWanted;
                           const int galaxy = textOf(v) == "all" ? -1 : std::stoi(textOf(v)) - 1;
                           if (galaxy >= d.facts.galaxies)
                               throw UsageError("instruments.galaxy " + textOf(v) + ": the scene tells " +
                                                std::to_string(d.facts.galaxies) + " apart");
                           wanted.galaxy = galaxy;
                           if (galaxy >= 0) wanted.centre = ProfileCentre::core;
                       }});
    addGroups(all);
    all.push_back(fact({.path = "window.frames_per_second",
                        .label = "Frames",
                        .idea = "pictures a second",
                        .term = "From about 25 a movement looks smooth; a display shows 60 at most.",
                        .unit = "1/s",
                        .measured = true},
                       [](const Document& d) -> Value { return d.facts.framesPerSecond; }));
    all.push_back(fact({.path = "window.frame_time",
                        .label = "Frame",
                        .idea = "time from one picture to the next, on average",
                        .unit = "ms",
                        .measured = true},
                       [](const Document& d) -> Value { return d.facts.frameMilliseconds; }));
    all.push_back(fact({.path = "window.message", .label = "Message", .idea = "the sentence on screen", .kind = Kind::text},
                       [](const Document& d) -> Value { return d.message; }));
}

void addPicture(std::vector<Parameter>& all) {
    struct Size {
        std::string_view path, label;
        int UiState::*at;
    };
    constexpr Size kSizes[] = {{"picture.width", "Width", &UiState::pictureWidth},
                               {"picture.height", "Height", &UiState::pictureHeight}};
    for (const Size& row : kSizes)
        all.push_back(withMember(
            {.path = std::string(row.path),
             .label = row.label,
             .idea = "of pictures that the window writes; 0 is the window's own",
             .unit = "px",
             .kind = Kind::integer,
             .bounds = {.least = 0, .most = 16384},
             .usual = "0"},
            [at = row.at](Document & d) -> auto& { return d.ui.*at; }));
    all.push_back(withMember(
        {.path = "picture.panels",
         .label = "With panels",
         .idea = "draw them into the pictures that the window writes",
         .kind = Kind::flag,
         .usual = "false"},
        [](Document & d) -> auto& { return d.ui.picturePanels; }));
}

void addFilm(std::vector<Parameter>& all) {
    all.push_back(withMember(
        {.path = "film.panel", .label = "Film", .idea = "the panel of films", .kind = Kind::flag, .usual = "false"},
        [](Document & d) -> auto& { return d.ui.film.shown; }));
    struct Size {
        std::string_view path, label;
        int FilmState::*at;
    };
    constexpr Size kSizes[] = {{"film.width", "Width", &FilmState::width}, {"film.height", "Height", &FilmState::height}};
    for (const Size& row : kSizes)
        all.push_back(withMember(
            {.path = std::string(row.path),
             .label = row.label,
             .idea = "of films that the window records; 0 is the window's own",
             .unit = "px",
             .kind = Kind::integer,
             .bounds = {.least = 0, .most = 16384},
             .usual = "0"},
            [at = row.at](Document & d) -> auto& { return d.ui.film.*at; }));
    all.push_back(withMember(
        {.path = "film.steps_per_frame",
         .label = "Steps a frame",
         .idea = "steps between two frames of the film, however fast the window is; 0 goes as the window does: at the "
                 "speed of the run, or by its own steps a frame",
         .kind = Kind::integer,
         .bounds = {.least = 0, .most = 1000000},
         .usual = "0",
         .dragged = {.floor = 0.1, .format = "%.0f"}},
        [](Document & d) -> auto& { return d.ui.film.stepsPerFrame; }));
    all.push_back(withMember(
        {.path = "film.frames_per_second",
         .label = "Frames/s",
         .idea = "how fast the film is played",
         .unit = "1/s",
         .bounds = {.least = 0, .most = 1000, .aboveLeast = true},
         .usual = "60"},
        [](Document & d) -> auto& { return d.ui.film.fps; }));
    all.push_back(withMember(
        {.path = "film.length",
         .label = "Length",
         .idea = "after which the film is complete; 0 records until stopped",
         .unit = "s",
         .bounds = {.least = 0, .most = 36000},
         .usual = "0",
         .dragged = {.floor = 0.1, .format = "%.4g s"}},
        [](Document & d) -> auto& { return d.ui.film.seconds; }));
    all.push_back({.path = "film.loop",
                   .label = "Loop",
                   .idea = "one whole period of the scene, so that the end of the film goes over into its start",
                   .kind = Kind::flag,
                   .usual = "false",
                   .get = [](const Document& d) -> Value { return d.ui.film.loop; },
                   .set = [](Document& d, const Value& v) { d.ui.film.loop = std::get<bool>(v); },
                   .unavailable = noLoop});
    Parameter quality = withMember(
        {.path = "film.quality",
         .label = "Quality",
         .idea = "0 makes small files, 100 large ones",
         .bounds = {.least = 0, .most = 100},
         .usual = "auto",
         .otherwise = "auto",
         .dragged = {.format = "%.0f"}},
        [](Document & d) -> auto& { return d.ui.film.quality; });
    quality.get = [](const Document& d) -> Value {
        return d.ui.film.quality < 0 ? Value(std::string("auto")) : Value(d.ui.film.quality);
    };
    quality.set = [set = quality.set](Document& d, const Value& v) {
        if (isAuto(v))
            d.ui.film.quality = -1;
        else
            set(d, v);
    };
    all.push_back(std::move(quality));
    all.push_back(
        {.path = "film.encoder",
         .label = "Encoder",
         .idea = "what films are written with",
         .kind = Kind::choice,
         .usual = "auto",
         .otherwise = "auto",
         .choices = [] { return namesOf(encoders()); },
         .offers =
             [](const Document& d) {
                 const std::string& now = d.ui.film.encoder;
                 std::vector<SettingChoice> offers{{"auto", "the first of these that works here", now.empty(), {}}};
                 for (const EncoderRow& row : encoders())
                     offers.push_back({std::string(row.name), row.idea, now == row.name,
                                       triedEncoder(row).value_or("It is being tried with one frame.")});
                 return offers;
             },
         .get = [](const Document& d) -> Value {
             return d.ui.film.encoder.empty() ? std::string("auto") : d.ui.film.encoder;
         },
         .set = [](Document& d, const Value& v) { d.ui.film.encoder = isAuto(v) ? "" : textOf(v); }});
    all.push_back(withMember(
        {.path = "film.panels",
         .label = "With panels",
         .idea = "draw them into the film",
         .kind = Kind::flag,
         .usual = "false"},
        [](Document & d) -> auto& { return d.ui.film.panels; }));
    all.push_back(fact({.path = "film.work",
                        .label = "Work",
                        .idea = "time that a second of the film has taken",
                        .unit = "s",
                        .measured = true},
                       [](const Document& d) -> Value {
                           const double work = d.ui.film.workPerSecond;
                           return work < 0 ? Value() : Value(work);
                       }));
    all.push_back(fact({.path = "film.recording", .label = "Recording", .idea = "a film is being made", .kind = Kind::flag},
                       [](const Document& d) -> Value { return d.ui.film.active; }));
    all.push_back(
        fact({.path = "film.frames", .label = "Frames", .idea = "of the film, drawn so far", .kind = Kind::integer},
             [](const Document& d) -> Value { return d.ui.film.frames; }));
    all.push_back(fact({.path = "film.file", .label = "File", .idea = "being written, or written last", .kind = Kind::text},
                       [](const Document& d) -> Value { return d.ui.film.file; }));
}

void addHistory(std::vector<Parameter>& all) {
    const auto add = [&](Parameter row, auto get) {
        all.push_back(fact(std::move(row),
                           [get](const Document& d) -> Value { return d.facts.history ? get(*d.facts.history) : Value(); }));
    };
    add({.path = "history.states",
         .label = "Kept states",
         .idea = "that one can go back to",
         .kind = Kind::integer,
         .measured = true},
        [](const HistoryFacts& history) -> Value { return wholeValue(history.states); });
    add({.path = "history.oldest_step",
         .label = "Oldest",
         .idea = "step of the oldest kept state",
         .kind = Kind::integer,
         .measured = true},
        [](const HistoryFacts& history) -> Value { return history.states == 0 ? Value() : Value(history.oldestStep); });
    add({.path = "history.bytes",
         .label = "Memory",
         .idea = "that kept states take",
         .unit = "byte",
         .kind = Kind::integer,
         .measured = true},
        [](const HistoryFacts& history) -> Value { return wholeValue(history.bytes); });
}

void addLab(std::vector<Parameter>& all) {
    all.push_back(withMember(
        {.path = "lab.open",
         .label = "Lab",
         .idea = "the lab's panel",
         .kind = Kind::flag,
         .usual = "false",
         .kept = {.option = "--lab", .configuration = "panels.lab"}},
        [](Document & d) -> auto& { return d.labPanel.open; }));
    all.push_back({.path = "lab.page",
                   .label = "Page",
                   .idea = "launch, sweep, matrix, ladder, recorded, calculator or own",
                   .kind = Kind::choice,
                   .usual = labPages().front(),
                   .kept = {.option = "--lab", .configuration = "panels.lab", .placeholder = "PAGE", .help = "open the lab"},
                   .choices = [] { return std::vector<std::string>(labPages().begin(), labPages().end()); },
                   .noun = "page of the lab",
                   .get = [](const Document& d) -> Value {
                       return std::string(labPages()[static_cast<std::size_t>(d.labPanel.page)]);
                   },
                   .set = [](Document& d, const Value& v) { d.labPanel.page = labPage(textOf(v)); }});
    all.push_back({.path = "lab.sweep",
                   .label = "Over",
                   .idea = "what a sweep varies; grey ones the kernel in use cannot vary",
                   .kind = Kind::choice,
                   .usual = labSweeps().front().name,
                   .choices = [] { return namesOf(labSweeps()); },
                   .offers =
                       [](const Document& d) {
                           const KernelRow& kernel = *d.facts.kernel;
                           const LabSweep& now = sweepFor(d.labPanel.sweep, kernel);
                           std::vector<SettingChoice> offers;
                           for (const LabSweep& row : labSweeps())
                               offers.push_back({std::string(row.name), row.idea, &row == &now, refusal(row, kernel)});
                           return offers;
                       },
                   .get = [](const Document& d) -> Value { return std::string(labSweeps()[d.labPanel.sweep].name); },
                   .set =
                       [](Document& d, const Value& v) {
                           const auto sweeps = labSweeps();
                           const auto found =
                               std::find_if(sweeps.begin(), sweeps.end(), [&](auto& r) { return r.name == textOf(v); });
                           d.labPanel.sweep = static_cast<std::size_t>(found - sweeps.begin());
                       }});
    all.push_back(withMember(
        {.path = "lab.whole_steps",
         .label = "Whole steps",
         .idea = "the rate over the time of whole steps, integration included, and not of the forces alone",
         .kind = Kind::flag,
         .usual = "false"},
        [](Document & d) -> auto& { return d.labPanel.wholeSteps; }));
    all.push_back({.path = "lab.own_text",
                   .label = "Own kernel",
                   .idea = "the text in the lab's editor, which is compiled only where that is asked for",
                   .kind = Kind::text,
                   .usual = "(empty)",
                   .get = [](const Document& d) -> Value { return d.labPanel.own.text; },
                   .set = [](Document& d, const Value& v) { d.labPanel.own.text = textOf(v); }});
    all.push_back(fact({.path = "lab.own",
                        .label = "Trial",
                        .idea = "how the last trial of the own kernel ended: none, trying, good, wrong, bad-text, failed, "
                                "no-compiler or no-device",
                        .kind = Kind::text},
                       [](const Document& d) -> Value { return std::string(stateOf(d.labPanel.own)); }));
    all.push_back(fact({.path = "lab.own_said",
                        .label = "Of the trial",
                        .idea = "why the own kernel is not good, or how good it is",
                        .kind = Kind::text},
                       [](const Document& d) -> Value { return d.labPanel.own.sentence; }));
    all.push_back(fact({.path = "lab.own_time",
                        .label = "Force",
                        .idea = "time of one force of the own kernel in its last trial",
                        .unit = "s",
                        .measured = true},
                       [](const Document& d) -> Value { return d.labPanel.own.secondsPerForce; }));
    all.push_back(fact({.path = "lab.own_gain",
                        .label = "Gain",
                        .idea = "how much faster the last trial was than the exercise as it came; 0 before both are known",
                        .measured = true},
                       [](const Document& d) -> Value {
                           const OwnKernel& own = d.labPanel.own;
                           const bool known = own.outcome == OwnOutcome::good && own.secondsPerForce > 0;
                           return known ? own.exerciseSeconds / own.secondsPerForce : 0.0;
                       }));
    all.push_back(fact({.path = "lab.own_barriers",
                        .label = "Barriers",
                        .idea = "how often __syncthreads() stands in the text, remarks left out",
                        .kind = Kind::integer},
                       [](const Document& d) -> Value {
                           return static_cast<std::int64_t>(countIn(d.labPanel.own.text, "__syncthreads()"));
                       }));
    all.push_back({.path = "lab.matrix",
                   .label = "Shows",
                   .idea = "what a cell of the matrix shows: force, potential, component or distance",
                   .kind = Kind::choice,
                   .usual = pairValueNames().front(),
                   .choices = [] { return std::vector<std::string>(pairValueNames().begin(), pairValueNames().end()); },
                   .noun = "value of a pair",
                   .get = [](const Document& d) -> Value { return std::string(nameOf(d.labPanel.matrix)); },
                   .set = [](Document& d, const Value& v) { d.labPanel.matrix = pairValue(textOf(v)); }});
    all.push_back(withMember(
        {.path = "lab.borders",
         .label = "Borders",
         .idea = "borders of tiles, blocks and waves over the matrix",
         .kind = Kind::flag,
         .usual = "true"},
        [](Document & d) -> auto& { return d.labPanel.borders; }));
    all.push_back(withMember(
        {.path = "lab.visits",
         .label = "Visits",
         .idea = "cells of the matrix light up in slow motion, in the order in which the kernel visits "
                 "them",
         .kind = Kind::flag,
         .usual = "false"},
        [](Document & d) -> auto& { return d.labPanel.visits; }));
    all.push_back(fact({.path = "lab.busy",
                        .label = "Measuring",
                        .idea = "a sweep or search is under way",
                        .kind = Kind::flag,
                        .measured = true},
                       [](const Document& d) -> Value { return d.facts.labBusy; }));
    all.push_back(fact({.path = "lab.status",
                        .label = "Status",
                        .idea = "what is measured, or how it ended",
                        .kind = Kind::text,
                        .measured = true},
                       [](const Document& d) -> Value { return d.facts.labStatus; }));
}

}  // namespace

std::vector<Parameter> windowParameters() {
    std::vector<Parameter> all;
    addWindow(all);
    addFiles(all);
    addPicture(all);
    addFilm(all);
    addHistory(all);
    addLab(all);
    std::vector<Parameter> pages = labParameters();
    all.insert(all.end(), std::make_move_iterator(pages.begin()), std::make_move_iterator(pages.end()));
    return all;
}

}  // namespace gravlab
