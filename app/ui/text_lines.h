// Lines of a text within a width. Rule: break lines only at blanks; ImGui's own wrapping also breaks after points and
// commas, which would cut the number 0.0001 in two.
#pragma once
#include <imgui.h>

#include <string>
#include <string_view>

namespace gravlab {

/// The text with line breaks at blanks, so that no line is wider than `width` [pixels]. A wider word stays whole.
std::string linesWithin(const ImFont& font, float size, std::string_view text, float width);
/// The same in the font in use.
std::string linesWithin(std::string_view text, float width);

}  // namespace gravlab
