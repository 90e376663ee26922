// Files that tests read and write whole, and whether this build has the library of one format.
#pragma once
#include "sim/io/snapshot.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace gravlab {

inline bool hasHdf5() { return fileFormat("hdf5").unavailable().empty(); }

inline std::string contentOf(const std::filesystem::path& path) {
    // One read, not single characters: tests are compiled without optimisation.
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
}

inline void put(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace gravlab
