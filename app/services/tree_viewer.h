// The cells of a tree over a running simulation's bodies, for the picture. Rule: it uses a state of the feed, and a thread
// of its own that takes a small fraction of a core. No frame and no step waits; the cells name their step.
#pragma once
#include "app/model/document.h"
#include "app/runs/sampler.h"
#include "app/services/service.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace gravlab {

class TreeViewer : public Service {
public:
    /// Requests the cells that the picture wants, and takes results.
    void look(const ServiceFrame& frame) override;
    /// The known cells do not belong to the shown state: then frames are needed.
    bool busy() const override { return behind_; }

private:
    /// The inputs that boxes depend on.
    struct Question {
        std::uint64_t revision = 0;  ///< of the Simulation, with its kernel and accuracy
        TreeWish wish;
        std::optional<std::uint32_t> body{};  ///< id
        bool operator==(const Question&) const = default;
    };
    using Known = std::shared_ptr<const KnownTree>;
    static Known looked(const FedState& state, const Question& question);
    std::optional<Question> question(const Document& document) const;

    std::uint64_t run_ = 0;  ///< run of the known cells
    bool behind_ = false;
    // Pace for moving bodies: five looks a second, for a small fraction of a core.
    Sampler<Question, Known> sampler_{
        {.interval = 0.2, .shareOfCopies = 0.05, .shareOfACore = 0.2},
        [](const auto& state, const Question& question, const auto&) { return looked(*state, question); }};
};

}  // namespace gravlab
