// The kernels' own text, as people read it in the lab: cut to what matters, coloured, compared with the rung below.
// Rule: text is what was compiled, embedded at build time, never a copy that could be stale.
#pragma once
#include "sim/backends/kernel.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Content of an embedded kernel file by its name; empty when there is none of that name.
std::string_view kernelFile(std::string_view name);

enum class SourceColours { plain, keyword, number, comment, text, directive };

/// Letters [first, last) of a line.
struct SourceSpan {
    int first = 0, last = 0;
    SourceColours ink = SourceColours::plain;
};
struct SourceLine {
    std::string text;
    std::vector<SourceSpan> spans;  ///< in order, covering what is not blank
    bool differs = false;           ///< the rung below does not have it, or it carries what the row adds
};
struct KernelSource {
    std::string file;   ///< empty: there is no text
    std::string below;  ///< name of the row that it is compared with; empty for the first rung
    std::vector<SourceLine> lines;
    int firstDifference = -1;
};

/// The text behind a row. Made once, kept for good.
const KernelSource& kernelSource(const KernelRow& row);

/// The text of a kernel that a user wrote, for its row of that name. On the thread that shows texts.
void showOwnSource(std::string_view name, std::string_view text);
/// The lines of a text, those marked that `below` does not have.
std::vector<SourceLine> comparedLines(std::string_view text, std::string_view below);

/// The parts, for tests. One function with its comment out of a file; empty when it defines none of that name.
std::string functionText(std::string_view file, std::string_view name);
std::vector<SourceLine> colouredLines(std::string_view text);
/// Marks the lines that `below` does not have in this order (longest common subsequence, blanks at the ends ignored).
void markDifferences(std::vector<SourceLine>& lines, const std::vector<SourceLine>& below);

}  // namespace gravlab
