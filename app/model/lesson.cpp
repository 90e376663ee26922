#include "app/model/lesson.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace gravlab {

std::string_view nameOf(LessonPhase phase) {
    constexpr std::string_view kNames[] = {"setup", "predict", "begin", "act", "after", "question", "done"};
    return kNames[static_cast<std::size_t>(phase)];
}

int reachedOf(std::string_view progress, std::string_view lesson) {
    std::istringstream words{std::string(progress)};
    for (std::string word; words >> word;) {
        const std::size_t colon = word.rfind(':');
        if (colon == std::string::npos || word.compare(0, colon, lesson) != 0) continue;
        int steps = 0;
        std::from_chars(word.data() + colon + 1, word.data() + word.size(), steps);
        return std::max(steps, 0);
    }
    return 0;
}

std::string withReached(std::string_view progress, std::string_view lesson, int steps) {
    std::istringstream words{std::string(progress)};
    std::string text;
    for (std::string word; words >> word;)
        if (word.substr(0, word.rfind(':')) != lesson) text += word + " ";
    return text + std::string(lesson) + ":" + std::to_string(std::max(steps, reachedOf(progress, lesson)));
}

}  // namespace gravlab
