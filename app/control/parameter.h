// Every property that can be read or changed by name, as one table: scripts, files, options, lists and docs walk it, so that
// a range and its sentence of refusal are written once. A new property is one row in the file of its group
// (parameters_*.cpp). Rule: paths and values are in the program's own units and in English; what people see is converted by
// `shown`.
#pragma once
#include "app/control/setting_choices.h"
#include "app/model/document.h"
#include "sim/backends/kernel.h"
#include "sim/core/value.h"

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// What a value must be.
enum class Kind {
    flag,     ///< bool
    integer,  ///< std::int64_t or std::uint64_t
    number,   ///< double
    choice,   ///< text, one of `choices`
    names,    ///< text: some of `choices`, separated by commas; all or none
    text,     ///< any text
    list      ///< `size` numbers
};

/// Ends of a range; both are allowed.
struct Bounds {
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
    bool aboveLeast = false;  ///< `least` itself is not allowed
    bool zero = true;         ///< false: anything but 0
};

/// The unit in which options, files and panels have it: shown = value * scale.
struct Shown {
    std::string_view unit{};
    double scale = 1;
};

/// How a hand moves a number on the screen, in the unit of files and panels.
struct Dragged {
    double speed = 0.01;  ///< part of the value a pixel
    double floor = 1e-4;  ///< of a pixel at least, for values near 0
    const char* format = "%.4g";
    bool onRelease = false;  ///< taken when the mouse lets go: what starts the scene again
    /// What a drag reaches; commands and files go as far as the bounds.
    double least = -1e30, most = 1e30;
};

/// Where a property is kept, by the names that it has there; empty: not there. Where a flag and another row have one name,
/// the flag is true as soon as the other is given, and an empty text in a file says that it is not.
struct Kept {
    std::string_view option{};         ///< of the command line: --glow
    std::string_view scene{};          ///< key of scene files; those of [view] begin with view.
    std::string_view configuration{};  ///< TABLE.KEY of config.toml
    std::string_view checkpoint{};     ///< key of the settings of a run
    std::string_view placeholder{};    ///< of the option's value in help; empty: by its kind
    std::string_view alias{};          ///< the option's other name
    std::string_view before{};         ///< another option that goes before the configuration
    std::string_view help{};           ///< of the option, where the idea does not fit; empty: the idea
    bool window = false;               ///< only a window has a use for the option
    std::string_view off{}, on{};      ///< a flag in options and files; empty: false and true, and an option without a value
};

/// A row.
struct Parameter {
    std::string path{};        ///< stable: "look.glow"
    std::string_view label{};  ///< a short word or two
    std::string_view idea{};   ///< one line
    /// What the words of label and idea mean, in a sentence or two for who does not know them: the panels' tooltips, and
    /// docs. Empty where the idea says all.
    std::string_view term{};
    std::string_view unit{};  ///< [L], [T], rad, s; empty: none
    Kind kind = Kind::number;
    Bounds bounds{};
    std::size_t size = 0;      ///< of a list
    std::string_view usual{};  ///< unless somebody says otherwise: a value, or words in brackets
    /// A word that it takes too: "auto" where scene, backend or machine choose, "same" where the first run does. Empty:
    /// none.
    std::string_view otherwise{};
    bool automatic = false;  ///< a number that takes "auto" beside `otherwise`
    bool multiples = false;  ///< whole numbers may be written 64k (= 65536) and 1M
    bool single = false;     ///< is held in single precision, where it must be allowed too
    bool measured = false;   ///< depends on the clock of the machine, so it is nothing where no clock shows
    Shown shown{};
    Dragged dragged{};
    Kept kept{};
    /// Names of a choice; and how to speak of them where they are many or differ from build to build.
    std::function<std::vector<std::string>()> choices{};
    std::string_view names{};
    std::string_view noun{};  ///< what a name is, for refusals: "colour mode"; empty: the label
    /// The same as a list to choose from, with what each is and why it cannot be taken now; null: the names alone.
    std::function<std::vector<SettingChoice>(const Document&)> offers{};
    /// How people read a name of a choice where that says more; null: the name itself.
    std::string (*spoken)(const std::string& name) = nullptr;
    /// The value in force.
    std::function<Value(const Document&)> get{};
    /// What was asked for, where that can differ from what is in force; null: the same.
    std::function<Value(const Document&)> asked{};
    /// Takes a value that checked() has passed. Throws UsageError for what only shows in company. Null: a fact.
    std::function<void(Document&, const Value&)> set{};
    /// Settings of the run: the same for a request that is no document's; where a row does not say how, it is as in files.
    /// Null: it is none.
    std::function<void(RunRequest&, const Value&)> ask{};
    /// Why it cannot be set now; null or empty: it can.
    std::function<Reason(const Document&)> unavailable{};

    bool fact() const { return set == nullptr; }
};

/// All rows, in the order of their groups.
std::span<const Parameter> parameters();
/// The row of that path; null when there is none.
const Parameter* findParameter(std::string_view path);
/// The same. Throws UsageError naming the nearest.
const Parameter& parameter(std::string_view path);

/// The first row that is kept under that key of a run's settings, which there must be.
const Parameter& ofSetting(std::string_view key);

/// What is allowed, in words: "a number from 0 to 1", "auto, or a whole number of at least 1".
std::string allowedText(const Parameter& parameter);
/// The value in the row's own type. Throws UsageError "NAME VALUE: expected ..." with what is allowed; `name` is the path
/// unless another one is given. With `shown`, value and sentence are in the unit of options and files.
Value checked(const Parameter& parameter, const Value& value, std::string_view name = {}, bool shown = false);

/// Sets what a path names. Throws UsageError: an unknown path, a fact, a value that is not allowed, or why not now.
void setParameter(Document& document, std::string_view path, const Value& value);

/// The same of all that were asked for, in the order of the table.
void applySettings(Document& document, const Settings& settings);
/// Whether they say where the camera is or what it follows.
bool placesCamera(const Settings& settings);

/// What the text of an option says, as the row has it; `option` is its name in refusals. Throws UsageError.
Value optionValue(const Parameter& parameter, std::string_view option, const std::string& text);
/// The same of a value of TOML behind a key of a file.
Value fileValue(const Parameter& parameter, std::string_view key, std::string_view text);
/// The value of TOML that fileValue() gives back.
std::string fileText(const Parameter& parameter, const Value& value);
/// The flag that has one name with a row that is none, or that row of a flag; null: there is none. `name`: where.
const Parameter* sharing(const Parameter& parameter, std::string_view Kept::*name);

/// What can be chosen now, and what cannot with the reason; the one in force is marked. Of a choice only.
std::vector<SettingChoice> offersOf(const Parameter& parameter, const Document& document);

/// What a refusal says: "look.glow '...': expected a finite number of at least 0 and at most 1".
std::string refusalText(const Parameter& parameter);

/// "command line (--glow), scene file (glow)"; "nowhere" for what is kept nowhere.
std::string keptText(const Parameter& parameter);

// The groups of rows.
std::vector<Parameter> runParameters();
std::vector<Parameter> comparisonParameters();
std::vector<Parameter> lookParameters();
std::vector<Parameter> viewParameters();
std::vector<Parameter> windowParameters();
std::vector<Parameter> labParameters();

}  // namespace gravlab
