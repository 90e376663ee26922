// Tuned choices on disk: tune.json in the XDG cache. Rule: what cannot be read is as if it were not there, and is said once.
#pragma once
#include "sim/backends/tuning.h"

#include <filesystem>
#include <memory>

namespace gravlab {

/// $XDG_CACHE_HOME/gravlab/tune.json, else ~/.cache/gravlab/tune.json; empty when there is neither.
std::filesystem::path tuneCachePath();

/// What the file holds for this version of the program. Never throws: a broken file gives nothing, and a line on stderr.
std::shared_ptr<const Tuning> readTuning(const std::filesystem::path& file);

/// Replaces the file, all or nothing; makes its folder. Entries of other program versions are dropped. Throws IoError.
void writeTuning(const std::filesystem::path& file, const Tuning& tuning);

}  // namespace gravlab
