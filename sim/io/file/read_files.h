// Files that this process reads because a user named them: no output may replace one of them. Rule: device, inode and birth
// identify a file, so links and other names are the same file.
#pragma once
#include <filesystem>
#include <string>

namespace gravlab {

/// Remembers the regular file behind a descriptor, under the name that opened it. Skips a file that this process has
/// written: after saving, opening and saving again, the user still has the first file's content. Any thread.
void noteRead(int descriptor, const std::string& name);
/// The name of the read file that would be lost if `output` were replaced; empty: none. Any thread.
std::string readAs(const std::filesystem::path& output);
/// Throws UsageError when `output` would replace such a file.
void requireNotRead(const std::filesystem::path& output);
/// Remembers that this process has written that file. Any thread.
void noteWritten(int descriptor);

}  // namespace gravlab
