#include "app/control/output_names.h"

#include "app/system/file_names.h"
#include "sim/core/error.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/read_files.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>

namespace gravlab {
namespace {

constexpr const char* kCheckpoint = "--checkpoint";

/// Whether the output includes that file: as its name, or under any number of its pattern.
bool meets(const OutputName& output, const std::string& file) {
    if (sameFile(output.file, file)) return true;
    if (!output.numbered) return false;
    const std::string name = std::filesystem::path(file).filename().string();
    for (std::size_t at = 0; at < name.size(); ++at) {
        if (name[at] < '0' || name[at] > '9' || (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')) continue;
        std::int64_t number = 0;
        const auto parsed = std::from_chars(name.data() + at, name.data() + name.size(), number);
        if (parsed.ec == std::errc{} && sameFile(numberedName(output.option, output.file, number), file)) return true;
    }
    return false;
}

}  // namespace

std::vector<OutputName> outputNames(const Options& o) {
    std::vector<OutputName> all{
        {"--csv", o.csv},
        {"--final", o.run.finalFile},
        {"--events", o.run.events},
        {kCheckpoint, o.checkpoint},
        {"the file before --checkpoint", o.checkpoint.empty() ? "" : previousOf(o.checkpoint).string()},
        {"--output", o.output},
        {"--card", o.bench.card},
        {"--screenshot", o.screenshot},
        {"--worksheet", o.sheet.worksheet},
        {"--series", o.run.series},
        {"--html", o.html}};
    if (o.run.snapshotEvery > 0) all.push_back({"--snapshots", o.run.snapshots});
    std::erase_if(all, [](const OutputName& output) { return output.file.empty(); });
    for (OutputName& output : all) {
        const auto parts = numberedParts(output.file);
        output.numbered = parts && parts->numbered && (output.option == "--snapshots" || output.option == "--output");
    }
    return all;
}

void refuseOneFileTwice(const Options& options) {
    const std::vector<OutputName> outputs = outputNames(options);
    for (const OutputName& numbered : outputs)
        for (const OutputName& other : outputs)
            if (numbered.numbered && !other.numbered && meets(numbered, other.file))
                throw UsageError(other.option + " '" + other.file + "' is also a name that " + numbered.option + " '" +
                                 numbered.file + "' will use; give them different files");
    for (std::size_t i = 0; i < outputs.size(); ++i)
        for (std::size_t k = i + 1; k < outputs.size(); ++k)
            if (sameFile(outputs[i].file, outputs[k].file))
                throw UsageError(outputs[i].option + " and " + outputs[k].option + " both go to '" + outputs[i].file +
                                 "'; give them different files");
}

void refuseToReplace(const std::vector<std::string>& read, const Options& options) {
    for (const OutputName& output : outputNames(options))
        for (const std::string& file : read) {
            if (file.empty() || file == "-" || output.file == "-" || !meets(output, file)) continue;
            if (output.option == kCheckpoint) continue;  // it continues there, and the previous one is kept
            std::error_code none;
            if (!std::filesystem::is_regular_file(file, none)) continue;  // only regular files are replaced
            throw UsageError(output.option + " '" + output.file + "' would replace '" + file +
                             "', which is read; give it another name");
        }
}

void refuseToReplaceRead(const Options& options) {
    for (const OutputName& output : outputNames(options)) {
        if (output.numbered || output.option == kCheckpoint) continue;  // the numbers are checked at the time of writing
        if (const std::string name = readAs(output.file); !name.empty())
            throw UsageError(output.option + " '" + output.file + "' would replace '" + name +
                             "', which is read; give it another name");
    }
}

}  // namespace gravlab
