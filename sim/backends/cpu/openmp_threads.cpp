#include "sim/backends/cpu/backend_cpu.h"

#include <pthread.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace gravlab::cpu {

std::size_t openMpStack(const char* text) {
    if (!text) return 0;
    char* end = nullptr;
    const double number = std::strtod(text, &end);
    while (*end == ' ') ++end;
    constexpr std::string_view kUnits = "bkmg";
    const std::size_t power = *end ? kUnits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(*end)))) : 1;
    if (end == text || power == std::string_view::npos || !(number > 0)) return 0;
    const double bytes = std::ldexp(number, 10 * static_cast<int>(power));
    return bytes < 0x1p64 ? static_cast<std::size_t>(bytes) : 0;
}

int threadsAllowed(int wanted, std::size_t stack) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack > 0) pthread_attr_setstacksize(&attributes, stack);
    std::mutex gate;
    std::vector<pthread_t> made;
    gate.lock();  // keeps all threads alive at once
    const auto wait = [](void* mutex) -> void* {
        const std::lock_guard lock(*static_cast<std::mutex*>(mutex));
        return nullptr;
    };
    for (pthread_t thread{}; static_cast<int>(made.size()) + 1 < wanted;) {
        if (pthread_create(&thread, &attributes, wait, &gate) != 0) break;
        made.push_back(thread);
    }
    gate.unlock();
    for (const pthread_t thread : made) pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    return static_cast<int>(made.size()) + 1;
}

int openMpThreads(int wanted) {
    thread_local std::map<int, int> known;
    const auto [found, unknown] = known.try_emplace(wanted, 0);
    if (unknown) found->second = threadsAllowed(wanted, openMpStack(std::getenv("OMP_STACKSIZE")));
    return found->second;
}

}  // namespace gravlab::cpu
