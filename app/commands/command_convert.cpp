// `gravlab convert IN OUT`: a file in one format to a file in another. Rule: what the new format cannot keep is said.
#include "app/commands/options.h"
#include "sim/core/error.h"
#include "sim/io/snapshot.h"

#include <cstdio>

namespace gravlab {

int convertCommand(const Options& options) {
    // First: an extension that cannot be written is known before a large file is read.
    const FileFormat& format = formatForWriting(options.output);
    const Snapshot snapshot = readSnapshot(options.file, options.read);
    for (const std::string& note : snapshot.notes)
        std::fprintf(stderr, "gravlab: %s: %s\n", options.file.c_str(), note.c_str());
    writeSnapshot(options.output, snapshot);
    if (snapshot.isCheckpoint() && format.name != "hdf5")
        std::fprintf(stderr,
                     "gravlab: %s was a checkpoint; %s keeps the bodies, not the settings, so a run does not go on "
                     "exactly from it\n",
                     options.file.c_str(), std::string(format.name).c_str());
    std::fprintf(options.output == "-" ? stderr : stdout, "%s: %zu bodies from %s (%s) as %s\n", options.output.c_str(),
                 snapshot.bodies.size(), options.file.c_str(), snapshot.format.c_str(), std::string(format.name).c_str());
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
