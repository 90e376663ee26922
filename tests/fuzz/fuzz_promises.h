// How a fuzzer reports a broken promise.
#pragma once
#include <cstdio>
#include <cstdlib>

namespace gravlab::fuzz {

inline void require(bool condition, const char* promise) {
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

/// A message made from bytes of a file must be printable anywhere.
inline void requirePrintable(const char* message) {
    for (const char* c = message; *c; ++c) require(*c >= ' ' && *c <= '~', "messages can be printed");
}

}  // namespace gravlab::fuzz
