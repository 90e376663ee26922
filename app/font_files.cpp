// Where fonts are, best first.
#include "app/font_files.h"

#include <cstdlib>
#include <filesystem>
#include <span>

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

const char* firstOf(std::span<const char* const> files) {
    for (const char* file : files) {
        std::error_code error;
        if (std::filesystem::exists(file, error)) return file;
    }
    return nullptr;
}

}  // namespace

const char* textFontFile() {
    if (const char* wanted = std::getenv("GRAVLAB_FONT"); wanted && *wanted) {
        std::error_code error;
        return std::filesystem::is_regular_file(wanted, error) ? wanted : nullptr;
    }
    return firstOf(kText);
}
const char* monoFontFile() { return firstOf(kMono); }

}  // namespace gravlab
