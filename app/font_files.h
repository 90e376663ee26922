// Fonts that systems bring. Rule: without any, callers use ImGui's own bitmap font.
#pragma once

namespace gravlab {
/// A proportional font for panels and pictures; null when there is none. The environment's GRAVLAB_FONT names another file;
/// "builtin" asks for none.
const char* textFontFile();
/// A font whose letters are equally wide, for program text and columns of numbers; null when there is none.
const char* monoFontFile();
}  // namespace gravlab
