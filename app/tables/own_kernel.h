// A user's kernel in the lab: its text, the result of its last trial, and initial texts. Rule: plain data; the lab tries
// kernels, and only on request.
#pragma once
#include "sim/own/own_kernel.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gravlab {

/// A text whose copies share its memory, because each command copies the document. A move copies: no text is ever null.
class SharedText {
public:
    SharedText() = default;
    SharedText(const SharedText&) = default;
    SharedText& operator=(const SharedText&) = default;
    SharedText(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
    const std::string& operator*() const { return *text_; }
    const std::string* operator->() const { return text_.get(); }
    operator std::string_view() const { return *text_; }
    friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_ || *a == *b; }

private:
    std::shared_ptr<const std::string> text_ = std::make_shared<const std::string>();
};

/// What the lab reports about a text.
struct OwnResult {
    std::string file = "own.cu";  ///< the text's name in messages and for saving
    bool trying = false;
    std::string stage;   ///< of the running trial
    SharedText tried{};  ///< the text of the last trial
    OwnOutcome outcome = OwnOutcome::unfinished;
    std::string sentence;  ///< the result of the last trial
    std::vector<CompilerMessage> messages;
    double secondsPerForce = 0;
    std::size_t bodies = 0;      ///< N of that force
    double exerciseSeconds = 0;  ///< duration of a force by the text of the last exercise; 0: not tried
    std::string kernel;          ///< the row made from it; empty: none
    bool operator==(const OwnResult&) const = default;
};

struct OwnKernel : OwnResult {
    SharedText text;      ///< the editor's text
    SharedText exercise;  ///< the text of the last exercise
    bool operator==(const OwnKernel&) const = default;
};

/// "none", "trying", "good", "wrong", ...: for scripts and lessons.
std::string_view stateOf(const OwnKernel& own);
/// Number of times that a text has that word outside of comments.
int countIn(std::string_view text, std::string_view word);

/// Initial texts, in the order in which they are offered.
struct OwnTemplate {
    std::string_view name;  ///< also the name in assets/kernels/NAME.cu
    std::string_view idea;
    bool exercise = false;
};
std::span<const OwnTemplate> ownTemplates();
/// The text with that name; empty when there is none.
std::string_view ownTemplateText(std::string_view name);
/// A file of assets/kernels by its name; empty when there is none. Generated.
std::string_view ownKernelFile(std::string_view name);

/// Whether a kernel's name is that of a file: it ends in .cu.
bool namesKernelFile(std::string_view name);

/// The text of a user's file, not larger than a kernel can be. Throws InputError.
std::string ownTextOfFile(const std::string& path);

}  // namespace gravlab
