// Tuned choices on disk: tune.json in the XDG cache. Rule: an unreadable file counts as missing, with one message.
#pragma once
#include "sim/backends/tuning.h"

#include <filesystem>
#include <memory>

namespace gravlab {

/// $XDG_CACHE_HOME/gravlab/tune.json, else ~/.cache/gravlab/tune.json; empty when neither folder is known.
std::filesystem::path tuneCachePath();

/// The file's entries for this version of the program. Never throws: a damaged file gives no entries, and a line on stderr.
std::shared_ptr<const Tuning> readTuning(const std::filesystem::path& file);

/// Replaces the file, all or nothing; makes its folder. Entries of other program versions are dropped. Throws IoError.
void writeTuning(const std::filesystem::path& file, const Tuning& tuning);

}  // namespace gravlab
