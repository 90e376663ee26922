// From embedded files to coloured lines.
#include "app/bench/kernel_source.h"

#include "app/bench/own_trial.h"
#include "sim/core/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace gravlab {
namespace {

/// Words between blanks.
constexpr std::string_view kKeywords =
    " alignas asm auto bool break const constexpr continue decltype do double else enum extern false float for goto "
    "if inline int long namespace new noexcept nullptr operator reinterpret_cast return sizeof static static_assert "
    "static_cast struct switch template this true typename unsigned using void volatile while float2 float3 float4 "
    "double2 double3 double4 __global__ __device__ __shared__ __constant__ __restrict__ __launch_bounds__ "
    "__forceinline__ __syncthreads __shfl_sync __shfl_down_sync __shfl_xor_sync threadIdx blockIdx blockDim gridDim ";

/// The text that marks a launch parameter, when two rungs use one template.
struct AddedMarks {
    bool (*added)(const KernelRow& row, const KernelRow& below);
    std::array<std::string_view, 3> marks;
};
constexpr AddedMarks kAdded[] = {
    {[](const KernelRow& row, const KernelRow& below) { return row.splits.last > 1 && below.splits.last == 1; },
     {"blockIdx.y", "rangeLength", "ranges"}},
    {[](const KernelRow& row, const KernelRow& below) {
         return row.bodiesPerThread.size() > 1 && below.bodiesPerThread.size() <= 1;
     },
     {"kBodies", "bodiesPerThread", "kBodies"}},
    {[](const KernelRow& row, const KernelRow& below) { return !row.deterministic && below.deterministic; },
     {"atomic", "kAtomic", "atomic"}},
    {[](const KernelRow& row, const KernelRow& below) { return row.equalMasses && !below.equalMasses; },
     {"kOne", "equal", "Equal"}},
    {[](const KernelRow& row, const KernelRow& below) {
         return row.cut == below.cut && row.issuedPerDirectedPair < below.issuedPerDirectedPair && !row.equalMasses;
     },
     {"kRuns", "deferredMass", "theirs"}},
    {[](const KernelRow& row, const KernelRow& below) { return row.unrolls.size() > 1 && below.unrolls.size() <= 1; },
     {"kUnroll", "#pragma unroll", "kUnroll"}},
};

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The position after the bracket that closes the one at `open`; npos when none closes it.
std::size_t behindClosing(std::string_view text, std::size_t open, char opening, char closing) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == opening;
        depth -= text[i] == closing;
        if (depth == 0) return i + 1;
    }
    return std::string_view::npos;
}

/// File and function of a row's text.
struct Place {
    std::string file, function;
};

Place placeOf(const KernelRow& row) {
    if (!row.source.empty()) {
        const std::size_t colon = row.source.find(':');
        return {std::string(row.source.substr(0, colon)),
                colon == std::string_view::npos ? "" : std::string(row.source.substr(colon + 1))};
    }
    if (row.term != kPairLawTerm) return {};
    // "tiled-split" is in force_tiled_split.cu, or as a variant in force_tiled.cu.
    std::string name(row.name);
    std::replace(name.begin(), name.end(), '-', '_');
    for (std::size_t length = name.size(); length != std::string::npos && length > 0; length = name.rfind('_', length - 1)) {
        for (const char* prefix : {"force_", ""})
            for (const char* extension : {".cu", ".cuh"})
                if (const std::string file = prefix + name.substr(0, length) + extension; !kernelFile(file).empty())
                    return {file, ""};
    }
    return {};
}

/// The rung to compare with: the nearest lower rung in the same file, else the next lower rung.
const KernelRow* rungBelow(const KernelRow& row) {
    const KernelRow *below = nullptr, *sameFile = nullptr;
    for (const KernelRow& other : kernels()) {
        if (other.backend != row.backend) continue;
        if (other.name == row.name) break;
        below = &other;
        if (placeOf(other).file == placeOf(row).file) sameFile = &other;
    }
    return sameFile ? sameFile : below;
}

/// Marks on nearly all lines are useless.
bool saysSomething(const std::vector<SourceLine>& lines) {
    constexpr double kMost = 0.85;
    const auto marked = std::count_if(lines.begin(), lines.end(), [](const SourceLine& line) { return line.differs; });
    return static_cast<double>(marked) <= kMost * static_cast<double>(lines.size());
}

/// Texts of users, by the names of their rows.
std::map<std::string, std::string, std::less<>>& ownTexts() {
    static std::map<std::string, std::string, std::less<>> texts;
    return texts;
}

KernelSource made(const KernelRow& row) {
    KernelSource source;
    if (const auto own = ownTexts().find(row.name); own != ownTexts().end()) {
        source.file = own->first;
        source.below = ownLaunch(own->second, own->first).from;
        source.lines = comparedLines(own->second, ownTemplateText(source.below));
        if (ownTemplateText(source.below).empty()) source.below.clear();
        return source;
    }
    const Place place = placeOf(row);
    const std::string_view file = kernelFile(place.file);
    if (file.empty()) return source;
    std::string text;
    for (std::string_view names = place.function; !names.empty();) {
        const std::size_t comma = names.find(',');
        const std::string part = functionText(file, names.substr(0, comma));
        text += (text.empty() || part.empty() ? "" : "\n") + part;
        names = comma == std::string_view::npos ? std::string_view() : names.substr(comma + 1);
    }
    if (text.empty()) text = file;
    source.file = place.file;
    source.lines = colouredLines(text);
    const KernelRow* const below = rungBelow(row);
    if (!below) return source;
    source.below = below->name;
    const KernelSource& other = kernelSource(*below);
    const bool sameText = std::equal(source.lines.begin(), source.lines.end(), other.lines.begin(), other.lines.end(),
                                     [](const SourceLine& a, const SourceLine& b) { return a.text == b.text; });
    if (sameText) {
        for (const AddedMarks& added : kAdded)
            if (added.added(row, *below))
                for (SourceLine& line : source.lines)
                    for (const std::string_view mark : added.marks)
                        line.differs = line.differs || line.text.find(mark) != std::string::npos;
    } else if (!other.file.empty()) {
        markDifferences(source.lines, other.lines);
    }
    if (!saysSomething(source.lines)) {
        for (SourceLine& line : source.lines) line.differs = false;
        source.below.clear();
    }
    const auto first =
        std::find_if(source.lines.begin(), source.lines.end(), [](const SourceLine& line) { return line.differs; });
    if (first != source.lines.end()) source.firstDifference = static_cast<int>(first - source.lines.begin());
    return source;
}

}  // namespace

