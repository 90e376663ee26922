// The markup of lesson texts, for panels and worksheets. It has paragraphs between blank lines, points that begin with "- ",
// and program text in lines that begin with four blanks.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

struct TextBlock {
    enum class Kind { paragraph, point, code } kind = Kind::paragraph;
    std::string text;  ///< one line; code may have several
};
std::vector<TextBlock> blocksOf(std::string_view text);

}  // namespace gravlab
