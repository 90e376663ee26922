// Names of files that a key makes: scene, picture, film, table. Rule: a name that is free; no file of before is replaced.
#pragma once
#include <ctime>
#include <string>
#include <string_view>

namespace gravlab {

/// What is safe in any folder: of the first 40 letters, all but letters, digits and _ become '-'; "run" for none.
std::string plainName(std::string_view text);

/// A local date and time in strftime's words; `universal`: in UTC.
std::string timeText(std::time_t when, const char* format, bool universal = false);

/// "START-20261122-101500END" with the local date and time; "START-20261122-101500-2END" and so on where that is taken
/// in the current folder, or was given before: files are written later than they are named.
std::string timedName(std::string_view start, std::string_view end);
/// The same for a name that people may change: it is not given.
std::string proposedName(std::string_view start, std::string_view end);

}  // namespace gravlab
