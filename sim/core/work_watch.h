// Work that takes seconds says how far it is, and whoever waits for it listens. Rule: nothing here changes what is done,
// except that work nobody wants any more may end.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace gravlab {

/// Listens to the work of the thread that made it, for as long as it lives, instead of the one before it.
class WorkWatch {
public:
    /// Called on that thread, between two pieces of work: what is made, how many of them are done, and of how many.
    using Listener = std::function<void(const char* what, std::int64_t done, std::int64_t total)>;
    /// Called on that thread with a sentence of what is about to be taken.
    using Noted = std::function<void(const std::string& sentence)>;
    /// Called on that thread now and then: whether nobody wants the result any more.
    using Dropped = std::function<bool()>;
    explicit WorkWatch(Listener listener, Noted noted = {}, Dropped dropped = {});
    ~WorkWatch();
    WorkWatch(const WorkWatch&) = delete;
    WorkWatch& operator=(const WorkWatch&) = delete;

    /// These tell the listener of this thread, where there is one.
    static void tell(const char* what, std::int64_t done, std::int64_t total);
    static void note(const std::string& sentence);
    /// Whether this thread's work is for nothing. Work that sees it may end at once with any result.
    static bool dropped();

private:
    Listener listener_;
    Noted noted_;
    Dropped dropped_;
    WorkWatch* before_;
};

}  // namespace gravlab
