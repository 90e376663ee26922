// `gravlab convert IN OUT`: converts a file to another format. Rule: it reports data that the new format cannot keep.
#include "app/commands/options.h"

#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/io/snapshot.h"

#include <cstdio>

namespace gravlab {
namespace {

/// The conversion of the units, in one line.
std::string unitsText(const FileFormat& format, const Snapshot& snapshot, const std::string& from,
                      const std::string& option) {
    const FileUnits& units = snapshot.fileUnits;
    const std::string names =
        units.named() ? units.length + ", " + units.velocity + ", " + units.mass : std::string("its own");
    if (units.plain() && !units.named()) return "units: " + from + " states none beyond G = 1; its numbers stay as they are";
    if (format.text) return "units: " + names + ", as " + (option.empty() ? "in " + from : "--units " + option + " says");
    const std::string factor = formatted("%.6g", units.massBy);
    return "units: " + names + " became G = 1 (masses x " + factor + ")" +
           (format.keeps & kKeepsUnits ? "; the file says so, and a table made of it has " + names + " again"
                                       : ", which " + std::string(format.name) + " cannot say");
}

}  // namespace

int convertCommand(const Options& options) {
    // This comes first: an extension that cannot be written is found before a large file is read.
    const FileFormat& format = formatForWriting(options.output);
    const InterruptWatch watch;
    const InterruptibleReading reading;
    ReadOptions read = options.read;
    read.allowSigns = true;  // charges stay charges; the start of a run checks whether its law allows them
    const Snapshot snapshot = readSnapshot(options.file, read);
    for (const std::string& note : snapshot.notes)
        if (!note.starts_with("converted from"))
            std::fprintf(stderr, "gravlab: %s\n", printable(options.file + ": " + note).c_str());
    std::fprintf(stderr, "gravlab: %s\n", printable(unitsText(format, snapshot, options.file, read.units)).c_str());
    InterruptWatch::check();
    writeSnapshot(options.output, snapshot);
    if (const std::string lost = joined(lostIn(format, snapshot)); !lost.empty())
        std::fprintf(stderr, "gravlab: %s does not keep: %s%s\n", std::string(format.name).c_str(), lost.c_str(),
                     snapshot.isCheckpoint() ? (" (" + printable(options.file) + " was a checkpoint)").c_str() : "");
    std::fprintf(options.output == "-" ? stderr : stdout, "%s: %zu bodies from %s (%s) as %s\n",
                 printable(options.output).c_str(), snapshot.bodies.size(), printable(options.file).c_str(),
                 snapshot.format.c_str(), std::string(format.name).c_str());
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
