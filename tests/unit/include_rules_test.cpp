// Which folder may include what, checked over the #include lines of the tree. A table row is a rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

/// Headers that only some files may include; whoever is not named may not.
struct Fence {
    const char* what;
    const char* headers;  ///< regular expression over the included name
    const char* files;    ///< regular expression over the including file
};

// A name without a dot or slash is the standard library.
const Fence kFences[] = {
    {"Highway is for sim/backends/cpu", "hwy/.*", "sim/backends/cpu/.*"},
    {"OpenMP is for sim/backends/cpu", "omp\\.h", "sim/backends/cpu/.*"},
    {"processor intrinsics are for sim/backends/cpu", ".*intrin\\.h", "sim/backends/cpu/.*"},
    {"CUDA is for sim/backends/cuda", "(cuda|cuda_.*|nv.*|driver_types)\\.h|cub/.*|cooperative_groups.*",
     "sim/backends/cuda/.*|render/.*_cuda\\.cpp|tests/gpu/.*"},
    {"the table of CUDA calls is for sim/backends/cuda and the interop files", "sim/backends/cuda/runtime/api\\.h",
     "sim/backends/cuda/.*|render/.*_cuda\\.cpp|tests/.*"},
    {"HDF5 is for sim/io", "hdf5.*|H5.*", "sim/io/.*|tests/unit/io_.*"},
    {"OpenGL is for render and for contexts", "glad/.*|GL/.*",
     "render/.*|app/frontends/[a-z]+/(window|headless|[a-z_]*context)[a-z_]*\\.(h|cpp)|tests/(gl|gui|gpu)/.*"},
    {"GLM is for render and what uses cameras", "glm/.*", "render/.*|app/.*|tests/.*"},
    {"GLFW is for its context", "GLFW/.*|backends/imgui_impl_glfw\\.h|imgui_impl_glfw\\.h",
     "app/frontends/window/window[a-z_]*\\.(h|cpp)|tests/gui/.*"},
    {"EGL is for its context", "EGL/.*", "app/frontends/headless/headless[a-z_]*\\.(h|cpp)|tests/(gl|gpu)/.*"},
    {"CLI11 is for the options", "CLI/.*", "app/commands/(options|command_rows)\\.cpp"},
    {"render sees vertices only", "sim/(?!core/vertex\\.h|core/error\\.h|core/names\\.h|backends/cuda/runtime/api\\.h).*",
     "(?!render/).*"},
    {"nobody below the app includes it", "app/.*", "app/.*|tests/.*"},
    {"physics does not know pictures", "render/.*", "(?!sim/).*"},
    {"the physics core includes the standard library only", "(?!sim/)(?!generated/).*[./].*",
     "sim/(backends/cpu|backends/cuda|io)/.*|(?!sim/).*"},
    {"ImGui is for the app", "imgui.*|implot.*", "app/.*|tests/gui/.*"},
};

struct Include {
    std::string file, header;
    int line = 0;
};

/// The complaint about one include, if there is one.
std::optional<std::string> complaint(const Include& include) {
    for (const Fence& fence : kFences)
        if (std::regex_match(include.header, std::regex(fence.headers)) &&
            !std::regex_match(include.file, std::regex(fence.files)))
            return include.file + ":" + std::to_string(include.line) + " includes " + include.header + ": " + fence.what;
    return std::nullopt;
}

std::vector<Include> includesOf(const fs::path& root) {
    static const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
    std::vector<Include> found;
    for (const char* folder : {"sim", "render", "app", "tests"})
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".h" && extension != ".cpp" && extension != ".cu" && extension != ".cuh") continue;
            std::ifstream file(entry.path());
            std::string text;
            for (int line = 1; std::getline(file, text); ++line) {
                std::smatch match;
                if (std::regex_match(text, match, pattern))
                    found.push_back({fs::relative(entry.path(), root).generic_string(), match[1].str(), line});
            }
        }
    return found;
}

TEST(IncludeRules, theTreeKeepsThem) {
    const std::vector<Include> includes = includesOf(GRAVLAB_SOURCE_DIR);
    EXPECT_GT(includes.size(), 100u) << "the tree was not found";
    for (const Include& include : includes) {
        const std::optional<std::string> broken = complaint(include);
        EXPECT_FALSE(broken.has_value()) << *broken;
    }
}

TEST(IncludeRules, everyHeaderIsReadOnce) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(GRAVLAB_SOURCE_DIR) / "sim")) {
        if (entry.path().extension() != ".h") continue;
        std::ifstream file(entry.path());
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        EXPECT_NE(text.find("#pragma once"), std::string::npos) << entry.path();
    }
}

TEST(IncludeRules, aBrokenOneIsNoticed) {
    const Include broken[] = {
        {"sim/run/simulation.cpp", "cuda_runtime.h", 1},
        {"sim/run/simulation.cpp", "unistd.h", 1},
        {"sim/scenes/disc.cpp", "glm/vec3.hpp", 1},
        {"sim/measure/diagnostics.cpp", "hwy/highway.h", 1},
        {"sim/backends/cuda/tiled.cu", "render/camera.h", 1},
        {"sim/backends/backend.cpp", "app/commands/options.h", 1},
        {"render/camera.cpp", "sim/run/simulation.h", 1},
        {"render/particle_buffer.cpp", "cuda_runtime.h", 1},
        {"render/camera.h", "imgui.h", 1},
        {"app/services/telemetry.cpp", "GLFW/glfw3.h", 1},
        {"app/commands/command_run.cpp", "sim/backends/cuda/runtime/api.h", 1},
        {"app/commands/command_run.cpp", "CLI/CLI.hpp", 1},
        {"app/session/frame_loop.cpp", "cuda_gl_interop.h", 1},
        {"sim/backends/cpu/pool.cpp", "cuda_runtime.h", 1},
    };
    for (const Include& include : broken)
        EXPECT_TRUE(complaint(include).has_value()) << include.file << " " << include.header;
    const Include fine[] = {
        {"sim/run/simulation.cpp", "vector", 1},
        {"sim/backends/backend.cpp", "sim/backends/cuda/backend_cuda.h", 1},
        {"sim/backends/cpu/kernels.cpp", "hwy/highway.h", 1},
        {"render/camera.h", "sim/core/vertex.h", 1},
        {"render/buffer_cuda.cpp", "sim/backends/cuda/runtime/api.h", 1},
        {"app/commands/options.cpp", "CLI/CLI.hpp", 1},
    };
    for (const Include& include : fine)
        EXPECT_FALSE(complaint(include).has_value()) << include.file << " " << include.header;
}

}  // namespace
}  // namespace gravlab
