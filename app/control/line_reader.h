// Lines of a file or of standard input, as they arrive. Rule: a line is returned whole or not at all.
#pragma once
#include "app/system/descriptor.h"

#include <cstddef>
#include <string>

namespace gravlab {

class ScriptLineReader {
public:
    /// `path` is a file, or "-" for standard input. Throws InputError when it cannot be read.
    explicit ScriptLineReader(const std::string& path);

    struct Line {
        std::size_t number = 0;  ///< from 1
        std::string text{};      ///< without its line end
        std::string problem{};   ///< why the line is unusable; empty: it is usable
    };
    enum class Next { line, none, end };
    /// Returns the next line that is available; waits for it up to `seconds`. Throws IoError when reading fails.
    Next next(Line& line, double seconds);

private:
    bool fill(double seconds);
    Descriptor opened_;  ///< none for standard input
    int file_ = -1;
    bool ended_ = false;
    bool tooLong_ = false;  ///< state of the current line: its bytes are dropped up to its end
    std::size_t number_ = 0;
    std::string buffer_;
};

}  // namespace gravlab
