// Grades a folder of kernels: each is checked against fp64 and timed in a process of its own, and texts are compared.
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

/// The shape of a text: hashes of its runs of kShapeRun consecutive words and signs, each once, in ascending order. Names
/// are all the same word.
using TextShape = std::vector<std::uint64_t>;
constexpr std::size_t kShapeRun = 24;
TextShape shapeOf(std::string_view text);

/// Fraction of the smaller shape that the larger one contains too, 0 to 1, without what is in `common`. It is 0 where fewer
/// than kLeastOwn runs remain: such texts are too short to say who wrote them.
constexpr std::size_t kLeastOwn = 3 * kShapeRun;
double likeness(const TextShape& one, const TextShape& other, const TextShape& common);

/// Fraction of `shape` that `other` contains, 0 to 1.
double shareIn(const TextShape& shape, const TextShape& other);

/// Line of the first directive that includes another file of this machine, from 1; 0: none. What it includes would not be
/// compared. A header that the compiler searches for, <NAME>, is none, and neither is a directive behind //.
int lineThatIncludes(std::string_view text);

/// One file of the folder.
struct Graded {
    std::string file;    ///< name within the folder
    std::string text{};  ///< empty: it could not be read
    OwnTrialReply reply{};
    std::string copied{};  ///< the other file, or "the initial text NAME"; empty: no likeness worth naming
    double likeness = 0;   ///< fraction of its own runs of words that the other one has too, 0 to 1
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

/// Tries all `*.cu` of the folder, and calls `done` after each row. Without a device the texts are compiled and compared,
/// and not run. Throws InputError for a folder without kernels, NoDeviceError where there is no compiler.
GradeSheet gradeFolder(const GradeRequest& request, const std::function<void(const GradeSheet&)>& done);

/// Names the likeness of each row to the others, or to the texts that the program offers.
void findCopies(std::vector<Graded>& rows);

/// "good", "wrong", "hangs", "out of bounds", ...
std::string_view verdictOf(const OwnTrialReply& reply);
/// Errors of a row with their lines; without a line: 0.
std::vector<CompilerMessage> errorsOf(const Graded& row);

/// A row as a line of the printed table, below gradeTableHead().
std::string gradeTableLine(const GradeSheet& sheet, const Graded& row);
std::string gradeTableHead();
/// A line per error, and one for a file without errors.
std::string gradeCsv(const GradeSheet& sheet);
/// One page without other files: the table, then each text with its errors at their lines.
std::string gradeHtml(const GradeSheet& sheet);

}  // namespace gravlab
