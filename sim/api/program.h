// The whole program: its commands, and pictures without a window. Needs the target gravlab::program or gravlab::commands.
#pragma once
#include "simulation.h"

#include <string>
#include <vector>

namespace gravlab {

/// Runs one command as the program does, with its messages, and returns its exit code. For a main() of your own:
/// `return gravlab::program(argc, argv);`.
int program(int argc, const char* const* argv);

/// Draws the bodies of an experiment as `gravlab render` does, off screen: a picture FILE.png, or a film where `options`
/// give it frames, which then continues a copy of the run. `options` are those of `gravlab render`, such as {"--size",
/// "1920x1080", "--colour", "photograph"}. Blocks, and takes memory for a second run. Throws UsageError, NoDeviceError where
/// there is no OpenGL, and IoError.
void draw(const Experiment& experiment, const std::string& output, const std::vector<std::string>& options = {});

}  // namespace gravlab
