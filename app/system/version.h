// What this binary is: version, compiler, CUDA. For --version, list devices and benchmark records.
#pragma once
#include <string>
#include <string_view>

namespace gravlab {
std::string_view version();
/// Several lines: version, compiler, CUDA toolkit or "no", backends and libraries.
std::string versionText();
}  // namespace gravlab
