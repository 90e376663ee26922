// A kernel that the user writes in the lab: its text, what came of its last trial, and texts to begin with.
// Rule: plain data; the lab tries, and only where that was asked for.
#pragma once
#include "sim/backends/cuda/own/own_kernel.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

struct OwnKernel {
    std::string text;             ///< as the editor has it
    std::string file = "own.cu";  ///< its name in messages, and what it is saved as

    bool trying = false;
    std::string stage;    ///< of the trial under way
    std::string tried{};  ///< the text that the last trial was of
    OwnOutcome outcome = OwnOutcome::unfinished;
    std::string sentence;  ///< how that ended
    std::vector<CompilerMessage> messages;
    double secondsPerForce = 0;
    std::size_t bodies = 0;      ///< of that force
    std::string exercise;        ///< the text of the exercise that was begun last
    double exerciseSeconds = 0;  ///< of a force as that text has it; 0: not tried
    std::string kernel;          ///< the row that it became; empty: none
    bool operator==(const OwnKernel&) const = default;
};

/// "none", "trying", "good", "wrong", ...: for scripts and lessons.
std::string_view stateOf(const OwnKernel& own);
std::span<const std::string_view> ownStates();
/// How often a text has that word outside of remarks.
int countIn(std::string_view text, std::string_view word);

/// Texts to begin with, in the order in which they are offered.
struct OwnTemplate {
    std::string_view name;  ///< also of assets/kernels/NAME.cu
    std::string_view idea;
    bool exercise = false;
};
std::span<const OwnTemplate> ownTemplates();
/// Its text; empty where there is none of that name.
std::string_view ownTemplateText(std::string_view name);
/// A file of assets/kernels by its name, empty when there is none. Generated.
std::string_view ownKernelFile(std::string_view name);

/// Whether a name of a kernel is that of a file: it ends in .cu.
bool namesKernelFile(std::string_view name);

/// A text that a user has, and no more than a kernel can be. Throws InputError.
std::string ownTextOfFile(const std::string& path);

}  // namespace gravlab
