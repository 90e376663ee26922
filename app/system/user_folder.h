// Where a program keeps what is a user's own, by the XDG Base Directory Specification.
#pragma once
#include <filesystem>

namespace gravlab {

/// gravlab's folder in the base folder that `variable` names (XDG_CACHE_HOME and its like), else in `fallback` under HOME; a
/// relative path counts as none, as the specification wants it. Empty where there is neither. Makes nothing.
std::filesystem::path userFolder(const char* variable, const char* fallback);

}  // namespace gravlab
