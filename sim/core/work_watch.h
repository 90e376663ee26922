// Work that takes seconds reports its progress to the caller that waits for it. Rule: nothing here changes the result,
// except that work may stop when its result is no longer wanted.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace gravlab {

/// Listens to the work of its own thread while it lives. Without a listener, progress goes to the watch before it.
class WorkWatch {
public:
    /// Called on that thread between two pieces of work: what is made, how many pieces are done, and how many there are.
    using Listener = std::function<void(const char* what, std::int64_t done, std::int64_t total)>;
    /// Called on that thread with a sentence about what the work is going to use.
    using Noted = std::function<void(const std::string& sentence)>;
    /// Called on that thread now and then: whether the result is no longer wanted.
    using Dropped = std::function<bool()>;
    explicit WorkWatch(Listener listener, Noted noted = {}, Dropped dropped = {});
    ~WorkWatch();
    WorkWatch(const WorkWatch&) = delete;
    WorkWatch& operator=(const WorkWatch&) = delete;

    /// Reports to the listener of this thread, if there is one.
    static void report(const char* what, std::int64_t done, std::int64_t total);
    static void note(const std::string& sentence);
    /// Whether the result of this thread's work is no longer wanted. The work may then stop at once with any result.
    static bool dropped();

private:
    Listener listener_;
    Noted noted_;
    Dropped dropped_;
    WorkWatch* before_;
};

}  // namespace gravlab
