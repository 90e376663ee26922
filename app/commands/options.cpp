// The command line: selection of the command, its options, and help. The table of commands is in command_rows.cpp, and the
// rules for combinations of options are in option_rules.cpp.
#include "app/commands/options.h"

#include "app/commands/command_rows.h"
#include "app/commands/option_rows.h"
#include "app/parameters/parameter.h"
#include "app/system/built_in.h"
#include "sim/core/error.h"
#include "sim/core/names.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace gravlab {
namespace {

constexpr std::string_view kExitCodes =
    "Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 no device or display, 5 the device failed,\n"
    "6 reading or writing failed, 7 a check failed, 129 hung up, 130 interrupted, 143 terminated.\n";

/// Groups options of parameters by the parameters' topics in the help; the command's own options come first.
void groupOptions(CLI::App& app) {
    struct Group {
        std::string_view prefix;
        const char* title;
    };
    constexpr Group kGroups[] = {{"run.", "Scene, forces and integration"},
                                 {"scene.", "Scene, forces and integration"},
                                 {"look.", "Look"},
                                 {"camera.", "Camera and what is shown"},
                                 {"view.", "Camera and what is shown"},
                                 {"overlay.", "Camera and what is shown"},
                                 {"window.", "Window"},
                                 {"lab.", "Window"},
                                 {"instruments.", "Window"}};
    for (CLI::Option* option : app.get_options())
        for (const Parameter& parameter : parameters()) {
            if (parameter.kept.option.empty() || !option->check_lname(std::string(parameter.kept.option.substr(2))))
                continue;
            for (const Group& group : kGroups)
                if (parameter.path.starts_with(group.prefix)) option->group(group.title);
        }
}

void buildParser(CLI::App& app, const CommandRow& row, OptionRows& rows) {
    app.name("gravlab " + std::string(row.name));
    app.description("gravlab " + std::string(row.name) + ": " + std::string(row.idea) + ".");
    app.set_help_flag("-h,--help", "this text");
    app.add_flag_function(
        "--version", [](std::int64_t) {}, "what this binary is");
    app.allow_extras();
    rows.options().command = row.command;
    row.addOptions(rows);
    groupOptions(app);
    app.footer("Examples:\n" + std::string(row.examples) + "\n" + std::string(kExitCodes));
}

/// All parsers, for the look-up of options.
class AllParsers {
public:
    /// Created at the first use: their creation takes longer than everything else before the start of a command.
    static const AllParsers& get() {
        static const AllParsers all;
        return all;
    }
    const CLI::App& operator[](std::size_t command) const { return apps_[command]; }
    const CLI::Option* find(const std::string& name) const {
        for (const CLI::App& app : apps_)
            if (const CLI::Option* option = app.get_option_no_throw(name)) return option;
        return nullptr;
    }

private:
    AllParsers() {
        for (std::size_t i = 0; i < apps_.size(); ++i) {
            OptionRows rows(apps_[i], options_[i]);
            buildParser(apps_[i], kCommands[i], rows);
        }
    }
    std::array<Options, std::size(kCommands)> options_;
    std::array<CLI::App, std::size(kCommands)> apps_;
};

/// Index of the word that names the command, or args.size(). Skips words that are the value of an option before it.
std::size_t findCommandWord(const std::vector<std::string>& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i] == "--") break;
        if (!args[i].starts_with('-') || args[i].size() < 2) return i;
        const CLI::Option* option = AllParsers::get().find(args[i]);
        if (option && option->get_expected_min() > 0) ++i;
    }
    return args.size();
}

std::string overview() {
    std::string text = "gravlab " + std::string(version()) + ": a real-time N-body laboratory.\n\nCommands:\n";
    for (const CommandRow& row : kCommands) {
        std::string name = "  gravlab " + std::string(row.name);
        name.resize(24, ' ');
        text += name + std::string(row.idea) + "\n";
    }
    return text + "Each has its own help: gravlab run --help. Without a command, view is meant:\n\n";
}

[[noreturn]] void refuseExtra(const CommandRow& row, const std::string& extra) {
    if (!extra.starts_with('-'))
        throw UsageError("unexpected argument '" + extra + "'; 'gravlab " + std::string(row.name) +
                         " --help' shows what it takes");
    const std::string name = extra.substr(0, extra.find('='));
    const AllParsers& parsers = AllParsers::get();
    std::string owners;
    for (std::size_t i = 0; i < std::size(kCommands); ++i)
        if (parsers[i].get_option_no_throw(name)) addTo(owners, kCommands[i].name);
    if (!owners.empty())
        throw UsageError("option " + name + " does not apply to '" + std::string(row.name) + "'; it belongs to: " + owners);
    std::vector<std::string> names;
    for (const CLI::Option* option : parsers[static_cast<std::size_t>(&row - kCommands.data())].get_options())
        for (const std::string& longOption : option->get_lnames()) names.push_back("--" + longOption);
    throw UsageError(unknownName("option", name, {names.begin(), names.end()}));
}

}  // namespace

Options parseOptions(int argc, const char* const* argv) {
    std::vector<std::string> args(argv + std::min(1, argc), argv + argc);
    const std::size_t word = findCommandWord(args);
    const CommandRow* row = &commandRow(Subcommand::view);
    bool named = false;
    if (word < args.size())
        for (const CommandRow& candidate : kCommands)
            if (candidate.name == args[word]) {
                row = &candidate;
                named = true;
            }
    if (named) args.erase(args.begin() + static_cast<std::ptrdiff_t>(word));

    Options options;
    CLI::App app;
    OptionRows rows(app, options);
    buildParser(app, *row, rows);
    const auto asks = [&args](std::string_view flag) {
        return std::find(args.begin(), std::find(args.begin(), args.end(), "--"), flag) !=
               std::find(args.begin(), args.end(), "--");
    };
    if (asks("--version")) {
        std::fputs(versionText().c_str(), stdout);
        options.command = Subcommand::version;
        return options;
    }
    if (asks("--help") || asks("-h")) {
        const std::string text = (named ? "" : overview()) + app.help();
        std::fputs(text.c_str(), stdout);
        options.command = Subcommand::version;
        return options;
    }
    rows.connect();  // the help omits needs and exclusions
    try {
        std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 expects a vector in this order
        app.parse(reversed);
    } catch (const CLI::ParseError& error) {
        throw UsageError(rows.sentenceOf(error));
    }
    for (const std::string& extra : app.remaining())
        if (extra != "--") refuseExtra(*row, extra);
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0)
            for (const std::string& longOption : option->get_lnames()) options.given.push_back("--" + longOption);
    rows.requireWords();
    requireCompany(options, *row, named);
    if (options.command == Subcommand::render && options.frames == 0 && !options.flyPath && !options.render.loop)
        options.frames = 1;  // a still picture
    // Where --kernel is a list, --term-kernel pair-law=ROW is a list of one.
    const std::optional<std::string>& pairs = options.simulation.pairs().kernel.kernel;
    if (const Subcommand command = options.command; command == Subcommand::bench || command == Subcommand::tune)
        if (pairs && options.bench.kernels.empty()) options.bench.kernels = {*pairs};
    return options;
}

}  // namespace gravlab
