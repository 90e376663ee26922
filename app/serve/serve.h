// A session whose window is a browser: `gravlab serve`.
#pragma once
#include "app/model/start_options.h"
#include "app/serve/wire.h"

#include <string>

namespace gravlab {

struct ServeOptions : PictureOptions {
    WireSettings wire;
    std::string files;   ///< folder that panels read and write; empty: none
    std::string lesson;  ///< initial lesson: a name, or a file that ends with .toml
    double fps = 60;
    double megabits = 20;    ///< of video at 1920x1080 and 60 per second [Mbit/s]
    bool classroom = false;  ///< for many viewers
    bool allowKernels = false;
    double autosaveSeconds = -1;  ///< below 0: the usual time; 0: no autosave
    double benchSeconds = 0;      ///< above 0: measure for that time with clients of this process, and end
    int viewers = 30;             ///< of such a measurement
};

/// Runs until a signal or a host ends it. Returns the exit code.
int runServe(const StartOptions& start, ServeOptions options);
/// Measures what clients of this machine get, and prints it; then interrupts the program.
void benchClients(std::uint16_t port, const std::string& drive, const std::string& watch, int viewers, double seconds);

}  // namespace gravlab
