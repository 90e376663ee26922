// What this machine can compute with, as lists.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A backend of this program.
struct BackendInfo {
    std::string name, idea;
    std::string reason;  ///< why it cannot run here, and what to do; empty: it can
};

/// A row of the kernel table.
struct KernelInfo {
    std::string backend, term, name, idea;
    bool deterministic = true;  ///< the same bits each time
    bool approximates = false;  ///< takes far bodies as cells, within the allowed error
};

/// A scene of this program, with those that additions have.
struct SceneInfo {
    std::string name, idea;
    std::size_t bodies = 0;  ///< its own number on a CPU
};

/// All backends, the slowest first. Looks for devices; may take some 0.1 s.
std::vector<BackendInfo> backendList();
/// The rows of a backend for a term, in the order of the ladder; those of all backends where the name is empty. Throws
/// UsageError for an unknown backend.
std::vector<KernelInfo> kernelList(std::string_view backend = {}, std::string_view term = "pair-law");
/// All scenes, in the order of the menus.
std::vector<SceneInfo> sceneList();

}  // namespace gravlab
