// How a fuzzer says that a promise was broken.
#pragma once
#include <cstdio>
#include <cstdlib>

namespace gravlab::fuzz {

inline void require(bool condition, const char* promise) {
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

/// A message that came from bytes of a file can be shown anywhere.
inline void requirePrintable(const char* message) {
    for (const char* c = message; *c; ++c) require(*c >= ' ' && *c <= '~', "messages can be printed");
}

}  // namespace gravlab::fuzz
