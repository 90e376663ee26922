// Calls of programs to a run in browsers: JSON-RPC over the tables of parameters and actions. A line of a script is the one
// way to change anything, so its refusals are those of scripts.
#pragma once
#include "app/control/script.h"
#include "app/serve/hub.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gravlab {

class Session;

class Rpc {
public:
    /// Both must outlive it.
    Rpc(Session& session, Hub& hub);
    ~Rpc();
    Rpc(const Rpc&) = delete;
    Rpc& operator=(const Rpc&) = delete;
    /// Begins a call, or answers it at once. On the frame thread, between two turns.
    void take(const Hub::Call& call);
    /// Answers the calls that have a result. After each turn.
    void look();
    bool busy() const { return !open_.empty() || !later_.empty(); }

private:
    struct Open {
        Hub::Call call;
        std::unique_ptr<Script> script;
        std::string answer{};  ///< JSON of the line
        bool bodies = false;
    };
    void begin(const Hub::Call& call, const std::string& line, bool bodies);
    void rest(double begun);
    std::string state(std::int64_t since);
    std::string picture(const std::string& params);
    std::string sharedBodies() const;

    Session& session_;
    Hub& hub_;
    std::vector<Open> open_;
    std::deque<Hub::Call> later_;  ///< of those who watch
    double restUntil_ = 0;         ///< host clock [s] of their next picture or bodies
    int memory_;                   ///< that actions share bodies in
    std::int64_t revision_ = 0;
    std::map<std::string_view, std::pair<std::string, std::int64_t>> values_;  ///< by path: JSON, and when it changed
};

}  // namespace gravlab
