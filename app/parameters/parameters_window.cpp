// The window and its panels, films, kept states, the lab and lessons.
#include "app/film/encoders.h"
#include "app/model/film_plan.h"
#include "app/parameters/parameter_rows.h"
#include "app/tables/lab_sweep.h"
#include "sim/api/errors.h"
#include "sim/io/snapshot.h"
#include "sim/measure/profile.h"

#include <algorithm>
#include <span>

namespace gravlab {
namespace {

using namespace rows;

constexpr int kMostGalaxies = 64;
constexpr Bounds kPictureSides{.least = 0, .most = 16384};

template <auto member>
constexpr auto inUi = at<&Document::ui, member>;
template <auto member>
constexpr auto inFilm = at<&Document::ui, &UiState::film, member>;
template <auto member>
constexpr auto inLab = at<&Document::labPanel, member>;
template <auto member>
constexpr auto inOwn = at<&Document::labPanel, &LabPanel::own, member>;

/// Extensions of files for bodies; the first format is exact.
std::vector<std::string_view> savedEndings() {
    std::vector<std::string_view> endings;
    for (const FileFormat& format : fileFormats())
        if (format.write) endings.push_back(format.extensions.front());
    return endings;
}

struct DepthRow {
    std::string_view name, idea;
};
std::span<const DepthRow> depths() {
    static constexpr DepthRow kDepths[] = {{"watch", "the picture, its scene and the play bar"},
                                           {"teach", "lessons, and the error in words"},
                                           {"measure", "every setting, every curve and the rate"}};
    return kDepths;
}

void addGroups(Rows& rows) {
    rows.member("groups.linking", "Linking",
                "largest distance of friends, in mean distances of bodies; the next search uses it", "0.2",
                at<&Document::groups, &GroupsWish::linking>,
                {.explanation = "A group holds all bodies that are connected by friends (friends of friends). The mean "
                                "distance is that of bodies "
                                "spread evenly over the box that holds all of them; 0.2 is usual for haloes.",
                 .bounds = {.least = 0, .most = 1000, .aboveLeast = true}});
    rows.member("groups.least", "Least",
                "least number of bodies in a group with a colour and a line; the next search uses it", "10",
                at<&Document::groups, &GroupsWish::least>, {.bounds = {.least = 1, .most = 2147483647}});
    const auto add = [&](const char* path, std::string_view label, std::string_view idea, auto get) {
        rows.fact(path, label, idea,
                  [get](const Document& d) {
                      return d.facts.groups ? wholeValue(static_cast<std::uint64_t>(get(*d.facts.groups))) : Value();
                  },
                  {.kind = Kind::integer});
    };
    add("groups.count", "Groups", "groups with enough bodies, as found last",
        [](const KnownGroups& known) { return known.table.groups.size(); });
    add("groups.largest", "Largest group", "bodies of it",
        [](const KnownGroups& known) { return known.table.groups.empty() ? 0 : known.table.groups.front().members; });
    const auto reached = [](const KnownGroups& known) {
        return std::ranges::count_if(known.depths, [](std::uint32_t depth) { return depth != kNoDepth; });
    };
    add("groups.reached", "Reached bodies",
        "bodies that chains of friends reach from the selected one, as found last for --colour depth", reached);
    add("groups.deepest", "Deepest", "largest depth: friendships from the selected body to the farthest one, as found last",
        [](const KnownGroups& known) {
            std::uint32_t deepest = 0;
            for (const std::uint32_t depth : known.depths)
                if (depth != kNoDepth) deepest = std::max(deepest, depth);
            return deepest;
        });
    add("groups.step", "Groups of step", "the step at which groups were found last",
        [](const KnownGroups& known) { return known.step; });
}

void addInstruments(Rows& rows) {
    rows.choice("instruments.centre", "Centre",
                "what radii are measured from: the centre of mass of the chosen bodies, the heaviest of them, or the place "
                "where they lie most densely",
                "(core of galaxies, else mass)", profileCentres, at<&Document::profileWanted, &ProfileRequest::centre>,
                {.displayName = [](const std::string& name) -> std::string {
                    return name == "mass" ? "centre of mass" : name == "core" ? "densest place" : "heaviest body";
                }});
    rows.own("instruments.galaxy", "Galaxy",
             "only the bodies that started in the galaxy of that number, from 1, or all; one is measured from its densest "
             "place, because the others pull its halo along",
             "(the first of several, else all)",
             {.kind = Kind::choice,
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
              .displayName = [](const std::string& name) { return name == "all" ? "all bodies" : "galaxy " + name; },
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
}

void addWindow(Rows& rows) {
    rows.member("window.visible", "Panels over the picture", "anything but the picture", "true", inUi<&UiState::visible>,
                {.storedAs = {.option = "--no-ui", .help = "start with the panels hidden", .window = true}});
    rows.choice("window.depth", "Depth", "how much the panels show", "watch", depths, inUi<&UiState::depth>,
                {.storedAs = {.option = "--depth", .scene = "view.depth", .configuration = "window.depth", .window = true},
                 .displayName = [](const std::string& name) -> std::string {
                     return name == "watch" ? "Watch" : name == "teach" ? "Teach" : "Measure";
                 }});
    rows.member("window.panels", "Panels", "controls and measurements", "true", inUi<&UiState::panel>,
                {.storedAs = {.configuration = "panels.panels"}});
    rows.member("window.measurements", "Measurements",
                "measurements are shown where there is no room for the controls beside them", "",
                inUi<&UiState::measurements>);
    rows.member("window.conservation", "Energy and momenta", "the strip of energy and momenta", "true",
                inUi<&UiState::conservation>, {.storedAs = {.configuration = "panels.conservation"}});
    rows.member("window.instruments", "Instruments", "profiles of a galaxy, in place of that strip", "",
                inUi<&UiState::instruments>, {.storedAs = {.configuration = "panels.instruments"}});
    rows.member("window.timeline", "Kept states", "the strip of kept states", "(true where states are kept)",
                inUi<&UiState::timeline>);
#define GRAVLAB_PANEL(name, draw, label, idea, usual, ...) \
    rows.member("window." #name, label, idea, usual, inUi<&UiState::name> __VA_OPT__(, ) __VA_ARGS__);
    GRAVLAB_PANELS
#undef GRAVLAB_PANEL
    rows.member("window.full_screen", "Full screen", "the window covers its display", "", inUi<&UiState::fullscreen>,
                {.storedAs = {.option = "--fullscreen", .window = true}});
    rows.member("window.projector", "Projector", "large letters, strong contrast, thick lines", "",
                inUi<&UiState::projector>, {.storedAs = {.configuration = "window.projector"}});
    rows.member("window.display_sync", "Display sync", "wait for the display before showing a picture", "true",
                inUi<&UiState::vsync>,
                {.storedAs = {.option = "--no-vsync",
                              .configuration = "window.display_sync",
                              .help = "do not wait for the display",
                              .window = true}});
    rows.member(
        "window.text_scale", "Text", "size of the panels' text, relative to the scale of the display", "1",
        inUi<&UiState::textScale>,
        {.bounds = {.least = 0.5, .most = 4}, .storedAs = {.configuration = "window.text_scale", .before = "--ui-scale"}});
    rows.member("window.files", "Files", "the panel to open and save", "",
                at<&Document::ui, &UiState::files, &FilesState::shown>);
    addInstruments(rows);
    addGroups(rows);
    rows.measured("window.frames_per_second", "Frames", "pictures a second",
                  at<&Document::facts, &RunFacts::framesPerSecond>,
                  {.explanation = "From about 25 a movement looks smooth; a display shows 60 at most.", .unit = "1/s"});
    rows.measured("window.frame_time", "Frame", "time from one picture to the next, on average",
                  at<&Document::facts, &RunFacts::frameMilliseconds>, {.unit = "ms"});
    rows.fact("window.message", "Message", "the sentence on screen", at<&Document::message>);
    rows.choice("window.save_ending", "Format",
                "ending of a file to be saved: .hdf5 continues exactly, the others keep the bodies", ".hdf5", savedEndings,
                at<&Document::ui, &UiState::files, &FilesState::ending>, {.noun = "ending"});
}

void addPicture(Rows& rows) {
    constexpr std::string_view kIdea = "of pictures that the window writes; 0 is the window's own";
    rows.member("picture.width", "Width", kIdea, "0", inUi<&UiState::pictureWidth>, {.unit = "px", .bounds = kPictureSides});
    rows.member("picture.height", "Height", kIdea, "0", inUi<&UiState::pictureHeight>,
                {.unit = "px", .bounds = kPictureSides});
    rows.member("picture.panels", "With panels", "draw the panels into the pictures that the window writes", "",
                inUi<&UiState::picturePanels>);
}

void addFilm(Rows& rows) {
    rows.member("film.panel", "Film", "the panel of films", "", inFilm<&FilmState::shown>);
    constexpr std::string_view kIdea = "of films that the window records; 0 is the window's own";
    rows.member("film.width", "Width", kIdea, "0", inFilm<&FilmState::width>, {.unit = "px", .bounds = kPictureSides});
    rows.member("film.height", "Height", kIdea, "0", inFilm<&FilmState::height>, {.unit = "px", .bounds = kPictureSides});
    rows.member(
        "film.steps_per_frame", "Steps a frame",
        "steps between two frames of the film, at any speed of the window; 0: the speed or the steps a frame of the run",
        "0", inFilm<&FilmState::stepsPerFrame>,
        {.bounds = {.least = 0, .most = 1000000}, .dragged = {.floor = 0.1, .format = "%.0f"}});
    rows.member("film.frames_per_second", "Frames/s", "how fast the film is played", "60", inFilm<&FilmState::fps>,
                {.unit = "1/s", .bounds = {.least = 0, .most = 1000, .aboveLeast = true}});
    rows.member("film.length", "Length", "after which the film is complete; 0 records until stopped", "0",
                inFilm<&FilmState::seconds>,
                {.unit = "s", .bounds = {.least = 0, .most = 36000}, .dragged = {.floor = 0.1, .format = "%.4g s"}});
    rows.member("film.loop", "Loop", "one whole period of the scene, so that the end of the film joins its start", "",
                inFilm<&FilmState::loop>, {.unavailable = noLoop});
    rows.numberOrAuto("film.quality", "Quality", "0 makes small files, 100 large ones", inFilm<&FilmState::quality>, -1,
                      {.bounds = {.least = 0, .most = 100}, .dragged = {.format = "%.0f"}});
    rows.choice("film.encoder", "Encoder", "program that writes films", "auto", encoders, inFilm<&FilmState::encoder>,
                {.specialValue = "auto",
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
    rows.member("film.panels", "With panels", "draw the panels into the film", "", inFilm<&FilmState::panels>);
    rows.measured("film.work", "Work", "time that a second of the film has taken",
                  [](const Document& d) {
                      const double work = d.ui.film.workPerSecond;
                      return work < 0 ? Value() : Value(work);
                  },
                  {.unit = "s"});
    rows.fact("film.recording", "Recording", "a film is being made", inFilm<&FilmState::active>);
    rows.fact("film.frames", "Frames", "of the film, drawn so far", inFilm<&FilmState::frames>);
    rows.fact("film.file", "File", "being written, or written last", inFilm<&FilmState::file>);
}

void addHistory(Rows& rows) {
    const auto add = [&](const char* path, std::string_view label, std::string_view idea, auto get,
                         std::string_view unit = {}) {
        rows.measured(path, label, idea,
                      [get](const Document& d) { return d.facts.history ? asValue(get(*d.facts.history)) : Value(); },
                      {.unit = unit, .kind = Kind::integer});
    };
    add("history.states", "Kept states", "that one can go back to",
        [](const HistoryFacts& history) { return history.states; });
    add("history.oldest_step", "Oldest", "step of the oldest kept state",
        [](const HistoryFacts& history) { return history.states == 0 ? Value() : Value(history.oldestStep); });
    add(
        "history.bytes", "Memory", "that kept states take", [](const HistoryFacts& history) { return history.bytes; },
        "byte");
}

std::vector<std::string> termNames() {
    std::vector<std::string> names{std::string(kPairLawTerm)};
    for (const TermKind& kind : termKinds()) names.emplace_back(kind.name);
    return names;
}

void addLab(Rows& rows) {
    rows.member("lab.open", "Lab", "the lab's panel", "", inLab<&LabPanel::open>,
                {.storedAs = {.option = "--lab", .configuration = "panels.lab"}});
    rows.choice(
        "lab.page", "Page", "launch, sweep, matrix, ladder, recorded, calculator, memory or own", labPages().front(),
        labPages, inLab<&LabPanel::page>,
        {.storedAs = {.option = "--lab", .configuration = "panels.lab", .placeholder = "PAGE", .help = "open the lab"},
         .noun = "page of the lab"});
    rows.choice("lab.term", "Of",
                "force term whose kernels the lab measures and tunes; pair-law, or one that acts in the run", kPairLawTerm,
                termNames, inLab<&LabPanel::term>,
                {.names = "pair-law, or a term of 'gravlab list kernels'",
                 .noun = "force term",
                 .offers =
                     [](const Document& d) {
                         const RunConfiguration& now = d.facts.configuration;
                         const std::string_view chosen = rowOf(d.facts, d.labPanel.term).term;
                         std::vector<SettingChoice> offers;
                         for (const TermInUse& term : now.terms)
                             offers.push_back({.name = term.term, .idea = term.description, .chosen = chosen == term.term});
                         return offers;
                     },
                 .get = [](const Document& d) -> Value {
                     return d.labPanel.term.empty() ? std::string(kPairLawTerm) : d.labPanel.term;
                 }});
    rows.choice("lab.sweep", "Over", "what a sweep varies; the kernel in use cannot vary the grey ones",
                labSweeps().front().name, labSweeps, inLab<&LabPanel::sweep>, {.offers = [](const Document& d) {
                    const KernelRow& kernel = rowOf(d.facts, d.labPanel.term);
                    std::vector<SettingChoice> offers = offersOf(labSweeps(), sweepFor(d.labPanel.sweep, kernel).name);
                    for (std::size_t i = 0; i < offers.size(); ++i) offers[i].refused = refusal(labSweeps()[i], kernel);
                    return offers;
                }});
    rows.member("lab.whole_steps", "Whole steps",
                "the rate over the time of whole steps, integration included, and not of the forces alone", "",
                inLab<&LabPanel::wholeSteps>);
    rows.member("lab.own_text", "Own kernel", "the text in the lab's editor, which is compiled only on request", "(empty)",
                inOwn<&OwnKernel::text>);
    rows.fact("lab.own", "Trial",
              "how the last trial of the own kernel ended: none, trying, good, wrong, bad-text, failed, no-compiler or "
              "no-device",
              [](const Document& d) { return stateOf(d.labPanel.own); });
    rows.fact("lab.own_said", "Of the trial", "why the own kernel is not good, or how good it is",
              inOwn<&OwnKernel::sentence>);
    rows.measured("lab.own_time", "Force", "time of one force of the own kernel in its last trial",
                  inOwn<&OwnKernel::secondsPerForce>, {.unit = "s"});
    rows.measured("lab.own_gain", "Gain",
                  "how much faster the last trial was than the exercise's first text; 0 before both are known",
                  [](const Document& d) {
                      const OwnKernel& own = d.labPanel.own;
                      const bool known = own.outcome == OwnOutcome::good && own.secondsPerForce > 0;
                      return known ? own.exerciseSeconds / own.secondsPerForce : 0.0;
                  });
    rows.fact("lab.own_barriers", "Barriers", "how often __syncthreads() stands in the text, remarks left out",
              [](const Document& d) { return countIn(d.labPanel.own.text, "__syncthreads()"); });
    rows.choice("lab.matrix", "Shows", "what a cell of the matrix shows: force, potential, component or distance",
                pairValueNames().front(), pairValueNames, inLab<&LabPanel::matrix>, {.noun = "value of a pair"});
    rows.member("lab.borders", "Borders", "borders of tiles, blocks and waves over the matrix", "true",
                inLab<&LabPanel::borders>);
    rows.member("lab.visits", "Visits",
                "cells of the matrix light up in slow motion, in the order in which the kernel visits them", "",
                inLab<&LabPanel::visits>);
    rows.measured("lab.busy", "Measuring", "a sweep or search is under way", at<&Document::facts, &RunFacts::labBusy>);
    rows.measured("lab.status", "Status", "what is measured, or how it ended", at<&Document::facts, &RunFacts::labStatus>);
}

void addLessons(Rows& rows) {
    rows.member("lesson.large", "Large type", "the lesson in large type, to be read from the last row", "",
                at<&Document::lesson, &LessonState::large>);
    rows.member("lesson.progress", "Progress", "the steps of each lesson that were reached", "(none)",
                at<&Document::lesson, &LessonState::progress>, {.storedAs = {.configuration = "lessons.progress"}});
    const auto add = [&](const char* path, std::string_view label, std::string_view idea, Kind kind, auto get) {
        rows.fact(path, label, idea, [get](const Document& d) { return d.lesson.lesson ? asValue(get(d.lesson)) : Value(); },
                  {.kind = kind});
    };
    add("lesson.name", "Lesson", "the lesson that is open", Kind::text,
        [](const LessonState& at) { return at.lesson->name; });
    add("lesson.step", "Step", "of the lesson, from 1", Kind::integer, [](const LessonState& at) { return at.step + 1; });
    add("lesson.steps", "Steps", "of the lesson", Kind::integer,
        [](const LessonState& at) { return at.lesson->steps.size(); });
    add("lesson.phase", "Phase", "of the step: setup, predict, begin, act, after, question, done", Kind::text,
        [](const LessonState& at) { return nameOf(at.phase); });
}

}  // namespace

std::vector<Parameter> windowParameters() {
    Rows rows;
    addWindow(rows);
    addPicture(rows);
    addFilm(rows);
    addHistory(rows);
    addLab(rows);
    for (Parameter& page : labParameters()) rows.all().push_back(std::move(page));
    addLessons(rows);
    return rows.take();
}

}  // namespace gravlab
