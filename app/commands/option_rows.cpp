#include "app/commands/option_rows.h"

#include "app/parameters/quantity.h"
#include "app/system/file_names.h"
#include "app/tables/own_kernel.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"

#include <CLI/CLI.hpp>

#include <cmath>

namespace gravlab {
namespace {

/// The long name in "-n,--bodies", for messages.
std::string longName(const std::string& names) { return names.substr(names.rfind(',') + 1); }

/// Whether a flag is on by default, at least in the cases that its row names.
bool isUsuallyOn(const Parameter& row) {
    return row.defaultText.starts_with("true") || row.defaultText.starts_with("(true");
}

std::string placeholderOf(const Parameter& row) {
    if (!row.storedAs.placeholder.empty()) return std::string(row.storedAs.placeholder);
    return row.kind == Kind::integer ? "COUNT" : row.kind == Kind::number ? "NUMBER" : "NAME";
}

}  // namespace

OptionRows::Row OptionRows::grouped(const Parameter& row, Row made) {
    constexpr std::pair<std::string_view, const char*> kTitles[] = {{"run.", "Scene, forces and integration"},
                                                                    {"scene.", "Scene, forces and integration"},
                                                                    {"look.", "Look"},
                                                                    {"camera.", "Camera and what is shown"},
                                                                    {"view.", "Camera and what is shown"},
                                                                    {"overlay.", "Camera and what is shown"},
                                                                    {"window.", "Window"},
                                                                    {"lab.", "Window"},
                                                                    {"instruments.", "Window"}};
    CLI::Option* const option = app_.get_option(made.name);
    if (row.storedAs.option.empty() || !option->check_lname(std::string(row.storedAs.option.substr(2)))) return made;
    for (const auto& [prefix, title] : kTitles)
        if (row.path.starts_with(prefix)) option->group(title);
    return made;
}

OptionRows::Row OptionRows::flag(const std::string& names, bool& to, const std::string& help) {
    app_.add_flag(names, to, help);
    return {*this, longName(names)};
}

OptionRows::Row OptionRows::value(const std::string& names, const std::string& placeholder, Take take,
                                  const std::string& help) {
    const std::string name = longName(names);
    app_.add_option_function<std::string>(
            names, [take = std::move(take), name](const std::string& text) { take(name, text); }, help)
        ->type_name(placeholder)
        ->take_last();
    return {*this, name};
}

OptionRows::Row OptionRows::text(const std::string& names, const std::string& placeholder, std::string& to,
                                 const std::string& help) {
    return value(
        names, placeholder, [&to](auto&, auto& text) { to = text; }, help);
}

OptionRows::Row OptionRows::output(const std::string& names, const std::string& placeholder, std::string& to,
                                   const std::string& help, bool numbered) {
    const Row made = value(
        names, placeholder,
        [this, &to, numbered](auto& name, auto& text) {
            if (text.empty()) throw UsageError(name + " '': a file needs a name");
            to = text;
            const auto parts = numberedParts(to);
            start_.outputs.push_back({name, to, numbered && parts && parts->numbered});
        },
        help);
    app_.get_option(made.name)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    return made;
}

OptionRows::Row OptionRows::list(const std::string& names, const std::string& placeholder, TakeList take,
                                 const std::string& help) {
    const std::string name = longName(names);
    app_.add_option_function<std::vector<std::string>>(
            names,
            [take = std::move(take), name](const std::vector<std::string>& texts) {
                const std::vector<std::string> pieces = splitList(texts);
                if (pieces.empty()) throw UsageError(name + " needs at least one value");
                take(name, pieces);
            },
            help)
        ->type_name(placeholder)
        ->expected(1, 1 << 20);
    return {*this, name};
}

OptionRows::Row OptionRows::numbersOfBodies(const std::string& names, std::vector<std::size_t>& to,
                                            const std::string& help) {
    return list(
        names, "LIST",
        [&to](auto& name, auto& texts) {
            for (const std::string& text : texts) to.push_back(parseBodies(name, text));
        },
        help);
}

OptionRows::Row OptionRows::word(const std::string& name, std::string& to, const std::string& help) {
    app_.add_option_function<std::string>(
            name,
            [this, &to, name](const std::string& text) {
                to = text;
                start_.given.push_back(name);
            },
            help)
        ->type_name("");
    return {*this, name};
}

void OptionRows::words(const std::string& name, std::vector<std::string>& to, const std::string& help) {
    app_.add_option(name, to, help)->type_name("")->expected(0, 1 << 20);
}

OptionRows::Row OptionRows::pairs(const std::string& name, std::map<std::string, double, std::less<>>& to,
                                  const std::string& example, const std::string& help) {
    app_.add_option_function<std::vector<std::string>>(
            name,
            [&to, name, example](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) {
                    const std::size_t equals = text.find('=');
                    if (equals == std::string::npos || equals == 0)
                        throw UsageError(name + " '" + text + "' must be NAME=VALUE, such as " + name + " " + example);
                    to[text.substr(0, equals)] = parseReal(name + " " + text.substr(0, equals), text.substr(equals + 1));
                }
            },
            help)
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    return {*this, name};
}

