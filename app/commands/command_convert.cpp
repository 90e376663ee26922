// `gravlab convert IN OUT`: a file in one format to a file in another. Rule: what the new format cannot keep is said.
#include "app/commands/options.h"
#include "sim/core/error.h"
#include "sim/core/text.h"
#include "sim/io/snapshot.h"

#include <cstdio>

namespace gravlab {

int convertCommand(const Options& options) {
    // First: an extension that cannot be written is known before a large file is read.
    const FileFormat& format = formatForWriting(options.output);
    ReadOptions read = options.read;
    read.allowSigns = true;  // charges stay charges; whether a law allows them is asked where a run begins
    const Snapshot snapshot = readSnapshot(options.file, read);
    for (const std::string& note : snapshot.notes)
        std::fprintf(stderr, "gravlab: %s\n", printable(options.file + ": " + note).c_str());
    writeSnapshot(options.output, snapshot);
    std::string lost;
    for (const std::string& what : lostIn(format, snapshot)) lost += (lost.empty() ? "" : ", ") + what;
    if (!lost.empty())
        std::fprintf(stderr, "gravlab: %s does not keep: %s%s\n", std::string(format.name).c_str(), lost.c_str(),
                     snapshot.isCheckpoint() ? (" (" + printable(options.file) + " was a checkpoint)").c_str() : "");
    std::fprintf(options.output == "-" ? stderr : stdout, "%s: %zu bodies from %s (%s) as %s\n",
                 printable(options.output).c_str(), snapshot.bodies.size(), printable(options.file).c_str(),
                 snapshot.format.c_str(), std::string(format.name).c_str());
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
