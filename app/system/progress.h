// A line on stderr that counts towards an end and shows the remaining time. Only where a person can see it.
#pragma once
#include "sim/core/work_watch.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gravlab {

class ProgressLine {
public:
    enum class Where {
        terminal,    ///< elsewhere no line is shown
        everyTenth,  ///< elsewhere a plain line at every tenth of the work
        always       ///< elsewhere a line after ten seconds, and at most one each minute, for work of unknown length
    };
    ProgressLine(std::string what, std::int64_t total, Where where = Where::terminal);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// Call it any number of times; it prints a few times a second. `at`: further text, such as the simulated time.
    void show(std::int64_t done, const std::string& at = {});
    /// Clears the line.
    void finish();

private:
    using Clock = std::chrono::steady_clock;
    std::string what_;
    bool due(std::int64_t done, Clock::time_point now);
    std::int64_t total_, lastTenth_ = 0;
    Where where_;
    bool terminal_, shown_ = false;
    Clock::time_point start_, last_;
};

/// A progress line for work such as building many bodies, while the thread that makes this object waits for it. It also
/// prints notes of that work once.
class WaitLine {
public:
    WaitLine();

private:
    std::unique_ptr<ProgressLine> line_;
    std::string what_, said_;
    WorkWatch watch_;
};

/// Prints a sentence of the program on standard error, without control characters; nothing for an empty one.
void notify(std::string_view sentence);

/// "7 s", "3 min 20 s", "2 h 5 min".
std::string durationText(double seconds);

}  // namespace gravlab
