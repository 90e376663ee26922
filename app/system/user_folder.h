// Folders for a user's own files, by the XDG Base Directory Specification.
#pragma once
#include <cstdlib>
#include <filesystem>

namespace gravlab {

/// gravlab's folder in the base folder named by `variable` (XDG_CACHE_HOME and similar), else in `fallback` under HOME. As
/// specified, a relative path counts as unset. Empty when neither is set. Creates nothing.
inline std::filesystem::path userFolder(const char* variable, const char* fallback) {
    const char* base = std::getenv(variable);
    if (base && base[0] == '/') return std::filesystem::path(base) / "gravlab";
    const char* home = std::getenv("HOME");
    if (home && home[0] == '/') return std::filesystem::path(home) / fallback / "gravlab";
    return {};
}

}  // namespace gravlab
