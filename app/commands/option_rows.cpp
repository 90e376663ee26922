#include "app/commands/option_rows.h"

#include "app/parameters/quantity.h"
#include "app/tables/own_kernel.h"
#include "sim/core/error.h"
#include "sim/core/names.h"

#include <algorithm>
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
    if (!row.kept.placeholder.empty()) return std::string(row.kept.placeholder);
    return row.kind == Kind::integer ? "COUNT" : row.kind == Kind::number ? "NUMBER" : "NAME";
}

}  // namespace

OptionRows::Row OptionRows::flag(const std::string& names, bool& to, const std::string& help) {
    app_.add_flag(names, to, help);
    return {*this, longName(names)};
}

OptionRows::Row OptionRows::flag(const std::string& names, const std::string& help) {
    app_.add_flag_callback(
        names, [] {}, help);
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
                                   const std::string& help) {
    const std::string name = longName(names);
    app_.add_option_function<std::vector<std::string>>(
            names,
            [&to, name](const std::vector<std::string>& texts) {
                if (texts.size() > 1)
                    throw UsageError(name + " is given " + std::to_string(texts.size()) +
                                     " times, and would write one file: give it once");
                if (texts.front().empty()) throw UsageError(name + " '': a file needs a name");
                to = texts.front();
            },
            help)
        ->type_name(placeholder)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
    return {*this, name};
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
                options_.given.push_back(name);
            },
            help)
        ->type_name("");
    return {*this, name};
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
    Options& o = options_;
    std::string names(row.kept.option);
    if (!row.kept.alias.empty()) names += "," + std::string(row.kept.alias);
    if (row.kind == Kind::flag && row.kept.on.empty()) {
        // A flag on the command line sets the opposite of its default.
        const bool given = !isUsuallyOn(row);
        app_.add_flag_callback(
            names, [&o, &row, given] { o.settings[row.path] = given; }, when + helpOf(row));
        return {*this, longName(names)};
    }
    const auto take = [&o, &row, flag = sharing(row, &StoredNames::option)](const std::string&, const std::string& text) {
        if (keepQuantity(o, row, row.kept.option, text)) return;
        // Only the name of a kernel's file on the command line is consent to compile it.
        const bool file = row.path == "run.kernel" && namesKernelFile(text);
        const Value value = file ? Value(text) : optionValue(row, row.kept.option, text);
        if (row.ask) return row.ask(o.simulation, value);
        o.settings[row.path] = value;
        if (flag) o.settings[flag->path] = true;
    };
    if (row.kind == Kind::names)
        return list(
            names, placeholderOf(row), [take](auto& name, auto& texts) { take(name, joined(texts, {}, ",")); },
            when + helpOf(row));
    const Row made = value(names, placeholderOf(row), take, when + helpOf(row));
    if (row.path == "run.fields") app_.get_option(made.name)->join(';');
    return made;
}

void OptionRows::connect() {
    for (const Row::Tie& tie : ties_) {
        CLI::Option* const option = app_.get_option(tie.name);
        CLI::Option* const other = app_.get_option(tie.other);
        if (tie.excludes)
            option->excludes(other);
        else
            option->needs(other);
    }
}

void OptionRows::requireWords() const {
    for (const auto& [name, sentence] : words_)
        if (app_.get_option(name)->count() == 0) throw UsageError(sentence);
}

std::string OptionRows::sentenceOf(const CLI::ParseError& error) const {
    const std::string said = error.what();
    for (const Row::Tie& tie : ties_) {
        const auto is = [&](const char* verb) {
            return said == tie.name + verb + tie.other || (tie.excludes && said == tie.other + verb + tie.name);
        };
        if (!is(" excludes ") && !is(" requires ")) continue;
        if (!tie.sentence.empty()) return tie.sentence;
        if (tie.excludes) return tie.name + " and " + tie.other + " exclude each other; give one of them";
        const std::string placeholder = app_.get_option(tie.other)->get_type_name();
        return tie.name + " needs " + tie.other + (placeholder.empty() ? "" : " " + placeholder) +
               ": it does nothing without " + tie.other;
    }
    return said + "; see '" + app_.get_name() + " --help'";
}

/// Help of a row: its idea, the allowed values where they are short, and the default.
std::string OptionRows::helpOf(const Parameter& row) {
    std::string text(row.kept.help.empty() ? row.idea : row.kept.help);
    const bool named = row.kind == Kind::choice || row.kind == Kind::names;
    if (named && row.names.empty()) text += ": " + allowedText(row);
    if (std::isfinite(row.bounds.least) && std::isfinite(row.bounds.most) && row.bounds.most <= 100 && row.shown.scale == 1)
        text += ", " + shortestText(row.bounds.least) + " to " + shortestText(row.bounds.most);
    if (row.kind == Kind::flag && row.kept.on.empty()) return text;
    if (row.kind == Kind::flag) return text + " [" + std::string(isUsuallyOn(row) ? row.kept.on : row.kept.off) + "]";
    const bool words = row.defaultText.starts_with('(');
    return text + " [" + std::string(words ? row.defaultText.substr(1, row.defaultText.size() - 2) : row.defaultText) + "]";
}

Value OptionRows::oneOf(const Parameter& row, const std::string& name, const std::string& text) const {
    if (!hasDimension(row.unit) || !isQuantity(text)) return optionValue(row, name, text);
    // Words precede options in the parser's order, so the scene and its units are known.
    const RunRequest& run = options_.simulation;
    return checked(row, quantity(name, text, row.unit, unitsOf(run), run.scene), name);
}

}  // namespace gravlab
