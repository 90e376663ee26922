// The fonts inside the program, and the usual paths of system fonts, best first.
#include "app/system/built_in.h"

#include "sim/api/errors.h"
#include "sim/io/file/source.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

// The assembler includes a file directly; as a list of numbers it would cost the compiler a minute.
#if defined(__ELF__) && defined(GRAVLAB_TEXT_FONT)
#define GRAVLAB_EMBED(symbol, file)                                                                                 \
    asm(".pushsection .rodata\n.balign 16\n.global " #symbol "\n.hidden " #symbol "\n" #symbol ":\n.incbin \"" file \
        "\"\n.global " #symbol "End\n.hidden " #symbol "End\n" #symbol                                              \
        "End:\n"                                                                                                    \
        ".byte 0\n.popsection\n");                                                                                  \
    extern "C" unsigned char symbol[], symbol##End[]
GRAVLAB_EMBED(gravlabTextFont, GRAVLAB_TEXT_FONT);
GRAVLAB_EMBED(gravlabMonoFont, GRAVLAB_MONO_FONT);
#define GRAVLAB_EMBEDDED(symbol) FontBytes(symbol, symbol##End)
#else
#define GRAVLAB_EMBEDDED(symbol) FontBytes()
#endif

namespace gravlab {
namespace {

constexpr const char* kText[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                 "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                 "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                 "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
                                 "/usr/share/fonts/google-noto/NotoSans-Regular.ttf",
                                 "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
                                 "/Library/Fonts/Arial Unicode.ttf",
                                 "C:/Windows/Fonts/segoeui.ttf"};
constexpr const char* kMono[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
                                 "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf",
                                 "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
                                 "/usr/share/fonts/truetype/noto/NotoSansMono-Regular.ttf",
                                 "/usr/share/fonts/truetype/liberation/LiberationMono-Regular.ttf",
                                 "/System/Library/Fonts/Menlo.ttc",
                                 "C:/Windows/Fonts/consola.ttf"};

/// The bytes of a file; empty when it cannot be read.
std::vector<unsigned char> contents(const char* file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return {};
    try {
        Source source = Source::open(file);
        std::vector<unsigned char> bytes(static_cast<std::size_t>(source.size().value_or(0)));
        bytes.resize(source.read(bytes.data(), bytes.size()));
        return bytes;
    } catch (const Error&) {
        return {};
    }
}

std::vector<unsigned char> firstOf(std::span<const char* const> files) {
    for (const char* file : files)
        if (std::vector<unsigned char> found = contents(file); !found.empty()) return found;
    return {};
}

}  // namespace

FontBytes textFont() {
    const char* const wanted = std::getenv("GRAVLAB_FONT");
    if (wanted && *wanted) {
        static std::vector<unsigned char> named = contents(wanted);
        return named;
    }
    if (const FontBytes embedded = GRAVLAB_EMBEDDED(gravlabTextFont); !embedded.empty()) return embedded;
    static std::vector<unsigned char> found = firstOf(kText);
    return found;
}

FontBytes monoFont() {
    if (const FontBytes embedded = GRAVLAB_EMBEDDED(gravlabMonoFont); !embedded.empty()) return embedded;
    static std::vector<unsigned char> found = firstOf(kMono);
    return found;
}

}  // namespace gravlab
