#include "app/files/open_file.h"

#include "app/files/scene_file.h"
#include "app/parameters/parameter.h"
#include "app/parameters/quantity.h"
#include "app/system/file_names.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "sim/api/errors.h"
#include "sim/backends/kernel.h"
#include "sim/core/text.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/run_settings.h"
#include "sim/io/shared_bodies.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
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

void refuseOneFileTwice(const StartOptions& options) {
    const std::vector<OutputName>& outputs = options.outputs;
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

void refuseToReplace(const std::vector<std::string>& read, const StartOptions& options) {
    for (const OutputName& output : options.outputs)
        for (const std::string& file : read) {
            if (file.empty() || file == "-" || output.file == "-" || !meets(output, file)) continue;
            if (output.option == kCheckpoint) continue;  // it continues there, and the previous one is kept
            std::error_code none;
            if (!std::filesystem::is_regular_file(file, none)) continue;  // only regular files are replaced
            throw UsageError(output.option + " '" + output.file + "' would replace '" + file +
                             "', which is read; give it another name");
        }
}

void refuseToReplaceRead(const StartOptions& options) {
    for (const OutputName& output : options.outputs) {
        if (output.numbered || output.option == kCheckpoint) continue;  // the numbers are checked at the time of writing
        if (const std::string name = readAs(output.file); !name.empty())
            throw UsageError(output.option + " '" + output.file + "' would replace '" + name +
                             "', which is read; give it another name");
    }
}

bool goesByAccuracy(const KernelRow& row) { return row.approximates && !row.byOpening; }
bool goesByOpening(const KernelRow& row) { return row.approximates && row.byOpening; }

void requireSoftened(bool given, Law law) {
    if (!given || lawRow(law).softened) return;
    throw UsageError("--softening does nothing under " + std::string(lawRow(law).name) + ", which is finite without");
}

bool meansFile(const std::string& text) {
    if (isSceneFile(text) || text == "-" || text.find('/') != std::string::npos || hasSnapshotExtension(text)) return true;
    std::error_code ignored;
    return std::filesystem::exists(text, ignored);
}

LoadedStart openStart(const std::string& path, const ReadOptions& options, bool stays) {
    const std::string last = std::filesystem::path(path).filename().string();
    StartFile file{.path = {},
                   .columns = options.columns,
                   .units = options.units,
                   .gravity = options.gravity,
                   .sanitize = options.sanitize,
                   .part = options.part,
                   .ignoreHubble = options.ignoreHubble,
                   .print = {}};
    std::error_code ignored;
    if (!options.bonds.empty()) file.bonds = std::filesystem::absolute(options.bonds, ignored).lexically_normal().string();
    Snapshot snapshot = readSnapshot(path, options);
    const bool shared = snapshot.format == kSharedFormat;
    if (stays && path != "-" && !shared) file.path = std::filesystem::absolute(path, ignored).lexically_normal().string();
    const std::string name = shared ? std::string(kSharedRun) : path == "-" ? "standard input" : last.empty() ? path : last;
    return startFrom(std::move(snapshot), name, std::move(file));
}

namespace {

/// Checks what depends on the law of the file: options without effect, and masses below 0.
void requireLaw(const StartOptions& options, const RunRequest& settings) {
    const Law law = settings.law.value_or(settings.start->row.law);
    for (const LawNumber& number : lawNumbers())
        if (options.has(number.option) && !number.acts(law))
            throw UsageError(std::string(number.option) + " belongs to " + number.of + ", and the bodies of '" +
                             options.file + "' are under " + std::string(lawRow(law).name) + "; add --law");
    requireSoftened(options.has("--softening"), law);
    if (lawRow(law).signedSources) return;
    const std::vector<Double4>& bodies = settings.start->state.bodies.position;
    const auto below = std::find_if(bodies.begin(), bodies.end(), [](const Double4& body) { return body.w < 0; });
    if (below != bodies.end())
        throw InputError(options.file + ": body " + std::to_string(below - bodies.begin()) +
                         " has a mass below 0, which has no meaning under " + std::string(lawRow(law).name) +
                         "; --law coulomb takes it as a charge");
}

/// Whether a kernel with that name has the property, on any backend.
bool kernelDoes(const KernelRequest& request, bool (*does)(const KernelRow&)) {
    return request.kernel &&
           std::ranges::any_of(kernels(), [&](const KernelRow& row) { return row.name == *request.kernel && does(row); });
}

/// The note for a resumed run that has to choose its backend again.
std::string newChoice(const StartOptions& options, const RunRequest& ran, const RunRequest& wanted) {
    if (!options.has("--backend") || wanted.backend || !ran.backend || ran.start->state.clock.step == 0) return {};
    return "it ran on " + *ran.backend + "; the backend is chosen again, so the last digits may differ from now on";
}

StartOptions filled(const StartOptions& options) {
    if (options.file.empty()) return options;
    if (isSceneFile(options.file)) {
        StartOptions scene = withSceneFile(options);
        for (const std::string& note : scene.notes) notify(note);
        return scene;
    }
    StartOptions merged = options;
    LoadedStart offer = openStart(options.file, options.read);
    const RunRequest ran = offer.request;
    for (const SettingRow& setting : settingRows())
        if (setting.key != "scene" && options.has(ofSetting(setting.key).storedAs.option))
            setting.copy(offer.request, options.simulation);
    // A kernel belongs to a backend, so the file's kernel does not apply to another backend.
    if (options.has("--backend") && !options.has("--kernel"))
        offer.request.pairs().kernel = options.simulation.pairs().kernel;
    // With a new accuracy, the machine chooses a kernel again, unless the accuracy controls the file's kernel.
    if (options.has("--accuracy") && !options.has("--kernel") && options.simulation.pairs().accuracy &&
        !kernelDoes(offer.request.pairs().kernel, goesByAccuracy))
        offer.request.pairs().kernel = options.simulation.pairs().kernel;
    if (options.has("--opening") && options.simulation.pairs().opening &&
        !kernelDoes(offer.request.pairs().kernel, goesByOpening))
        throw UsageError("--opening does not apply to the kernel of '" + options.file +
                         "'; add --kernel tree-theta, or another that goes by it");
    if (const std::string note = newChoice(options, ran, offer.request); !note.empty()) offer.notes.push_back(note);
    offer.request.tuning = options.simulation.tuning;
    offer.request.farField = options.simulation.farField;
    requireLaw(options, offer.request);
    merged.simulation = std::move(offer.request);
    for (const std::string& note : offer.notes) notify(options.file + ": " + note);
    return merged;
}

}  // namespace

StartOptions withFile(const StartOptions& options) {
    const InterruptibleReading reading;
    StartOptions merged = filled(options);
    takeQuantities(merged);
    if (merged.simulation.start) refuseToReplace({merged.simulation.start->file.path}, options);
    refuseToReplaceRead(options);
    if (merged.flyPath && merged.path.empty())
        throw UsageError("--path needs a scene file with a camera path: [camera.path] with points = [[0, ...], ...]");
    return merged;
}

}  // namespace gravlab