OptionRows::Row OptionRows::of(const Parameter& row, const std::string& when) {
    StartOptions& o = start_;
    std::string names(row.storedAs.option);
    if (!row.storedAs.alias.empty()) names += "," + std::string(row.storedAs.alias);
    if (row.kind == Kind::flag && row.storedAs.on.empty()) {
        // A flag on the command line sets the opposite of its default.
        const bool given = !isUsuallyOn(row);
        app_.add_flag_callback(
            names, [&o, &row, given] { o.settings[row.path] = given; }, when + helpOf(row));
        return grouped(row, {*this, longName(names)});
    }
    const auto take = [&o, &row, flag = sharing(row, &StoredNames::option)](const std::string&, const std::string& text) {
        if (keepQuantity(o, row, row.storedAs.option, text)) return;
        // Only the name of a kernel's file on the command line is consent to compile it.
        const bool file = row.path == "run.kernel" && namesKernelFile(text);
        const Value value = file ? Value(text) : optionValue(row, row.storedAs.option, text);
        if (row.ask) return row.ask(o.simulation, value);
        o.settings[row.path] = value;
        if (flag) o.settings[flag->path] = true;
    };
    if (row.kind == Kind::names)
        return grouped(
            row, list(
                     names, placeholderOf(row), [take](auto& name, auto& texts) { take(name, joined(texts, {}, ",")); },
                     when + helpOf(row)));
    const Row made = grouped(row, value(names, placeholderOf(row), take, when + helpOf(row)));
    if (row.path == "run.fields") app_.get_option(made.name)->join(';');
    return made;
}

void OptionRows::check() const {
    for (const auto& [name, other, sentence, excludes] : ties_) {
        if (!name.empty() && !start_.has(name)) continue;
        if (start_.has(other) == !excludes) continue;
        if (!sentence.empty()) throw UsageError(sentence);
        if (excludes) throw UsageError(name + " and " + other + " exclude each other; give one of them");
        const std::string placeholder = app_.get_option(other)->get_type_name();
        throw UsageError(name + " needs " + other + (placeholder.empty() ? "" : " " + placeholder) +
                         ": it does nothing without " + other);
    }
}

/// Help of a row: its idea, the allowed values where they are short, and the default.
std::string OptionRows::helpOf(const Parameter& row) {
    std::string text(row.storedAs.help.empty() ? row.idea : row.storedAs.help);
    const bool named = row.kind == Kind::choice || row.kind == Kind::names;
    if (named && row.names.empty()) text += ": " + allowedText(row);
    if (std::isfinite(row.bounds.least) && std::isfinite(row.bounds.most) && row.bounds.most <= 100 &&
        row.displayUnit.scale == 1)
        text += ", " + shortestText(row.bounds.least) + " to " + shortestText(row.bounds.most);
    if (row.kind == Kind::flag && row.storedAs.on.empty()) return text;
    if (row.kind == Kind::flag)
        return text + " [" + std::string(isUsuallyOn(row) ? row.storedAs.on : row.storedAs.off) + "]";
    const bool words = row.defaultText.starts_with('(');
    return text + " [" + std::string(words ? row.defaultText.substr(1, row.defaultText.size() - 2) : row.defaultText) + "]";
}

Value OptionRows::oneOf(const Parameter& row, const std::string& name, const std::string& text) const {
    if (!hasDimension(row.unit) || !isQuantity(text)) return optionValue(row, name, text);
    // Words precede options in the parser's order, so the scene and its units are known.
    const RunRequest& run = start_.simulation;
    return checked(row, quantity(name, text, row.unit, unitsOf(run), run.scene), name);
}

}  // namespace gravlab
