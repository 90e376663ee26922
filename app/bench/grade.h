// Grades a folder of kernels: each is checked against fp64 and timed in a process of its own.
// Rule: a file that hangs, fails or cannot be read is a row of the sheet and never the end of the grading.
#pragma once
#include "app/bench/own_trial.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Line of the first directive that includes another file of this machine, from 1; 0: none. A header that the compiler
/// searches for, <NAME>, is none, and neither is a directive behind //.
int lineThatIncludes(std::string_view text);

/// One file of the folder.
struct Graded {
    std::string file;  ///< name within the folder
    OwnTrialReply reply{};
};

struct GradeSheet {
    std::string device;  ///< empty: nothing was run
    std::size_t bodies = 0;
    double secondsPerForce = 0;  ///< of the initial text `tiled`, to compare with; 0: nothing was run
    std::vector<Graded> rows{};  ///< by file name
    bool ran() const { return secondsPerForce > 0; }
};

struct GradeRequest {
    std::filesystem::path folder;
    std::size_t bodies = 16384;
    std::uint64_t seed = 1;
    int device = 0;
    OwnTrial::Limits limits{};
    std::string program{};  ///< for the trials; empty: this program
};

/// Tries all `*.cu` of the folder, and calls `done` after each row. Without a device the texts are compiled
/// and not run. Throws InputError for a folder without kernels, NoDeviceError where there is no compiler.
GradeSheet gradeFolder(const GradeRequest& request, const std::function<void(const GradeSheet&)>& done);

/// "good", "wrong", "hangs", "out of bounds", ...
std::string_view verdictOf(const OwnTrialReply& reply);
/// Errors of a row with their lines; without a line: 0.
std::vector<CompilerMessage> errorsOf(const Graded& row);

/// A row as a line of the printed table, below gradeTableHead().
std::string gradeTableLine(const GradeSheet& sheet, const Graded& row);
std::string gradeTableHead();
/// A line per error, and one for a file without errors.
std::string gradeCsv(const GradeSheet& sheet);

}  // namespace gravlab
