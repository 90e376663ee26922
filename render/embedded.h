// Files of shaders/ inside the binary, so that it runs from any directory.
#pragma once
#include <string_view>

namespace gravlab {
/// Content of an embedded file; empty when no file has that name.
std::string_view embeddedFile(std::string_view name);
}  // namespace gravlab
