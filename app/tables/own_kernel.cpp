#include "app/tables/own_kernel.h"

#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/io/file/source.h"

#include <algorithm>
#include <array>

namespace gravlab {
namespace {

constexpr OwnTemplate kTemplates[] = {
    {"global", "one thread per body reads all sources from global memory"},
    {"tiled", "a block reads a tile of bodies into shared memory for all its threads"},
    {"registers", "a thread holds several bodies in registers"},
    {"split", "several blocks divide the sources of the same bodies and add by atomics"},
    {"missing-barrier", "an exercise: restore the second barrier", true},
    {"not-coalesced", "an exercise: make the reads coalesced", true},
};

// Indexed by OwnOutcome; the last two are further states.
constexpr std::array<std::string_view, 9> kStates{"unfinished", "no-compiler", "bad-text", "no-device", "failed",
                                                  "wrong",      "good",        "trying",   "none"};

}  // namespace

std::string_view stateOf(const OwnKernel& own) {
    if (own.trying) return "trying";
    return own.outcome == OwnOutcome::unfinished ? "none" : kStates[static_cast<std::size_t>(own.outcome)];
}

int countIn(std::string_view text, std::string_view word) {
    int count = 0;
    for (const std::string_view whole : linesOf(text)) {
        const std::string_view line = whole.substr(0, whole.find("//"));
        for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) ++count;
    }
    return count;
}

std::span<const OwnTemplate> ownTemplates() { return kTemplates; }
std::string_view ownTemplateText(std::string_view name) { return ownKernelFile(std::string(name) + ".cu"); }

bool namesKernelFile(std::string_view name) { return name.ends_with(".cu") && name.size() > 3; }

std::string ownTextOfFile(const std::string& path) {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    Source source = Source::open(path);
    source.hold();
    std::string text(kMost + 1, '\0');
    text.resize(source.read(text.data(), text.size()));
    if (text.size() > kMost) throw InputError(path + " is longer than 1 MiB, too long for a kernel");
    if (text.find('\0') != std::string::npos) throw InputError(path + " is no text");
    return text;
}

}  // namespace gravlab
