// What this binary is: version, compiler, CUDA. For --version, list devices and benchmark records.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

std::string_view version();
/// Several lines: version, compiler, CUDA toolkit or "no", backends and libraries.
std::string versionText();

// Fonts: those inside the program, or those of the system. Rule: without any, callers use ImGui's bitmap font.

/// The bytes of a font file, valid as long as the program runs. Not const, because ImGui requires it; nothing writes to
/// them.
using FontBytes = std::span<unsigned char>;

/// A proportional font for panels and pictures; empty when there is none. The environment variable GRAVLAB_FONT names
/// another file; "builtin" selects no file.
FontBytes textFont();
/// A font with letters of equal width, for program text and columns of numbers; empty when there is none.
FontBytes monoFont();

}  // namespace gravlab
