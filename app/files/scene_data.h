// The user's own bodies in scene files: the path of their file, how to read it, and whether it is unchanged.
// Rule: the path is relative to the folder of the scene file, so that both can be moved together.
#pragma once
#include "app/files/toml_document.h"
#include "app/model/start_options.h"
#include "sim/backends/kernel.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Entries of a scene file about its own bodies.
struct SceneData {
    std::string file;  ///< as written; empty: the scene is one of the table
    ReadOptions read;
    std::string print;            ///< StartFile::print when the scene file was written; empty: not given
    std::size_t line = 0;         ///< line of the file's name
    std::size_t columnsLine = 0;  ///< line of its column names; without them, the line of its file
};

/// Whether a setting is only for scenes of the table, and not for the user's own bodies.
bool ofSceneAlone(std::string_view key);

/// Removes these entries from the settings of a scene file and returns them. Throws InputError "NAME, line N: ...".
SceneData takeSceneData(std::vector<TomlEntry>& settings, const std::string& name);

/// Reads those bodies and makes them the start of `options`, with the other settings of the scene file. Settings of the
/// command line take precedence. `scene` is the path of the scene file. Throws InputError for a missing file, IoError.
void openSceneData(const SceneData& data, const RunRequest& settings, const std::string& scene, StartOptions& options);

/// The lines about the bodies of a start, for a scene file in that folder.
std::string sceneDataText(const StartFile& file, const std::filesystem::path& folder);

/// A box "X0:X1,Y0:Y1,Z0:Z1", where an empty end is open, and back. Throws UsageError.
FilePart::Region parsedRegion(std::string_view name, std::string_view text);
std::string regionText(const FilePart::Region& region);

/// Whether --hubble, or hubble of a scene file, is ignore rather than apply. Throws UsageError.
bool ignoresHubble(std::string_view name, std::string_view text);

}  // namespace gravlab
