// Reports what a script waits for when that takes long: without a window, nothing else shows progress.
#pragma once
#include <cstddef>
#include <string>

namespace gravlab {

class WaitNotice {
public:
    /// Returns a sentence, once for each line that waits for more than ten seconds; else an empty text. `line`: number of
    /// the waiting line, 0: none. `now`: the host's clock [s].
    std::string update(std::size_t line, const std::string& text, double now) {
        constexpr double kPatience = 10;  // [s]
        if (line != line_) {
            line_ = line;
            since_ = now;
            said_ = false;
        }
        if (line == 0 || said_ || now - since_ < kPatience) return {};
        said_ = true;
        return "line " + std::to_string(line) + " still waits: " + text;
    }

private:
    std::size_t line_ = 0;
    double since_ = 0;
    bool said_ = false;
};

}  // namespace gravlab