const KernelSource& kernelSource(const KernelRow& row) {
    static std::map<std::string, KernelSource> known;
    const std::string key = std::string(row.backend) + "/" + std::string(row.name);
    auto found = known.find(key);
    if (found == known.end()) found = known.emplace(key, made(row)).first;
    return found->second;
}

void showOwnSource(std::string_view name, std::string_view text) { ownTexts()[std::string(name)] = std::string(text); }

std::vector<SourceLine> comparedLines(std::string_view text, std::string_view below) {
    std::vector<SourceLine> lines = colouredLines(text);
    if (!below.empty()) markDifferences(lines, colouredLines(below));
    return lines;
}

std::string functionText(std::string_view file, std::string_view name) {
    for (std::size_t at = file.find(name); at != std::string_view::npos; at = file.find(name, at + 1)) {
        if ((at > 0 && isWord(file[at - 1])) || at + name.size() >= file.size() || file[at + name.size()] != '(') continue;
        const std::size_t behind = behindClosing(file, at + name.size(), '(', ')');
        if (behind == std::string_view::npos) continue;
        const std::size_t body = file.find_first_not_of(" \n", behind);
        if (body == std::string_view::npos || file[body] != '{') continue;
        const std::size_t end = behindClosing(file, body, '{', '}');
        if (end == std::string_view::npos) continue;
        // Include the template line and comment directly above, up to an empty line.
        std::size_t begin = file.rfind('\n', at) + 1;
        while (begin > 1) {
            const std::size_t previous = begin > 1 ? file.rfind('\n', begin - 2) + 1 : 0;
            if (trimmed(file.substr(previous, begin - 1 - previous)).empty()) break;
            begin = previous;
        }
        return std::string(file.substr(begin, end - begin)) + "\n";
    }
    return {};
}

std::vector<SourceLine> colouredLines(std::string_view text) {
    std::vector<SourceLine> lines;
    bool inComment = false;
    for (const std::string_view raw : linesOf(text)) {
        SourceLine line;
        line.text = raw;
        const auto from = [&](std::size_t i) { return raw.substr(i); };
        const auto add = [&](std::size_t first, std::size_t last, SourceColours ink) {
            line.spans.push_back({static_cast<int>(first), static_cast<int>(last), ink});
        };
        const bool directive = trimmed(raw).starts_with("#");
        for (std::size_t i = 0; i < raw.size();) {
            const char c = raw[i];
            const std::size_t first = i;
            if (inComment || from(i).starts_with("/*")) {
                const std::size_t end = raw.find("*/", inComment ? i : i + 2);
                inComment = end == std::string_view::npos;
                i = inComment ? raw.size() : end + 2;
                add(first, i, SourceColours::comment);
            } else if (from(i).starts_with("//")) {
                i = raw.size();
                add(first, i, SourceColours::comment);
            } else if (c == ' ' || c == '\t') {
                ++i;
            } else if (directive) {
                i = std::min(raw.find("//", i), raw.size());
                add(first, i, SourceColours::directive);
            } else if (c == '"') {
                for (++i; i < raw.size() && raw[i] != '"'; ++i)
                    if (raw[i] == '\\') ++i;
                i = std::min(i + 1, raw.size());
                add(first, i, SourceColours::text);
            } else if (isWord(c)) {
                const bool number = std::isdigit(static_cast<unsigned char>(c));
                while (i < raw.size() && (isWord(raw[i]) || (number && (raw[i] == '.' || raw[i] == '\'')))) ++i;
                const bool keyword = kKeywords.find(" " + line.text.substr(first, i - first) + " ") != std::string::npos;
                add(first, i, number ? SourceColours::number : keyword ? SourceColours::keyword : SourceColours::plain);
            } else {
                while (i < raw.size() && !isWord(raw[i]) && raw[i] != '"' && raw[i] != ' ' && !from(i).starts_with("//") &&
                       !from(i).starts_with("/*"))
                    ++i;
                add(first, i, SourceColours::plain);
            }
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

void markDifferences(std::vector<SourceLine>& lines, const std::vector<SourceLine>& below) {
    const std::size_t n = lines.size(), m = below.size();
    // Longest common subsequence: common[i][j] is the length for the lines from i and j on.
    std::vector<std::vector<int>> common(n + 1, std::vector<int>(m + 1, 0));
    const auto same = [&](std::size_t i, std::size_t j) { return trimmed(lines[i].text) == trimmed(below[j].text); };
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t j = m; j-- > 0;)
            common[i][j] = same(i, j) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    for (std::size_t i = 0, j = 0; i < n;) {
        if (j < m && same(i, j)) {
            lines[i].differs = false;
            ++i, ++j;
        } else if (j < m && common[i][j + 1] >= common[i + 1][j]) {
            ++j;
        } else {
            lines[i].differs = !trimmed(lines[i].text).empty();
            ++i;
        }
    }
}

}  // namespace gravlab
