// The few marks that texts of lessons have, for panels and worksheets alike: paragraphs between blank lines, points that
// begin with "- ", and program text in lines of four blanks.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

struct TextBlock {
    enum class Kind { paragraph, point, code } kind = Kind::paragraph;
    std::string text;  ///< one line; of code as many as there are
};
std::vector<TextBlock> blocksOf(std::string_view text);

}  // namespace gravlab
