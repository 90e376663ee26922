// A list of the numbered snapshots of a run with their times, which ParaView opens as one set of data over time: XDMF beside
// HDF5 files, or FILE.series beside PLY files. Rule: it names only files that exist, and is complete after each of them.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Throws UsageError where a list of that name cannot name snapshots of this pattern.
void requireSeries(std::string_view list, std::string_view pattern);

class SnapshotSeries {
public:
    /// `list`: FILE.xdmf or FILE.series; empty: no list is written.
    explicit SnapshotSeries(std::filesystem::path list) : list_(std::move(list)) {}
    /// Keeps what the list of an earlier part of the run says up to this time, for a run that continues from there.
    void keepUntil(double time, bool backwards);
    /// Adds a file that was written, and writes the list again. Throws IoError.
    void add(const std::filesystem::path& file, double time, std::size_t bodies);
    /// The text of the list. Paths are relative to its folder.
    std::string text() const;

private:
    struct Entry {
        std::string file;
        double time = 0;
        std::size_t bodies = 0;
    };
    std::filesystem::path list_;
    std::vector<Entry> entries_;
};

}  // namespace gravlab
