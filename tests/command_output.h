// The output of a shell command in a test.
#pragma once
#include <cstdio>
#include <string>

namespace gravlab::test {

inline std::string output(const std::string& command) {
    std::string text;
    std::FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return text;
    char block[256];
    while (std::fgets(block, sizeof block, pipe)) text += block;
    pclose(pipe);
    return text;
}

}  // namespace gravlab::test
