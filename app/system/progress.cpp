// A line on stderr that counts towards an end.
#include "app/system/progress.h"

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

ProgressLine::ProgressLine(std::string what, std::int64_t total, bool always)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) != 0),
      always_(always),
      start_(Clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() { finish(); }

void ProgressLine::show(std::int64_t done) {
    if (total_ <= 0 || !(terminal_ || always_)) return;
    const auto now = Clock::now();
    const std::int64_t tenth = static_cast<std::int64_t>(10.0 * static_cast<double>(done) / static_cast<double>(total_));
    if (terminal_ ? now - last_ < std::chrono::milliseconds(200) : tenth == lastTenth_) return;
    last_ = now;
    lastTenth_ = tenth;
    const double fraction = static_cast<double>(done) / static_cast<double>(total_);
    const double spent = std::chrono::duration<double>(now - start_).count();
    const std::string left = done < total_ && fraction > 0 ? ", " + durationText(spent / fraction - spent) + " left" : "";
    std::fprintf(stderr, "%sgravlab: %s %lld of %lld (%.0f %%)%s%s", terminal_ ? "\r\033[K" : "", what_.c_str(),
                 static_cast<long long>(done), static_cast<long long>(total_), 100 * fraction, left.c_str(),
                 terminal_ ? "" : "\n");
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
              if (said_ != sentence) std::fprintf(stderr, "gravlab: %s\n", sentence.c_str());
              said_ = sentence;
          }) {}

void ProgressLine::finish() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
}

}  // namespace gravlab
