#include "app/ui/text_lines.h"

#include <cfloat>
#include <cstddef>

namespace gravlab {

std::string linesWithin(const ImFont& font, float size, std::string_view text, float width) {
    std::string lines(text);
    const auto isWider = [&](std::size_t from, std::size_t to) {
        return font.CalcTextSizeA(size, FLT_MAX, 0, lines.data() + from, lines.data() + to).x > width;
    };
    std::size_t begin = 0, blank = 0;  // of the line; its last blank
    for (std::size_t at = 0; at <= lines.size(); ++at) {
        const bool ends = at == lines.size() || lines[at] == '\n';
        if (!ends && lines[at] != ' ') continue;
        if (blank > begin && isWider(begin, at)) {
            lines[blank] = '\n';
            begin = blank + 1;
        }
        blank = at;
        if (ends) begin = blank = at + 1;
    }
    return lines;
}

std::string linesWithin(std::string_view text, float width) {
    return linesWithin(*ImGui::GetFont(), ImGui::GetFontSize(), text, width);
}

}  // namespace gravlab
