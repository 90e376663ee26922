// Carries out what needs no window: edits and jumps, groups, the lab, files while the caller waits.
#pragma once
#include "app/control/host.h"
#include "app/system/file_jobs.h"
#include "app/view/app.h"

#include <functional>
#include <optional>
#include <vector>

namespace gravlab {

/// How the effect of a file ended.
EffectResult resultOf(const FileOutcome& outcome);
/// Says so in a message. The document outlives it.
std::function<void(const FileOutcome&)> sayingIn(Document& document);

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
    /// Writes a file; the sentence about it is the result. Here the caller waits.
    virtual EffectResult write(FileJob job, Ticket ticket);

    App& app_;

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
