// Folders for a user's own files, by the XDG Base Directory Specification.
#pragma once
#include <filesystem>

namespace gravlab {

/// gravlab's folder in the base folder named by `variable` (XDG_CACHE_HOME and similar), else in `fallback` under HOME. As
/// specified, a relative path counts as unset. Empty when neither is set. Creates nothing.
std::filesystem::path userFolder(const char* variable, const char* fallback);

}  // namespace gravlab
