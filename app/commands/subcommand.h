// A command of the program: its options, which of them go together, and its work. Each has a file, command_*.cpp, with its
// struct and its row; options.cpp lists the rows.
#pragma once
#include "app/model/start_options.h"

#include <memory>
#include <span>
#include <string_view>

namespace gravlab {

class OptionRows;

struct Subcommand {
    virtual ~Subcommand() = default;
    /// Adds the options that this command can use. The parser refuses all others.
    virtual void add(OptionRows&) {}
    /// Throws UsageError for options that do not go together or do nothing, before anything is created.
    virtual void check() {}
    /// Returns the exit code. Throws Error.
    virtual int run() = 0;

    StartOptions start;
    bool named = true;  ///< false: the command line names no command, so this is the default
};

/// A row of the table of commands.
struct CommandRow {
    std::string_view name, idea, examples;
    std::unique_ptr<Subcommand> (*make)();
    bool opensWindow = false;  ///< needs a display; without one, ./run makes a film instead
};

template <class Made>
std::unique_ptr<Subcommand> made() {
    return std::make_unique<Made>();
}

/// All commands, in the order of the help.
std::span<const CommandRow* const> commandRows();

extern const CommandRow kViewCommand, kRenderCommand, kPlayCommand, kRunCommand, kBenchCommand, kLessonCommand,
    kOccupancyCommand, kTuneCommand, kListCommand, kCheckCommand, kConvertCommand, kFingerprintCommand, kGroupsCommand,
    kMatrixCommand, kMemoryCommand, kInfoCommand, kReportCommand, kGradeCommand, kServeCommand;

/// The command of a command line, with its options. Null where --help or --version has printed. Throws UsageError with the
/// text to print.
std::unique_ptr<Subcommand> parseOptions(int argc, const char* const* argv);

}  // namespace gravlab
