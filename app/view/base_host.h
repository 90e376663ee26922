// Carries out what needs no window: edits and jumps, groups, the lab, files while the caller waits.
#pragma once
#include "app/control/host.h"
#include "app/view/app.h"

#include <optional>
#include <vector>

namespace gravlab {

class BaseHost : public Host {
public:
    /// The app outlives it.
    explicit BaseHost(App& app) : app_(app) {}
    bool apply(bool again) override { return app_.apply(again); }
    Inverse keepState() override { return app_.runs.keepState(); }
    EffectResult carryOut(const Effect& effect, Ticket ticket) override;
    std::vector<Ended> ended() override;
    double progress(Ticket ticket) const override { return measuring_ == ticket ? app_.services.lab.progress() : -1; }
    /// The program was told to end.
    bool quits() const { return quits_; }

protected:
    App& app_;

private:
    EffectResult open(const Open& effect);
    EffectResult begin(const Measure& effect, Ticket ticket);

    std::optional<Ticket> groups_, measuring_, trying_;  ///< of what is under way
    std::vector<Ended> ended_;
    bool quits_ = false;
};

}  // namespace gravlab
