// A program that runs beside this one. Rule: it has a process group of its own, so that Ctrl C reaches us alone, and we end
// it together with what it has started.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace gravlab {

class ChildProcess {
public:
    /// What its standard input, output and error are.
    static constexpr int kNull = -1, kOurs = -2;  ///< /dev/null; the same as this program's
    struct Ends {
        int in = kNull, out = kNull, error = kOurs;
    };

    ChildProcess() = default;
    ~ChildProcess() { end(); }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Starts the program, a path or a name in PATH, with no signal blocked. `words` begin with its name. Gives the number
    /// of the system's error, 0 for none.
    int start(const std::string& program, std::vector<std::string> words, Ends ends);
    bool running() const { return id_ > 0; }
    pid_t id() const { return id_; }
    /// How it ended, as waitpid() has it, once; empty while it runs.
    std::optional<int> poll() { return wait(false); }
    int wait() { return wait(true).value_or(0); }
    void kill();
    /// Kills it and waits until it is gone; nothing where none runs.
    void end() {
        if (!running()) return;
        kill();
        wait();
    }

private:
    std::optional<int> wait(bool blocks);
    pid_t id_ = -1;
};

}  // namespace gravlab
