// `gravlab convert IN OUT`: converts a file to another format. Rule: it reports data that the new format cannot keep.

#include "app/commands/option_groups.h"
#include "app/files/open_file.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
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

struct ConvertCommand : Subcommand {
    std::string output;

    void add(OptionRows& rows) override {
        constexpr const char* kBoth = "convert needs two files: gravlab convert IN OUT";
        rows.word("IN", start.file, kReadableFile).required(kBoth);
        rows.word("OUT", output, "file to write: .csv, .tab, .tipsy, .gadget, .hdf5 or .ply; '-' is standard output, as csv")
            .required(kBoth);
        addReading(rows);
    }
    void check() override {
        start.outputs.push_back({"OUT", output});
        refuseToReplace({start.file}, start);
    }
    int run() override {
        // This comes first: an extension that cannot be written is found before a large file is read.
        const FileFormat& format = formatForWriting(output);
        const InterruptWatch watch;
        const InterruptibleReading reading;
        ReadOptions read = start.read;
        read.allowSigns = true;  // charges stay charges; the start of a run checks whether its law allows them
        const Snapshot snapshot = readSnapshot(start.file, read);
        for (const std::string& note : snapshot.notes)
            if (!note.starts_with("converted from")) notify(start.file + ": " + note);
        notify(unitsText(format, snapshot, start.file, read.units));
        InterruptWatch::check();
        writeSnapshot(output, snapshot);
        if (const std::string lost = joined(lostIn(format, snapshot)); !lost.empty())
            notify(formatted("%s does not keep: %s%s", std::string(format.name).c_str(), lost.c_str(),
                             snapshot.isCheckpoint() ? (" (" + printable(start.file) + " was a checkpoint)").c_str() : ""));
        std::fprintf(output == "-" ? stderr : stdout, "%s: %zu bodies from %s (%s) as %s\n", printable(output).c_str(),
                     snapshot.bodies.size(), printable(start.file).c_str(), snapshot.format.c_str(),
                     std::string(format.name).c_str());
        return static_cast<int>(ExitCode::ok);
    }
};

}  // namespace

constinit const CommandRow kConvertCommand{
    "convert", "read bodies in one format, write them in another",
    "  gravlab convert galaxy.tipsy galaxy.hdf5\n"
    "  gravlab convert stars.csv stars.tab --columns m,x,y,z,vx,vy,vz --units cluster\n"
    "  grep -v '^#' table.txt | gravlab convert - bodies.hdf5\n",
    made<ConvertCommand>};

}  // namespace gravlab
