// The table of commands: each row adds its options to a parser, says what does not go together, and runs, so that help,
// parsing, dispatch and the hints of error messages come from the same place.
#pragma once
#include "app/commands/options.h"

#include <array>
#include <string>
#include <string_view>

namespace gravlab {

class OptionRows;

/// What the bodies of a command come from.
enum class BodiesFrom { nothing, scene, sceneOrFile };

/// A row of the table of commands.
struct CommandRow {
    std::string_view name;
    Subcommand command;
    int (*run)(const Options&);
    void (*addOptions)(OptionRows&);
    BodiesFrom from;
    void (*requireCompany)(const Options&);  ///< throws UsageError for what does not go together; null: nothing of its own
    std::string_view idea, examples;
    bool opensWindow = false;  ///< needs a display; ./run makes a film instead where there is none
};

/// The tables of `gravlab list`: "devices, backends, ... and lessons".
std::string listNames();

constexpr std::size_t kCommandCount = 16;
extern const std::array<CommandRow, kCommandCount> kCommands;

const CommandRow& commandRow(Subcommand command);

/// Takes up what is known when all options are: the file that is meant, and numbers with units. Throws UsageError for what
/// cannot work, before anything is made.
void requireCompany(Options& options, const CommandRow& row, bool commandNamed);
// The rules of single commands, likewise.
void requireList(const Options& options);
void requireRender(const Options& options);
void requireBench(const Options& options);
void requirePlay(const Options& options);
void requireRun(const Options& options);
void requireLesson(const Options& options);

}  // namespace gravlab
