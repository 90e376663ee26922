// The table of commands. Each row adds its options to a parser, checks their combinations, and runs the command. Help,
// parsing, dispatch and hints of error messages all use it.
#pragma once
#include "app/commands/options.h"

#include <array>
#include <string>
#include <string_view>

namespace gravlab {

class OptionRows;

/// The source of a command's bodies.
enum class BodiesFrom { nothing, scene, sceneOrFile };

/// A row of the table of commands.
struct CommandRow {
    std::string_view name;
    Subcommand command;
    int (*run)(const Options&);
    void (*addOptions)(OptionRows&);
    BodiesFrom from;
    void (*requireCompany)(
        const Options&);  ///< throws UsageError for options that conflict; null: the command has no rule of its own
    std::string_view idea, examples;
    void (*requireFirst)(const Options&) = nullptr;  ///< rules whose refusals come before those of quantities and kernels
    bool opensWindow = false;                        ///< needs a display; without one, ./run makes a film instead
};

/// The tables of `gravlab list`: "devices, backends, ... and lessons".
std::string listNames();

constexpr std::size_t kCommandCount = 18;
extern const std::array<CommandRow, kCommandCount> kCommands;

const CommandRow& commandRow(Subcommand command);

/// Applies what depends on all options: the file, and numbers with units. Throws UsageError for impossible combinations,
/// before anything is created.
void requireCompany(Options& options, const CommandRow& row, bool commandNamed);
// The rules of single commands, checked in the same way.
void requireList(const Options& options);
void requireRender(const Options& options);
void requireBench(const Options& options);
void requireStudy(const Options& options);
void requirePlay(const Options& options);
void requireRun(const Options& options);
void requireLesson(const Options& options);
void requireGrade(const Options& options);

}  // namespace gravlab
