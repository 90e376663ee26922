// The command line: the table of commands, selection of one, and help. Only this file and option_rows.cpp know CLI11.
#include "app/commands/option_rows.h"
#include "app/commands/subcommand.h"
#include "app/system/built_in.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

namespace gravlab {
namespace {

constexpr const CommandRow* kCommands[] = {&kViewCommand,        &kServeCommand,  &kRenderCommand, &kPlayCommand,
                                           &kRunCommand,         &kBenchCommand,  &kLessonCommand, &kOccupancyCommand,
                                           &kTuneCommand,        &kListCommand,   &kCheckCommand,  &kConvertCommand,
                                           &kFingerprintCommand, &kGroupsCommand, &kMatrixCommand, &kMemoryCommand,
                                           &kInfoCommand,        &kReportCommand, &kGradeCommand};

constexpr std::string_view kExitCodes =
    "Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 no device or display, 5 the device failed,\n"
    "6 reading or writing failed, 7 a check failed, 129 hung up, 130 interrupted, 143 terminated.\n";

/// A command, and the parser of its options.
struct Parser {
    explicit Parser(const CommandRow& row) : command(row.make()), rows(app, command->start) {
        app.name("gravlab " + std::string(row.name));
        app.description("gravlab " + std::string(row.name) + ": " + std::string(row.idea) + ".");
        app.set_help_flag("-h,--help", "this text");
        app.add_flag_function(
            "--version", [](std::int64_t) {}, "what this binary is");
        app.allow_extras();
        command->add(rows);
        app.footer("Examples:\n" + std::string(row.examples) + "\n" + std::string(kExitCodes));
    }
    std::unique_ptr<Subcommand> command;
    CLI::App app;
    OptionRows rows;
};

/// Names of the commands that have the option, and whether it takes a value there. Making all parsers takes longer than
/// anything else before a command starts.
std::pair<std::string, bool> ownersOf(const std::string& name) {
    std::string owners;
    bool takesValue = false;
    for (const CommandRow* row : kCommands)
        if (Parser parser(*row); const CLI::Option* option = parser.app.get_option_no_throw(name)) {
            addTo(owners, row->name);
            takesValue = takesValue || option->get_expected_min() > 0;
        }
    return {owners, takesValue};
}

/// The place of the word that names the command, or args.size(). Skips words that are the value of an option before it.
std::size_t findCommandWord(const std::vector<std::string>& args) {
    for (std::size_t i = 0; i < args.size() && args[i] != "--"; ++i) {
        if (!args[i].starts_with('-') || args[i].size() < 2) return i;
        if (ownersOf(args[i]).second) ++i;
    }
    return args.size();
}

std::string overview() {
    std::string text = "gravlab " + std::string(version()) + ": a real-time N-body laboratory.\n\nCommands:\n";
    for (const CommandRow* row : kCommands) {
        std::string name = "  gravlab " + std::string(row->name);
        name.resize(24, ' ');
        text += name + std::string(row->idea) + "\n";
    }
    return text + "Each has its own help: gravlab run --help. Without a command, view is meant:\n\n";
}

[[noreturn]] void refuseExtra(const CommandRow& row, const CLI::App& app, const std::string& extra) {
    if (!extra.starts_with('-'))
        throw UsageError("unexpected argument '" + extra + "'; 'gravlab " + std::string(row.name) +
                         " --help' shows what it takes");
    const std::string name = extra.substr(0, extra.find('='));
    if (const std::string owners = ownersOf(name).first; !owners.empty())
        throw UsageError("option " + name + " does not apply to '" + std::string(row.name) + "'; it belongs to: " + owners);
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& longOption : option->get_lnames()) names.push_back("--" + longOption);
    throw UsageError(unknownName("option", name, {names.begin(), names.end()}));
}

}  // namespace

std::span<const CommandRow* const> commandRows() { return kCommands; }

std::unique_ptr<Subcommand> parseOptions(int argc, const char* const* argv) {
    std::vector<std::string> args(argv + std::min(1, argc), argv + argc);
    const auto word = args.begin() + static_cast<std::ptrdiff_t>(findCommandWord(args));
    const auto found =
        std::ranges::find_if(kCommands, [&](const CommandRow* row) { return word != args.end() && row->name == *word; });
    const bool named = found != std::end(kCommands);
    const CommandRow& row = named ? **found : kViewCommand;
    if (named) args.erase(word);

    Parser parser(row);
    parser.command->named = named;
    const auto end = std::find(args.begin(), args.end(), "--");
    const auto asks = [&](std::string_view flag) { return std::find(args.begin(), end, flag) != end; };
    if (asks("--version")) {
        std::fputs(versionText().c_str(), stdout);
        return nullptr;
    }
    if (asks("--help") || asks("-h")) {
        std::fputs(((named ? "" : overview()) + parser.app.help()).c_str(), stdout);
        return nullptr;
    }
    try {
        std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 expects a vector in this order
        parser.app.parse(reversed);
    } catch (const CLI::ParseError& error) {
        throw UsageError(std::string(error.what()) + "; see '" + parser.app.get_name() + " --help'");
    }
    for (const std::string& extra : parser.app.remaining())
        if (extra != "--") refuseExtra(row, parser.app, extra);
    for (const CLI::Option* option : parser.app.get_options())
        if (option->count() > 0)
            for (const std::string& longOption : option->get_lnames())
                parser.command->start.given.push_back("--" + longOption);
    parser.rows.check();
    parser.command->check();
    return std::move(parser.command);
}

}  // namespace gravlab
