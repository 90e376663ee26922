// Names of files that a key writes: scene, picture, film, table. Rule: the name is free; no existing file is replaced.
#pragma once
#include <ctime>
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

}  // namespace gravlab
