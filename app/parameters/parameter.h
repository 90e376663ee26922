// Every property that has a name, as one table. Scripts, files, options, lists and docs all read it, so a range and its
// refusal are written once. A new property is one row in the file of its group (parameters_*.cpp).
// Rule: paths and values are in the program's own units and in English; `shown` converts what people see.
#pragma once
#include "app/model/document.h"
#include "app/parameters/setting_choices.h"
#include "sim/backends/kernel.h"
#include "sim/core/value.h"

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// The type of a value.
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

/// The unit in options, files and panels: shown = value * scale.
struct DisplayUnit {
    std::string_view unit{};
    double scale = 1;
};

/// How a drag on the screen moves a number, in the unit of files and panels.
struct DragSpec {
    double speed = 0.01;  ///< fraction of the value for each pixel
    double floor = 1e-4;  ///< least step for each pixel, for values near 0
    const char* format = "%.4g";
    bool onRelease = false;  ///< applied when the mouse releases it: for settings that restart the scene
    /// Range of a drag; commands and files may use the whole bounds.
    double least = -1e30, most = 1e30;
};

/// Names of the property in options and files; empty: it is not there. A flag and another row may have one name. The flag is
/// then true once the other value is given, and an empty text in a file means false.
struct StoredNames {
    std::string_view option{};         ///< option of the command line: --glow
    std::string_view scene{};          ///< key of scene files; keys of [view] begin with view.
    std::string_view configuration{};  ///< TABLE.KEY of config.toml
    std::string_view checkpoint{};     ///< key of the settings of a run
    std::string_view placeholder{};    ///< name of the option's value in the help; empty: by its kind
    std::string_view alias{};          ///< second name of the option
    std::string_view before{};         ///< another option that overrides the configuration
    std::string_view help{};           ///< help of the option, where the idea does not fit; empty: the idea
    bool window = false;               ///< only a window needs the option
    std::string_view off{},
        on{};  ///< words of a flag in options and files; empty: false and true, and an option without a value
};

/// One row of the table.
struct Parameter {
    std::string path{};        ///< stable: "look.glow"
    std::string_view label{};  ///< one or two short words
    std::string_view idea{};   ///< one line
    /// Explains the words of label and idea in a sentence or two, for tooltips of panels and for docs. Empty where the idea
    /// is enough.
    std::string_view explanation{};
    std::string_view unit{};  ///< [L], [T], rad, s; empty: none
    Kind kind = Kind::number;
    Bounds bounds{};
    std::size_t size = 0;            ///< length of a list
    std::string_view defaultText{};  ///< default: a value, or words in brackets
    /// An additional word: "auto" where scene, backend or machine choose, "same" for the value of the first run. Empty:
    /// none.
    std::string_view specialValue{};
    bool automatic = false;  ///< a number that takes "auto" beside `specialValue`
    bool multiples = false;  ///< whole numbers may be written 64k (= 65536) and 1M
    bool single = false;     ///< stored in single precision, so it must be valid there too
    bool measured = false;   ///< depends on the clock of the machine, so it is empty where no clock is visible
    bool counted = false;    ///< measured, but the same on every machine: never empty
    DisplayUnit displayUnit{};
    DragSpec dragged{};
    StoredNames storedAs{};
    /// Names of a choice; and a summary of them where they are many or differ between builds.
    std::function<std::vector<std::string>()> choices{};
    std::string_view names{};
    std::string_view noun{};  ///< noun for a name in refusals: "colour mode"; empty: the label
    /// The choices as a list, with explanations and with the reasons of impossible ones; null: the names alone.
    std::function<std::vector<SettingChoice>(const Document&)> offers{};
    /// Readable text for a name of a choice; null: the name itself.
    std::string (*displayName)(const std::string& name) = nullptr;
    /// The value in force.
    std::function<Value(const Document&)> get{};
    /// Whether the value of a state at or after `time` [T] is still to be measured; null: the value is always of now.
    std::function<bool(const Document&, double time)> lags{};
    /// The requested value, where it can differ from the value in force; null: they are the same.
    std::function<Value(const Document&)> requested{};
    /// Stores a value that checked() accepted. Throws UsageError for a conflict with other values. Null: the row is a fact.
    std::function<void(Document&, const Value&)> set{};
    /// Stores a run setting in a request without a document. Without a function of its own, a row uses the conversion of
    /// files. Null: it is no run setting.
    std::function<void(RunRequest&, const Value&)> ask{};
    /// Why it cannot be set now; null or empty: it can.
    std::function<Reason(const Document&)> unavailable{};

    bool fact() const { return set == nullptr; }
    /// Whether a script has no value of it; `clock`: whether the script sees the clock of the machine.
    bool hidden(bool clock) const { return measured && !counted && !clock; }
};

/// All rows, in the order of their groups.
std::span<const Parameter> parameters();
/// The row with that path; null when there is none.
const Parameter* findParameter(std::string_view path);
/// The row with that path. Throws UsageError, which names the nearest path.
const Parameter& parameter(std::string_view path);

/// The first row with that key among a run's settings; one must exist.
const Parameter& ofSetting(std::string_view key);

/// The allowed values in words: "a number from 0 to 1", "auto, or a whole number of at least 1".
std::string allowedText(const Parameter& parameter);
/// Converts the value to the row's type. Throws UsageError "NAME VALUE: expected ..." with the allowed values; `name`
/// defaults to the path. With `shown`, value and sentence are in the unit of options and files.
Value checked(const Parameter& parameter, const Value& value, std::string_view name = {}, bool shown = false);

/// Sets the parameter with that path. Throws UsageError: an unknown path, a fact, a value that is not allowed, or the reason
/// why not now.
void setParameter(Document& document, std::string_view path, const Value& value);

/// Sets all of these settings, in the order of the table.
void applySettings(Document& document, const Settings& settings);
/// Whether the settings place the camera or choose the body that it follows.
bool placesCamera(const Settings& settings);

/// Converts the text of an option to the row's type; `option` is its name in refusals. Throws UsageError.
Value optionValue(const Parameter& parameter, std::string_view option, const std::string& text);
/// Converts a TOML value with that key of a file in the same way.
Value fileValue(const Parameter& parameter, std::string_view key, std::string_view text);
/// The TOML value that fileValue() converts back.
std::string fileText(const Parameter& parameter, const Value& value);
/// The flag that shares a name with this other row, or the other row of a flag; null: there is none. `name`: the field.
const Parameter* sharing(const Parameter& parameter, std::string_view StoredNames::*name);

/// The present choices, with the reasons of impossible ones; the one in force is marked. For a choice only.
std::vector<SettingChoice> offersOf(const Parameter& parameter, const Document& document);

/// The text of a refusal: "look.glow '...': expected a finite number of at least 0 and at most 1".
std::string refusalText(const Parameter& parameter);

/// "command line (--glow), scene file (glow)"; "nowhere" for a row without such names.
std::string keptText(const Parameter& parameter);

// The groups of rows.
std::vector<Parameter> runParameters();
std::vector<Parameter> comparisonParameters();
std::vector<Parameter> lookParameters();
std::vector<Parameter> viewParameters();
std::vector<Parameter> windowParameters();
std::vector<Parameter> labParameters();

}  // namespace gravlab
