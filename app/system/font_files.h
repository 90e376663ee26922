// Fonts: those in the program, or those that systems bring. Rule: without any, callers use ImGui's own bitmap font.
#pragma once
#include <span>

namespace gravlab {
/// A font as the bytes of its file, which live as long as the program. Not const, as ImGui wants them; nobody writes there.
using FontBytes = std::span<unsigned char>;

/// A proportional font for panels and pictures; empty when there is none. The environment's GRAVLAB_FONT names another file;
/// "builtin" asks for none.
FontBytes textFont();
/// A font whose letters are equally wide, for program text and columns of numbers; empty when there is none.
FontBytes monoFont();
}  // namespace gravlab
