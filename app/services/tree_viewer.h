// The cells of a tree over a running simulation's bodies, for the picture. Rule: a state of the feed, and a thread of its
// own that takes a small share of a core: no frame and no step waits; what is known says of which step it is.
#pragma once
#include "app/model/document.h"
#include "app/services/sampler.h"
#include "sim/run/simulation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gravlab {

class TreeViewer {
public:
    /// Once a frame: asks for what the picture wants, and takes up what has come. `wait`: for films, whose frames do not
    /// depend on the clock.
    void update(Document& document, Simulation& simulation, StateFeed& feed, double now, bool wait);
    /// What is known is not of what is shown: then frames are needed.
    bool busy() const { return behind_; }

private:
    /// What boxes depend on.
    struct Question {
        std::uint64_t revision = 0;
        TreeWish wish;
        std::optional<std::uint32_t> body;  ///< id
        double accuracy = 0, opening = 0;
        std::string kernel;
        bool operator==(const Question&) const = default;
    };
    using Known = std::shared_ptr<const KnownTree>;
    static Known looked(const FedState& state, const Question& question);
    std::optional<Question> question(const Document& document) const;

    std::uint64_t run_ = 0;  ///< of what is known
    bool behind_ = false;
    // Of bodies that move five times a second, for a small share of a core.
    Sampler<Question, Known> sampler_{
        {.interval = 0.2, .shareOfCopies = 0.05, .shareOfACore = 0.2},
        [](const auto& state, const Question& question, const auto&) { return looked(*state, question); }};
};

}  // namespace gravlab
