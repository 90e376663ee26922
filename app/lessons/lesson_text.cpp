#include "app/lessons/lesson_text.h"

#include "sim/core/text.h"

#include <algorithm>

namespace gravlab {

std::vector<TextBlock> blocksOf(std::string_view text) {
    constexpr std::string_view kCode = "    ", kPoint = "- ";
    using Block = TextBlock::Kind;
    std::vector<TextBlock> blocks;
    bool goesOn = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end), words = trimmed(line);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (words.empty()) {
            goesOn = false;
            continue;
        }
        const bool code = line.starts_with(kCode), point = words.starts_with(kPoint);
        const Block kind = code ? Block::code : point ? Block::point : Block::paragraph;
        const bool joins =
            goesOn && (code ? blocks.back().kind == Block::code : !point && blocks.back().kind != Block::code);
        const std::string_view shown = code ? line.substr(kCode.size()) : point ? trimmed(words.substr(2)) : words;
        if (joins)
            blocks.back().text += (code ? "\n" : " ") + std::string(shown);
        else
            blocks.push_back({kind, std::string(shown)});
        goesOn = true;
    }
    return blocks;
}

}  // namespace gravlab
