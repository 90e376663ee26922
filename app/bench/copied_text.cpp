#include "app/bench/copied_text.h"

#include "app/bench/kernel_source.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <string>

namespace gravlab {
namespace {

bool isWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Words and signs of a text; a name is "a".
std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    for (const SourceLine& line : colouredLines(text))
        for (const SourceSpan& span : line.spans) {
            std::string_view part = std::string_view(line.text).substr(static_cast<std::size_t>(span.first),
                                                                       static_cast<std::size_t>(span.last - span.first));
            switch (span.ink) {
                case SourceColours::comment:
                    break;
                case SourceColours::keyword:
                case SourceColours::number:
                case SourceColours::text:
                    words.emplace_back(part);
                    break;
                default:  // names, signs and directives
                    while (!part.empty()) {
                        std::size_t length = 1;
                        if (isWordLetter(part.front())) {
                            while (length < part.size() && isWordLetter(part[length])) ++length;
                            words.emplace_back(
                                std::isdigit(static_cast<unsigned char>(part.front())) ? part.substr(0, length) : "a");
                        } else if (!std::isspace(static_cast<unsigned char>(part.front()))) {
                            words.emplace_back(part.substr(0, 1));
                        }
                        part.remove_prefix(length);
                    }
            }
        }
    return words;
}

TextShape without(const TextShape& shape, const TextShape& common) {
    TextShape own;
    std::set_difference(shape.begin(), shape.end(), common.begin(), common.end(), std::back_inserter(own));
    return own;
}

std::size_t shared(const TextShape& one, const TextShape& other) {
    TextShape both;
    std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
    return both.size();
}

}  // namespace

TextShape shapeOf(std::string_view text) {
    const std::vector<std::string> words = wordsOf(text);
    TextShape shape;
    for (std::size_t begin = 0; begin + kShapeRun <= words.size(); ++begin) {
        std::string run;
        for (std::size_t k = begin; k < begin + kShapeRun; ++k) run += words[k] + " ";
        shape.push_back(std::hash<std::string>()(run));
    }
    std::sort(shape.begin(), shape.end());
    shape.erase(std::unique(shape.begin(), shape.end()), shape.end());
    return shape;
}

double likeness(const TextShape& one, const TextShape& other, const TextShape& common) {
    const TextShape a = without(one, common), b = without(other, common);
    const std::size_t least = std::min(a.size(), b.size());
    return least < kLeastOwn ? 0 : static_cast<double>(shared(a, b)) / static_cast<double>(least);
}

double shareIn(const TextShape& shape, const TextShape& other) {
    return shape.empty() ? 0 : static_cast<double>(shared(shape, other)) / static_cast<double>(shape.size());
}

int lineThatIncludes(std::string_view text) {
    // Logical lines: a backslash at the end of a line joins it with the next. Strings and comments are searched too, because
    // a text could hide a directive between marks that only look like theirs.
    std::string joined;
    std::vector<int> lines;
    int line = 1;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool splice = text[at] == '\\' && (text.substr(at + 1, 1) == "\n" || text.substr(at + 1, 2) == "\r\n");
        if (splice) at += text[at + 1] == '\r' ? 2 : 1;
        if (!splice) {
            joined += text[at];
            lines.push_back(line);
        }
        if (text[at] == '\n') ++line;
    }
    const std::string_view all = joined;
    // The next place that is neither blank nor inside of a comment.
    const auto behindBlanks = [all](std::size_t at) {
        while (at < all.size()) {
            if (all[at] == ' ' || (all[at] >= '\t' && all[at] <= '\r' && all[at] != '\n'))
                ++at;
            else if (all.substr(at, 2) == "/*")
                at = std::min(all.find("*/", at + 2), all.size() - 2) + 2;
            else
                break;
        }
        return at;
    };
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (all[at] != '#' && all.substr(at, 2) != "%:") continue;
        std::size_t word = behindBlanks(at + (all[at] == '#' ? 1 : 2));
        if (!all.substr(word).starts_with("include") && !all.substr(word).starts_with("import")) continue;
        while (word < all.size() && isWordLetter(all[word])) ++word;
        const std::size_t name = behindBlanks(word);
        const std::string_view rest = all.substr(name, std::min(all.find('\n', name), all.size()) - name);
        const std::string_view header = rest.substr(0, rest.find('>'));
        if (rest.starts_with('<') && !header.starts_with("</") && header.find("..") == std::string_view::npos) continue;
        const std::size_t begin = at == 0 ? 0 : all.rfind('\n', at - 1) + 1;  // npos + 1 is 0
        const std::string_view before = all.substr(behindBlanks(begin));
        if (before.starts_with("//") && all.substr(begin, at - begin).find("*/") == std::string_view::npos) continue;
        return lines[at];
    }
    return 0;
}

}  // namespace gravlab
