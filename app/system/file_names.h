// Names of files and folders that the program writes. Rule: a name that a key writes, as of a scene, picture, film or table,
// is free; no existing file is replaced.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gravlab {

/// A text that is safe in any folder: the first 40 letters, with '-' for all but letters, digits and _; "run" when empty.
std::string plainName(std::string_view text);

/// A local date and time in strftime's format; `universal`: in UTC.
std::string timeText(std::time_t when, const char* format, bool universal = false);

/// "START-20261122-101500END" with the local date and time; "START-20261122-101500-2END" and so on when that exists
/// in the current folder or was returned before, because files are written later than they are named.
std::string timedName(std::string_view start, std::string_view end);
/// The same for a name that the user may change: later calls may return it again.
std::string proposedName(std::string_view start, std::string_view end);

// Names of numbered files. Rule: a pattern is text with one %d; it never reaches printf.

/// A pattern, split at its number.
struct NumberedParts {
    std::string before, after;
    bool numbered = false;  ///< else the whole pattern is `before`
    bool zeros = false;     ///< pad the number with zeros up to `width`, else with spaces
    std::size_t width = 0;
    std::string name(std::int64_t number) const;
};

/// Accepts at most one %d, %5d or %05d (at most 20 digits) for the number; "%%" is a percent sign. Empty for any other use
/// of '%'.
std::optional<NumberedParts> numberedParts(std::string_view pattern);

/// The pattern with its one number replaced. Throws UsageError naming `option`.
std::string numberedName(std::string_view option, std::string_view pattern, std::int64_t number);

// Folders for a user's own files, by the XDG Base Directory Specification.

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
