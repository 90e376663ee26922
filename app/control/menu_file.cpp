// The rows of the menus File and Help.
#include "app/control/action.h"
#include "app/model/film_plan.h"
#include "app/model/ui_state.h"
#include "app/parameters/parameter.h"
#include "sim/api/errors.h"
#include "sim/io/formats/units.h"
#include "sim/io/shared_bodies.h"

namespace gravlab {
namespace {

/// The argument as the name of a file. Throws UsageError.
std::string fileOf(const Value& argument, std::string_view ending = {}) {
    std::string name = wordOf(argument);
    if (name.empty() || !name.ends_with(ending))
        throw UsageError("'" + name + "': expected the name of a file" +
                         (ending.empty() ? "" : " that ends with " + std::string(ending)));
    return name;
}

/// Opens the file of the present bodies again. Throws UsageError where no row has these units.
Effect openWithUnits(const KeyTarget& t, std::string_view units) {
    return Open{.file = t.facts.configuration.start->file.path, .units = std::string(unitSystem(units).name)};
}

Reason noFileOfBodies(const KeyTarget& t) {
    const StartState* start = t.facts.configuration.start.get();
    return start && !start->file.path.empty() ? Reason() : Reason("The bodies on screen come from no file.");
}

Reason noDoubt(const KeyTarget& t) { return t.unitsInDoubt() ? Reason() : Reason("No question about units is open."); }

Reason noOrbitDoubt(const KeyTarget& t) {
    return t.orbitsInDoubt().empty() ? Reason("The steps follow the orbits of these bodies.") : Reason();
}

Reason filmEnding(const KeyTarget& t) {
    return t.ui.film.ending ? Reason("The film is complete; the encoder writes its last frames.") : Reason();
}

Reason nothingLeft(const KeyTarget& t) {
    return t.ui.files.recover.empty() ? Reason("No earlier run has left anything to continue from.") : Reason();
}

Reason nothingShared(const KeyTarget& t) {
    return t.ui.files.shared < 0 ? Reason("No memory is shared; start 'gravlab play' with --share DESCRIPTOR.") : Reason();
}

constexpr Action kFile[] = {
    does("open", "Open and save ...", "save and open files",
         {.strokes = {{Key{'O'}, kControl}}, .parameter = "window.files"}),
    does("save", "Save the run", "save the run into the current folder",
         {.strokes = {{Key{'S'}, kControl}},
          .effect = sends<SaveRun>,
          .argument = "FILE",
          .effectWith = [](const KeyTarget&, const Value& file) -> Effect { return SaveRun{fileOf(file)}; },
          .undoSkips = kFileStays}),
    does("recover", "Continue from there",
         "open what was saved last before the program ended unexpectedly; the run on screen ends",
         {.effect = sends<Recover>,
          .unavailable = nothingLeft,
          .whyNotUndoable = "Opening has ended the run before, of which nothing is kept; open that one again."}),
    does("discard", "Discard", "remove what was saved last before the program ended unexpectedly; nothing else changes",
         {.effect = sends<ForgetSession>, .unavailable = nothingLeft, .whyNotUndoable = "What was discarded is gone."}),
    does("reopen-units", "Open again with units",
         "open the file of the bodies on screen again, its numbers in other units; the run on screen ends",
         {.effect =
              [](const KeyTarget& t, int) {
                  const std::string& units = t.facts.configuration.start->doubt.units;
                  if (units.empty())
                      throw UsageError("'reopen-units' needs UNITS, such as galactic; 'gravlab --help' lists them");
                  return openWithUnits(t, units);
              },
          .unavailable = noFileOfBodies,
          .argument = "UNITS",
          .effectWith = [](const KeyTarget& t, const Value& units) { return openWithUnits(t, wordOf(units)); }}),
    does("units-fine", "No, without units", "close the question about the units",
         {.act = [](KeyTarget& t, int) { t.ui.files.doubtLeft = t.facts.configuration.start->file.path; },
          .unavailable = noDoubt,
          .undoSkips = "A question that was put away does not come back; reopen-units opens the file with other units."}),
    does("use-radau15", "Use radau15", "take the integrator that chooses its own steps, for the orbits of few bodies",
         {.act = [](KeyTarget& t, int) { setParameter(t, "run.integrator", Value(std::string("radau15"))); },
          .unavailable = noOrbitDoubt}),
    does("orbits-fine", "Keep the steps", "close the question about the orbits of few bodies",
         {.act = [](KeyTarget& t, int) { t.ui.files.orbitsLeft = t.facts.configuration.start->file.path; },
          .unavailable = noOrbitDoubt,
          .undoSkips = "A question that was put away does not come back; the integrator can be chosen in the panel."}),
    does("list-folder", "List a folder", "list the files of another folder in the panel of files",
         {.effect = [](const KeyTarget&, int) -> Effect { return ListFolder{"."}; },
          .argument = "FOLDER",
          .effectWith = [](const KeyTarget&, const Value& folder) -> Effect { return ListFolder{fileOf(folder)}; },
          .undoSkips = "Which folder is listed changes nothing of the run; list another one."}),
    does("save-scene", "Save as scene file", "write scene, camera and look as a scene file into the current folder",
         {.strokes = {{Key{'E'}, kControl}},
          .effect = sends<SaveScene>,
          .argument = "FILE.toml",
          .effectWith = [](const KeyTarget&, const Value& file) -> Effect { return SaveScene{fileOf(file, ".toml")}; },
          .undoSkips = kFileStays,
          .line = true}),
    does("share", "Share bodies", "write arrays of the last complete step into the memory that a client shares",
         {.effect = [](const KeyTarget&, int) -> Effect { return ShareBodies{kSharedPositions}; },
          .unavailable = nothingShared,
          .argument = "ARRAYS",
          .effectWith = [](const KeyTarget&, const Value& arrays) -> Effect {
              return ShareBodies{sharedArraysOf(wordOf(arrays))};
          },
          .undoSkips = "The client has the arrays; nothing of the run has changed.",
          .client = true}),
    does("take", "Take bodies", "begin a run from the bodies in the memory that a client shares; the run on screen ends",
         {.effect = sends<TakeBodies>,
          .unavailable = nothingShared,
          .argument = "UNITS",
          .effectWith = [](const KeyTarget&, const Value& units) -> Effect { return TakeBodies{wordOf(units)}; },
          .whyNotUndoable = "Taking bodies has ended the run before, of which nothing is kept; open that one again.",
          .client = true}),
    does("replace", "Replace bodies",
         "give the bodies of the run the arrays in the memory that a client shares; the run continues",
         {.effect = sends<ReplaceBodies>,
          .unavailable = nothingShared,
          .whyNotUndoable = "A client has replaced the bodies, and nothing of those before is kept.",
          .client = true}),
    does("picture", "Save picture", "save a picture in the current folder, in full quality",
         {.strokes = {{Key::f12}},
          .effect = sends<SavePicture>,
          .argument = "FILE.png",
          .effectWith = [](const KeyTarget&, const Value& file) -> Effect { return SavePicture{fileOf(file, ".png")}; },
          .undoSkips = kFileStays}),
    {.name = "picture-panels", .parameter = "picture.panels", .list = "Pictures"},
    does(
        "picture-size", "Size", "size of pictures in pixels, independent of the window",
        {.act =
             [](KeyTarget& t, int which) {
                 const PictureSize& size = pictureSizes()[static_cast<std::size_t>(which) % pictureSizes().size()];
                 t.ui.pictureWidth = size.width;
                 t.ui.pictureHeight = size.height;
             },
         .choices =
             [](const KeyTarget& t) {
                 std::vector<SettingChoice> all;
                 for (const PictureSize& row : pictureSizes())
                     all.push_back({row.name, row.idea, row.width == t.ui.pictureWidth && row.height == t.ui.pictureHeight});
                 return all;
             },
         .list = "Pictures"}),
    does("record", "Record a film", "start a film in the current folder, or stop and keep it",
         {.strokes = {{Key{'R'}, kControl}},
          .effect = [](const KeyTarget& t, int) -> Effect {
              return Record{t.ui.film.active ? Record::What::stop : Record::What::start};
          },
          .checked = [](const KeyTarget& t) { return t.ui.film.active; },
          .unavailable = filmEnding,
          .undoSkips = "A film is stopped with Ctrl R, or cancelled in its panel."}),
    does("cancel-film", "Cancel the film", "end the film and keep nothing",
         {.effect = [](const KeyTarget&, int) -> Effect { return Record{Record::What::cancel}; },
          .unavailable =
              [](const KeyTarget& t) { return t.ui.film.active ? filmEnding(t) : Reason("No film is being recorded."); },
          .whyNotUndoable = "A film that was cancelled is gone; record it again."}),
    does("film", "Film ...", "size, encoder, pace and length of a film",
         {.strokes = {{Key{'R'}, kAlt}}, .parameter = "film.panel"}),
    does("quit", "Quit", "quit",
         {.strokes = {{Key{'Q'}, kControl}},
          .effect = sends<Quit>,
          .undoSkips = "Nothing comes after quitting; the autosave keeps the run.",
          .line = true}),
};

constexpr std::string_view kLessonStays = "Going through a lesson is not undone; the lesson can be gone through again.";

Reason noLessons(const KeyTarget& t) {
    return t.lesson.offered.empty()
               ? Reason("Lessons are gone through in a window; 'gravlab check --lessons' plays all of them without one.")
               : Reason();
}
Reason noLesson(const KeyTarget& t) { return t.lesson.lesson ? Reason() : Reason("No lesson is open."); }

Effect goBy(const KeyTarget& t, int steps) {
    return LessonGo{.what = LessonGo::What::go, .step = static_cast<int>(t.lesson.step) + steps};
}

/// Throws UsageError.
double numberIn(const Value& argument) {
    if (const std::optional<double> number = numberOf(argument)) return *number;
    throw UsageError("'" + valueText(argument) + "': expected a number");
}

constexpr Action kHelp[] = {
    {.name = "welcome", .parameter = "window.welcome"},
    does("keys", "Keys and mouse", "these keys", {.strokes = {{Key::f1}, {Key{'H'}}}, .parameter = "window.help"}),
    does("lessons", "Lessons ...", "the list of lessons: experiments to do, each with its explanation",
         {.strokes = {{Key::f2}},
          .effect = [](const KeyTarget&, int) -> Effect { return LessonGo{.what = LessonGo::What::list}; },
          .checked = [](const KeyTarget& t) { return t.lesson.listed; },
          .unavailable = noLessons,
          .undoSkips = kLessonStays,
          .line = true}),
    does("lesson", "Lesson", "begin a lesson",
         {.effect = [](const KeyTarget& t, int which) -> Effect {
              return LessonGo{.what = LessonGo::What::open,
                              .name = t.lesson.offered.at(static_cast<std::size_t>(which)).name};
          },
          .unavailable = noLessons,
          .choices =
              [](const KeyTarget& t) {
                  std::vector<SettingChoice> all;
                  for (const LessonOffer& offer : t.lesson.offered)
                      all.push_back({offer.name, offer.idea, t.lesson.lesson && t.lesson.lesson->name == offer.name});
                  return all;
              },
          .undoSkips = kLessonStays}),
    does("lesson-next", "Next step", "on to the next step of the lesson",
         {.strokes = {{Key::pageDown, kControl}},
          .effect = [](const KeyTarget& t, int) { return goBy(t, 1); },
          .unavailable = noLesson,
          .undoSkips = kLessonStays}),
    does("lesson-back", "Step before", "back to the step before, with the scene that belongs to it",
         {.strokes = {{Key::pageUp, kControl}},
          .effect = [](const KeyTarget& t, int) { return goBy(t, -1); },
          .unavailable = noLesson,
          .undoSkips = kLessonStays}),
    does("lesson-step", "This step again", "the step from its start, or another one by its number",
         {.effect = [](const KeyTarget& t, int) { return goBy(t, 0); },
          .unavailable = noLesson,
          .argument = "NUMBER",
          .effectWith = [](const KeyTarget&, const Value& number) -> Effect {
              constexpr double kMost = 1000;
              const double step = numberIn(number);
              if (!(step >= 1 && step <= kMost)) throw UsageError("a step is a number from 1");
              return LessonGo{.what = LessonGo::What::go, .step = static_cast<int>(step) - 1};
          },
          .undoSkips = kLessonStays}),
    does(
        "lesson-answer", "Answer", "what is predicted, or the answer to the question: the number of a choice, or a number",
        {.act = [](KeyTarget&, int) { throw UsageError("'lesson-answer' needs a number: that of a choice, or the answer"); },
         .unavailable =
             [](const KeyTarget& t) {
                 const LessonPhase phase = t.lesson.phase;
                 const bool open = t.lesson.lesson && (phase == LessonPhase::predict || phase == LessonPhase::question);
                 return open ? Reason() : Reason("No question is open; the panel of a lesson takes answers.");
             },
         .argument = "NUMBER",
         .effectWith = [](const KeyTarget&, const Value& number) -> Effect {
             return LessonGo{.what = LessonGo::What::answer, .answer = numberIn(number)};
         },
         .undoSkips = kLessonStays}),
    does("lesson-show", "Show me", "do what the step asks for",
         {.effect = [](const KeyTarget&, int) -> Effect { return LessonGo{.what = LessonGo::What::show}; },
          .unavailable =
              [](const KeyTarget& t) {
                  const LessonStep* step = t.lesson.now();
                  const bool can = step && !step->show.empty() && t.lesson.phase == LessonPhase::act;
                  if (!can && step && t.lesson.phase == LessonPhase::predict)
                      return Reason("First predict: choose an answer.");
                  return can ? Reason() : Reason("There is nothing to be done now.");
              },
          .undoSkips = kLessonStays}),
    does("lesson-large", "Present", "the lesson in large type, to be read from the last row", {.parameter = "lesson.large"}),
    does("lesson-close", "Close the lesson", "close the lesson; the run continues",
         {.effect = [](const KeyTarget&, int) -> Effect { return LessonGo{.what = LessonGo::What::close}; },
          .unavailable = [](const KeyTarget& t) { return t.lesson.shown() ? Reason() : Reason("No lesson is open."); },
          .undoSkips = kLessonStays}),
    does("find", "Find a command ...",
         "actions and settings by words; Enter does what is found, and sets the value behind the words of a setting",
         {.strokes = {{Key::f3}}, .parameter = "window.find", .redirects = true}),
    does("close", "Close what is open", "close a card, a list or a message, select nothing",
         {.strokes = {{Key::escape}},
          .act =
              [](KeyTarget& t, int) {
                  if (t.drop.dragging()) {
                      t.drop.cancel();
                      return;
                  }
                  if (t.aim.dragging()) {
                      t.aim.cancel();
                      return;
                  }
                  if (t.pull.on()) {
                      t.pull.end();
                      return;
                  }
                  t.drop.on = false;
                  t.ui.closePanels();
                  t.lesson.listed = false;
                  if (t.message.empty() && !t.storyEnded()) t.clearSelection();
                  t.storyLeft = t.facts.bodiesId;
                  t.dismissMessage();
              },
          .redirects = true}),
    does("dismiss", "Close the message", "close the message",
         {.act = [](KeyTarget& t, int) { t.dismissMessage(); },
          .unavailable = [](const KeyTarget& t) { return t.message.empty() ? Reason("There is no message.") : Reason(); },
          .undoSkips = "A message that was put away does not come back; what it was about is as before."}),
    does("about", "About gravlab", "which version this is, and what it runs on",
         {.parameter = "window.about", .line = true}),
};

}  // namespace

std::span<const Action> fileActions() { return kFile; }
std::span<const Action> helpActions() { return kHelp; }

}  // namespace gravlab
