// Carries out what needs no window: edits and jumps, groups, the lab, files while the caller waits.
#pragma once
#include "app/control/host.h"
#include "app/system/file_jobs.h"
#include "app/view/workspace.h"

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
    /// The workspace outlives it.
    explicit BaseHost(Workspace& workspace) : workspace_(workspace) {}
    bool apply(bool again) override { return workspace_.apply(again); }
    Inverse keepState() override { return workspace_.host.keepState(); }
    EffectResult carryOut(const Effect& effect, Ticket ticket) override;
    std::vector<Ended> ended() override;
    /// The program was told to end.
    bool quits() const { return quits_; }

protected:
    /// Writes a file; the sentence about it is the result. Here the caller waits.
    virtual EffectResult write(FileJob job, Ticket ticket);

    Workspace& workspace_;

private:
    EffectResult open(const Open& effect);
    EffectResult begin(const Measure& effect, Ticket ticket);

    std::optional<Ticket> groups_, measuring_, trying_;  ///< of what is under way
    std::vector<Ended> ended_;
    bool quits_ = false;
};

}  // namespace gravlab
