// Lines of a file or of standard input, as they come. Rule: a line is given whole or not at all.
#pragma once
#include <cstddef>
#include <string>

namespace gravlab {

class ScriptLineReader {
public:
    /// A path, or "-" for standard input. Throws InputError when it cannot be read.
    explicit ScriptLineReader(const std::string& path);
    ~ScriptLineReader();
    ScriptLineReader(const ScriptLineReader&) = delete;
    ScriptLineReader& operator=(const ScriptLineReader&) = delete;

    struct Line {
        std::size_t number = 0;  ///< from 1
        std::string text{};      ///< without its end
        std::string problem{};   ///< why the line cannot be used; empty: it can
    };
    enum class Next { line, none, end };
    /// The next line, if there is one now; waits for it up to `seconds`. Throws IoError when reading fails.
    Next next(Line& line, double seconds);

private:
    bool fill(double seconds);
    int file_ = -1;
    bool owned_ = false, ended_ = false;
    bool tooLong_ = false;  ///< of the line being read: its end is awaited, its bytes are dropped
    std::size_t number_ = 0;
    std::string buffer_;
};

}  // namespace gravlab
