// Files that this process reads because somebody named them: no output may take the place of one of them.
// Rule: files are known by device, inode and birth, so links and other names of a file are that file.
#pragma once
#include <filesystem>
#include <string>

namespace gravlab {

/// Remembers the regular file behind a descriptor, under the name that it was opened by. Not a file that this process has
/// written: whoever saves, opens and saves again has the first file's content in his hands. Any thread.
void noteRead(int descriptor, const std::string& name);
/// The name of the file that would be lost if `output` were replaced; empty: none. Any thread.
std::string readAs(const std::filesystem::path& output);
/// Throws UsageError where there is such a file.
void requireNotRead(const std::filesystem::path& output);
/// Remembers that this process has written that file. Any thread.
void noteWritten(int descriptor);

}  // namespace gravlab
