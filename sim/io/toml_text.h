// TOML in letters of ASCII alone, which is all that its parser is given.
// toml++ 3.3 asks of a letter beyond ASCII whether it is a space in a way that is undefined for most: outside of texts,
// behind a backslash, behind the end of a line that a backslash joins to the next.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gravlab {

/// The same lines of TOML with every byte beyond ASCII written as an escape, in texts, or as '?', in remarks.
struct AsciiToml {
    std::string text;
    std::size_t foreignLine = 0;  ///< where one stands elsewhere, which TOML does not have; 0: nowhere
};
AsciiToml asciiToml(std::string_view toml);

/// A text or key that was parsed from asciiToml(), with the bytes that it had in the file.
std::string withItsLetters(std::string_view parsed);

}  // namespace gravlab
