// TOML in ASCII alone, for its parser. toml++ 3.3 tests whether a letter beyond ASCII is a space, which is undefined for
// most letters. This affects letters outside of texts, after a backslash, and after a line end that a backslash joins to the
// next line.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gravlab {

/// The same lines of TOML with every byte beyond ASCII written as an escape, in texts, or as '?', in comments.
struct AsciiToml {
    std::string text;
    std::size_t foreignLine = 0;  ///< the line of a letter beyond ASCII elsewhere, which TOML does not allow; 0: none
};
AsciiToml asciiToml(std::string_view toml);

/// A text or key parsed from asciiToml(), with its original bytes.
std::string withItsLetters(std::string_view parsed);

}  // namespace gravlab
