// Bodies of the user's own in scene files: where they are, how they are read, and whether they are still the same.
// Rule: the file is named from the folder of the scene file, so that both can be moved together.
#pragma once
#include "app/control/toml_document.h"
#include "app/model/options.h"
#include "sim/backends/kernel.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// What a scene file says of bodies of its own.
struct SceneData {
    std::string file;  ///< as written; empty: it has a scene of the table
    ReadOptions read;
    std::string print;            ///< StartFile::print of when it was written; empty: not said
    std::size_t line = 0;         ///< of the file's name
    std::size_t columnsLine = 0;  ///< where its columns are named; without, that of its file
};

/// Whether a setting is of scenes, and not of bodies of one's own.
bool ofSceneAlone(std::string_view key);

/// Takes what is said of them out of the settings of a scene file. Throws InputError "NAME, line N: ...".
SceneData takeSceneData(std::vector<TomlEntry>& settings, const std::string& name);

/// Reads those bodies and starts `options` from them under what else the scene file asks for; what the command line has
/// given stays. `scene` is the path of the scene file. Throws InputError for a file that is not there, IoError.
void openSceneData(const SceneData& data, const RunRequest& asked, const std::string& scene, Options& options);

/// The lines about the bodies of a start, for a scene file in that folder.
std::string sceneDataText(const StartFile& file, const std::filesystem::path& folder);

/// What --hubble, or hubble of a scene file, says: apply or ignore. Throws UsageError.
bool ignoresHubble(std::string_view name, std::string_view text);

}  // namespace gravlab
