// Edits of bodies in a workspace in the form of commands, with undo; and hosts without side effects.
#pragma once
#include "app/control/host.h"
#include "app/view/base_host.h"
#include "tests/written.h"

#include <string_view>
#include <vector>

namespace gravlab::test {

class Edits {
public:
    /// A refusal becomes the message.
    void make(App& app, const EditBodies& wanted) {
        const EffectResult done = app.runs.edit(wanted);
        if (!done.why.empty()) written(app).warn(done.why);
        if (done.back) backs_.push_back(done.back);
    }
    void make(App& app, std::string_view row) { make(app, EditBodies{.row = row}); }
    void undo(App& app) {
        if (backs_.empty()) return written(app).warn("There is nothing to undo.");
        const EffectResult done = backs_.back()();
        if (done.status == CommandStatus::applied) backs_.pop_back();
        if (!done.why.empty()) written(app).say(done.why);
    }
    void forget() { backs_.clear(); }

private:
    std::vector<Inverse> backs_;
};

/// Changes the runs, and writes, measures and records nothing.
class RunsAlone : public BaseHost {
public:
    using BaseHost::BaseHost;
    EffectResult carryOut(const Effect& effect, Ticket ticket) override {
        const bool ofRun = std::holds_alternative<EditBodies>(effect) || std::holds_alternative<JumpTo>(effect);
        return ofRun ? BaseHost::carryOut(effect, ticket) : EffectResult();
    }
};

/// Leaves no file and records no film.
class WithoutFiles : public BaseHost {
public:
    using BaseHost::BaseHost;
    EffectResult carryOut(const Effect& effect, Ticket ticket) override {
        const bool writes = std::holds_alternative<SavePicture>(effect) || std::holds_alternative<SaveRun>(effect) ||
                            std::holds_alternative<SaveScene>(effect) || std::holds_alternative<Record>(effect);
        return writes ? EffectResult() : BaseHost::carryOut(effect, ticket);
    }
};

}  // namespace gravlab::test
