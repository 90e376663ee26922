// File jobs for snapshots. Rule: where memory is too short, the error names the file.
#pragma once
#include "app/files/file_jobs.h"
#include "sim/api/errors.h"
#include "sim/io/snapshot.h"

#include <functional>
#include <new>
#include <string>
#include <utility>

namespace gravlab {

/// Returns the result of `call`. Throws IoError in place of std::bad_alloc.
template <class Call>
auto withMemoryFor(const std::string& path, const Call& call) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        throw IoError(path + ": there is not enough memory for it");
    }
}

/// Saves the result of `later`, which is called once, on the thread of the files.
inline FileJob saving(const std::string& path, std::function<Snapshot()> later, const WriteOptions& options) {
    return {.work = [path, options, later = std::move(later)] {
        withMemoryFor(path, [&] { writeSnapshot(path, later(), options); });
        return "Saved to " + path + ".";
    }};
}

}  // namespace gravlab
