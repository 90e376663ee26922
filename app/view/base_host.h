// Carries out the effects that need no window: edits, jumps, groups, the lab, and files while the caller waits.
#pragma once
#include "app/control/host.h"
#include "app/files/file_jobs.h"
#include "app/view/app.h"
#include "sim/io/shared_bodies.h"

#include <functional>
#include <optional>
#include <vector>

namespace gravlab {

EffectResult resultOf(const FileOutcome& outcome);
/// Returns a function that makes the outcome news, which must outlive it.
std::function<void(const FileOutcome&)> sayingIn(News& news);

class BaseHost : public Host {
public:
    /// The app must outlive the host.
    explicit BaseHost(App& app) : app_(app) {}
    Document& document(WriteKey key) override { return app_.written(key); }
    bool apply(bool again) override { return app_.apply(again); }
    Inverse keepState() override { return app_.runs.keepState(); }
    Inverse keepSizes() override { return app_.runs.keepSizes(); }
    EffectResult carryOut(const Effect& effect, Ticket ticket) override;
    std::vector<Ended> ended() override;
    double progress(Ticket ticket) const override { return measureTicket_ == ticket ? app_.services.lab.progress() : -1; }
    /// Whether a command requested the end of the program.
    bool quits() const { return quits_; }

protected:
    /// Runs the job while the caller waits. The result holds the sentence about it, or after success the rest of the effect.
    virtual EffectResult run(FileJob job, Ticket ticket, Rest rest = {});

    App& app_;

private:
    EffectResult open(const Open& effect);
    EffectResult openKernel(const std::string& file, Ticket ticket);
    EffectResult begin(const Measure& effect, Ticket ticket);
    EffectResult share(const ShareBodies& effect);
    EffectResult takeShared(const TakeBodies& effect);
    EffectResult replaceFromShared();

    std::optional<Ticket> groupsTicket_, measureTicket_, trialTicket_;  ///< tickets of the effects under way
    std::vector<Ended> ended_;
    ParticleSet shared_;  ///< kept, so that frequent requests of a client allocate nothing
    SharedMapping sharedMapping_;
    bool quits_ = false;
};

}  // namespace gravlab
