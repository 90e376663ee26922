#include "app/control/line_reader.h"

#include "app/control/script.h"
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>

namespace gravlab {

ScriptLineReader::ScriptLineReader(const std::string& path) {
    if (path == "-") {
        file_ = STDIN_FILENO;
        noteRead(file_, "standard input");
        return;
    }
    const Source source = Source::open(path);  // refuses folders, pipes and devices
    opened_ = Descriptor(::open(source.openName().c_str(), O_RDONLY | O_CLOEXEC));
    file_ = opened_;
    if (file_ < 0) throw InputError("cannot read '" + path + "': " + std::generic_category().message(errno));
    source.hold();
}

/// Reads the available bytes. Returns false when there are none.
bool ScriptLineReader::fill(double seconds) {
    pollfd waiting{file_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::ceil(1000 * std::max(seconds, 0.0))));
    if (ready <= 0) return false;  // nothing yet, or a signal
    char bytes[4096];
    const ssize_t count = ::read(file_, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return false;
    if (count < 0) throw IoError("reading the script failed: " + std::generic_category().message(errno));
    if (count == 0) ended_ = true;
    buffer_.append(bytes, static_cast<std::size_t>(count));
    return true;
}

ScriptLineReader::Next ScriptLineReader::next(Line& line, double seconds) {
    // A line without an end must not delay the caller's check for signals.
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 20;
    for (std::size_t dropped = 0; dropped < kMostAtOnce;) {
        const std::size_t end = buffer_.find('\n');
        if (end != std::string::npos) {
            line = {++number_, buffer_.substr(0, end)};
            buffer_.erase(0, end + 1);
            if (line.number == 1 && line.text.starts_with("\xEF\xBB\xBF")) line.text.erase(0, 3);
            if (line.text.ends_with('\r')) line.text.pop_back();
            if (tooLong_ || line.text.size() > kLongestLine)
                line.problem = "the line has more than " + std::to_string(kLongestLine) + " bytes";
            tooLong_ = false;
            return Next::line;
        }
        if (buffer_.size() > kLongestLine + 4) {
            tooLong_ = true;
            dropped += buffer_.size();
            buffer_.clear();
        }
        if (ended_) {
            if (buffer_.empty() && !tooLong_) return Next::end;
            // A truncated line may mean something else than the complete one.
            line = {
                ++number_, {}, "the last line does not end with a line break, so it may have been cut off; it is not done"};
            buffer_.clear();
            tooLong_ = false;
            return Next::line;
        }
        if (!fill(seconds)) return Next::none;
    }
    return Next::none;
}

}  // namespace gravlab
