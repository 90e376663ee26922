// Carries out what needs no window: edits and jumps, groups, the lab, files while the caller waits.
#pragma once
#include "app/control/host.h"
#include "app/view/workspace.h"

#include <optional>
#include <vector>

namespace gravlab {

class BaseHost : public Host {
public:
    /// The workspace outlives it.
    explicit BaseHost(Workspace& workspace) : workspace_(workspace) {}
    bool apply(bool again) override { return workspace_.apply(again); }
    Inverse keepState() override { return workspace_.host.keepState(); }
    EffectResult carryOut(const Effect& effect, Ticket ticket) override;
    std::vector<Ended> ended() override;
    /// The program was told to end.
    bool quits() const { return quits_; }

protected:
    Workspace& workspace_;

private:
    EffectResult open(const Open& effect);
    EffectResult begin(const Measure& effect, Ticket ticket);
    EffectResult share(const ShareBodies& effect);
    EffectResult takeShared(const TakeBodies& effect);

    std::optional<Ticket> groups_, measuring_, trying_;  ///< of what is under way
    std::vector<Ended> ended_;
    ParticleSet shared_;  ///< kept, so that a client that asks often costs no new memory
    bool quits_ = false;
};

}  // namespace gravlab
