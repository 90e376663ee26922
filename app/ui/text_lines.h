// Lines of a text within a width. Rule: lines end at blanks alone; ImGui's own wrapping also ends them behind points and
// commas, which makes two numbers of 0.0001.
#pragma once
#include <imgui.h>

#include <string>
#include <string_view>

namespace gravlab {

/// The text with line breaks at blanks, so that no line is wider than `width` [pixels]. A word that is wider stays whole.
std::string linesWithin(const ImFont& font, float size, std::string_view text, float width);
/// In the font in use.
std::string linesWithin(std::string_view text, float width);

}  // namespace gravlab
