// The text of the kernels, as the lab shows it: cut to one function, coloured, compared with the rung below. Rule: the text
// is what was compiled, embedded at build time, never a copy that could be stale.
#pragma once
#include "sim/backends/kernel.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Content of an embedded kernel file by its name; empty when no file has that name.
std::string_view kernelFile(std::string_view name);

enum class SourceColours { plain, keyword, number, comment, text, directive };

/// Letters [first, last) of a line.
struct SourceSpan {
    int first = 0, last = 0;
    SourceColours ink = SourceColours::plain;
};
struct SourceLine {
    std::string text;
    std::vector<SourceSpan> spans;  ///< in order, covering all letters that are not blank
    bool differs = false;           ///< the rung below lacks it, or it contains an added parameter
};
struct KernelSource {
    std::string file;   ///< empty: no text
    std::string below;  ///< name of the row compared with; empty for the first rung
    std::vector<SourceLine> lines;
    int firstDifference = -1;
};

/// The text of a row. Made once, and valid as long as the program runs.
const KernelSource& kernelSource(const KernelRow& row);

/// Sets the text of a user's kernel for the row of that name. Call it on the thread that shows texts.
void showOwnSource(std::string_view name, std::string_view text);
/// The lines of a text; those that `below` lacks are marked.
std::vector<SourceLine> comparedLines(std::string_view text, std::string_view below);

/// Exposed for tests: one function with its comment out of a file; empty when the file does not define it.
std::string functionText(std::string_view file, std::string_view name);
std::vector<SourceLine> colouredLines(std::string_view text);
/// Marks the lines that `below` lacks in this order (longest common subsequence, ignoring blanks at the ends).
void markDifferences(std::vector<SourceLine>& lines, const std::vector<SourceLine>& below);

}  // namespace gravlab
