// Groups of options that several commands have, and the rules of commands that start from bodies.
#pragma once
#include "app/commands/option_rows.h"
#include "app/commands/subcommand.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

struct KernelRow;

constexpr std::int64_t kAnyCount = std::numeric_limits<std::int64_t>::max();

/// Help of a word that names a file of bodies.
constexpr const char* kReadableFile = "file of any format that can be read; '-' is standard input, a table";
void addReading(OptionRows& rows, const std::string& every = "--every");
/// The word SCENE, or also a file and how it is read.
void addScene(OptionRows& rows, const std::string& fallback, const std::string& orFile = {});
void addSceneOrFile(OptionRows& rows, const std::string& fallback, const std::string& every = "--every");
/// Bonds between the bodies of a file, for commands that move them.
void addBonds(OptionRows& rows);
/// Kernels by their names.
OptionRows::Row addKernelList(OptionRows& rows, std::vector<std::string>& kernels, const std::string& help);
/// Numbers of the scene.
void addSet(OptionRows& rows);
/// Backend, kernel and physics.
void addRun(OptionRows& rows);
/// The physics, which is independent of the backend, in double precision and with every pair; `without` these paths.
void addPhysics(OptionRows& rows, std::initializer_list<std::string_view> without = {});
/// A second run of the same start.
void addTwin(OptionRows& rows, bool picture);
/// The look of a picture, and its pace. `window`: also options that only a window has; these may need another option.
void addPicture(OptionRows& rows, PictureOptions& picture, bool window, const std::string& needs = {});
/// A window, or a film.
void addFrames(OptionRows& rows, PictureOptions& picture);

/// Bodies and kernels that a command takes.
struct StartRules {
    bool files = true;                      ///< the name of a scene may be that of a file
    bool quantities = true;                 ///< the scene is final, so that numbers with units are applied
    bool ownKernels = false;                ///< --kernel may be the file of a kernel
    bool allKernels = false;                ///< --kernel may be 'all'
    std::vector<std::string> kernels = {};  ///< of a list; empty: the kernel of the request
    std::vector<std::size_t> bodies = {};   ///< of a list
};
/// Finds the scene or the file, applies numbers with units, and checks what depends on them. Throws UsageError for options
/// that do nothing for these bodies, this law or these kernels.
void checkStart(Subcommand& command, const StartRules& rules);

/// Throws UsageError: `option` does nothing, because of `why`.
[[noreturn]] void refuseIdle(std::string_view option, std::string_view why);
/// Checks that --device names one device, for commands that divide no forces.
void refuseHelpers(const StartOptions& start);
/// The same, and that --device is given for a backend on a device alone.
void refuseIdleDevice(const StartOptions& start);
/// Checks threads and instruction sets of a named kernel.
void refuseIdleThreads(const StartOptions& start);
/// Checks options of the launch, once the program has chosen the kernel.
void refuseIdleLaunch(const StartOptions& start, const KernelRow& runs);

}  // namespace gravlab
