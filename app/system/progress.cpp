// A line on stderr that counts towards an end.
#include "app/system/progress.h"

#include "app/tables/format.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace gravlab {

std::string durationText(double seconds) {
    const auto whole = static_cast<long long>(std::ceil(std::fmin(std::fmax(seconds, 0), 1e9)));
    const auto pair = [](long long large, const char* largeUnit, long long small, const char* smallUnit) {
        std::string text = std::to_string(large) + largeUnit;
        return small != 0 ? text + " " + std::to_string(small) + smallUnit : text;
    };
    if (whole >= 3600) return pair(whole / 3600, " h", whole % 3600 / 60, " min");
    if (whole >= 60) return pair(whole / 60, " min", whole % 60, " s");
    return std::to_string(whole) + " s";
}

ProgressLine::ProgressLine(std::string what, std::int64_t total, Where where)
    : what_(std::move(what)),
      total_(total),
      where_(where),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() { finish(); }

bool ProgressLine::due(std::int64_t done, Clock::time_point now) {
    using namespace std::chrono_literals;
    if (terminal_) return now - last_ >= 200ms;
    if (where_ == Where::always) return now - last_ >= (last_ == start_ ? 10s : 60s);
    const auto tenth = static_cast<std::int64_t>(10.0 * static_cast<double>(done) / static_cast<double>(total_));
    return where_ == Where::everyTenth && std::exchange(lastTenth_, tenth) != tenth;
}

void ProgressLine::show(std::int64_t done, const std::string& at) {
    const auto now = Clock::now();
    if (total_ <= 0 || !due(done, now)) return;
    last_ = now;
    const double fraction = static_cast<double>(done) / static_cast<double>(total_);
    const double spent = std::chrono::duration<double>(now - start_).count();
    const std::string left = done < total_ && fraction > 0 ? ", " + durationText(spent / fraction - spent) + " left" : "";
    std::fprintf(stderr, "%sgravlab: %s %s of %s (%.0f %%)%s%s%s", terminal_ ? "\r\033[K" : "", what_.c_str(),
                 grouped(static_cast<std::uint64_t>(done)).text, grouped(static_cast<std::uint64_t>(total_)).text,
                 100 * fraction, at.empty() ? "" : (", " + at).c_str(), left.c_str(), terminal_ ? "" : "\n");
    std::fflush(stderr);
    shown_ = terminal_;
}

WaitLine::WaitLine()
    : watch_(
          [this](const char* what, std::int64_t done, std::int64_t total) {
              if (!line_ || what_ != what) line_ = std::make_unique<ProgressLine>(what_ = what, total);
              line_->show(done);
              if (done >= total) line_.reset();
          },
          [this](const std::string& sentence) {
              if (said_ != sentence) notify(sentence);
              said_ = sentence;
          }) {}

void notify(std::string_view sentence) {
    if (!sentence.empty()) std::fprintf(stderr, "gravlab: %s\n", printable(sentence).c_str());
}

void ProgressLine::finish() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
}

}  // namespace gravlab
