#include "app/system/user_folder.h"

#include <cstdlib>

namespace gravlab {

std::filesystem::path userFolder(const char* variable, const char* fallback) {
    const char* base = std::getenv(variable);
    if (base && base[0] == '/') return std::filesystem::path(base) / "gravlab";
    const char* home = std::getenv("HOME");
    if (home && home[0] == '/') return std::filesystem::path(home) / fallback / "gravlab";
    return {};
}

}  // namespace gravlab
