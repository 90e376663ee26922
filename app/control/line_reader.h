// Lines of a file or of standard input, as they arrive. Rule: a line is returned whole or not at all.
#pragma once
#include <cstddef>
#include <string>

namespace gravlab {

class ScriptLineReader {
public:
    /// `path` is a file, or "-" for standard input. Throws InputError when it cannot be read.
    explicit ScriptLineReader(const std::string& path);
    ~ScriptLineReader();
    ScriptLineReader(const ScriptLineReader&) = delete;
    ScriptLineReader& operator=(const ScriptLineReader&) = delete;

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
    int file_ = -1;
    bool owned_ = false, ended_ = false;
    bool tooLong_ = false;  ///< state of the current line: its bytes are dropped up to its end
    std::size_t number_ = 0;
    std::string buffer_;
};

}  // namespace gravlab
