// The table of commands: each row adds its options to a parser, so that help, parsing and the hints of error messages come
// from the same place.
#pragma once
#include "app/commands/options.h"

#include <array>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace gravlab {

/// A row of the table of commands.
struct CommandRow {
    std::string_view name;
    Subcommand command;
    bool opensWindow;  ///< needs a display; ./run makes a film instead where there is none
    std::string_view idea;
    void (*addOptions)(CLI::App&, Options&);
    std::string_view examples;
};

/// The tables of `gravlab list`: "devices, backends, ... and lessons". Throws UsageError for a name that is none of them.
std::string listNames();
void requireList(const std::string& name);

constexpr std::size_t kCommandCount = 16;
extern const std::array<CommandRow, kCommandCount> kCommands;

}  // namespace gravlab
