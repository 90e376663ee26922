// What backends with an engine have in common: the engine in either precision, and the queries that it answers alone.
#pragma once
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/contact/contact.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gravlab {

/// An engine in the precision of its state: EngineOf<float> for fp32, EngineOf<double> for mixed and fp64.
template <template <class> class EngineOf>
class EngineOfEither {
public:
    EngineOfEither() = default;
    template <class... Arguments>
    EngineOfEither(Precision precision, Arguments&&... arguments) {
        if (precision == Precision::fp32)
            made_ = std::make_unique<EngineOf<float>>(std::forward<Arguments>(arguments)...);
        else
            made_ = std::make_unique<EngineOf<double>>(std::forward<Arguments>(arguments)...);
    }
    /// Calls use(engine) with the engine of either precision.
    template <class Use>
    decltype(auto) with(const Use& use) const {
        return std::visit([&](const auto& made) -> decltype(auto) { return use(*made); }, made_);
    }

private:
    std::variant<std::unique_ptr<EngineOf<float>>, std::unique_ptr<EngineOf<double>>> made_;
};

/// Common base of backends with an engine: the loaded system, and all queries that the engine answers alone. `Engine` has
/// with(), as EngineOfEither does; `Context` outlives a change of bodies.
template <class Engine, class Context>
class EngineBackend : public Backend {
public:
    using Backend::load;
    std::size_t size() const override {
        return engine_.with([](auto& e) { return e.size(); });
    }
    void snapshot(ParticleSet& out) override {
        with([&](auto& e) { e.copyState(out.position, out.velocity); });
        out.time = engine_.with([](auto& e) { return e.clock().time(); });
        out.id = labels_->id;
        out.group = labels_->group;
        out.surface = labels_->surface;
    }
    BodyChanges::Body body(std::uint32_t index) override {
        BodyChanges::Body copied{.index = index};
        if (index < labels_->surface.size()) copied.surface = labels_->surface[index];
        with([&](auto& e) { e.copyBody(index, copied.position, copied.velocity); });
        return copied;
    }
    std::size_t firstBad(double farthest) override {
        return with([&](auto& e) { return e.firstBad(farthest); });
    }
    const ForceTerms& terms() const override {
        if (terms_.size() > 1) with([&](auto& e) { e.updateTerms(terms_); });
        return terms_;
    }
    const SystemConfiguration& systemConfiguration() const override { return configuration_; }
    void finishStep() override {
        with([](auto& e) { e.finishStep(); });
    }
    void setClock(const Clock& clock) override {
        engine_.with([&](auto& e) { e.setClock(clock); });
    }
    bool keepsForceState() const override {
        return engine_.with([](auto& e) { return e.keepsForceState(); });
    }
    bool forceStateNeedsStepEnd() const override {
        return engine_.with([](auto& e) { return e.forceStateNeedsStepEnd(); });
    }
    std::vector<StateArray> forceState() override {
        return with([](auto& e) { return e.forceState(); });
    }
    void restoreForceState(const std::vector<StateArray>& state) override {
        with([&](auto& e) { e.restoreForceState(state); });
    }
    void beginAgain() override {
        with([](auto& e) { e.beginAgain(); });
    }
    void publish(VertexSink& sink) override {
        with([&](auto& e) { e.publish(sink); });
    }
    void accelerations(std::vector<Double4>& out) override {
        with([&](auto& e) { e.accelerations(out); });
    }
    void requestForceCheck(std::vector<std::uint32_t> targets) override {
        for (const std::uint32_t target : targets)
            if (target >= size()) throw UsageError("force check: there is no body with index " + std::to_string(target));
        with([&](auto& e) { e.requestForceCheck(std::move(targets)); });
    }
    std::vector<MethodFigure> figures() override {
        return engine_.with([](auto& e) { return e.figures(); });
    }

protected:
    /// Data that the engine does not need.
    struct Labels {
        std::vector<std::uint32_t> id;
        std::vector<std::uint8_t> group;
        std::vector<Surface> surface;
        Rotation rotation{};  ///< of these bodies, where a device measures
    };

    template <class... Arguments>
    explicit EngineBackend(Arguments&&... context) : context_(std::forward<Arguments>(context)...) {}
    /// Called before the engine works on a device: backends of one thread may use several devices.
    virtual void use() const {}
    template <class Use>
    decltype(auto) with(const Use& call) const {
        use();
        return engine_.with(call);
    }
    /// Arguments of an engine for these terms.
    static EngineTerms engineTerms(const ForceTerms& terms, const SystemConfiguration& how,
                                   const std::shared_ptr<Labels>& labels) {
        return {terms, how, {labels, &labels->id}};
    }

    /// Writes the changes into the labels.
    void changeLabels(const BodyChanges& changes) {
        constexpr long kOwn = 2;  // this object and the engine
        if (labels_.use_count() > kOwn) labels_ = std::make_shared<Labels>(*labels_);
        engine_.with([&](auto& e) { e.setIds({labels_, &labels_->id}); });
        if (!labels_->surface.empty())
            for (const BodyChanges::Body& body : changes.changed) labels_->surface[body.index] = body.surface;
        keepOthers(labels_->id, changes.removed);
        keepOthers(labels_->group, changes.removed);
        if (!labels_->surface.empty()) keepOthers(labels_->surface, changes.removed);
    }

    mutable ForceTerms terms_ = termsOf({});  ///< from the next step on; terms() updates those that lose parts
    SystemConfiguration configuration_ = SystemConfiguration(1);
    Context context_;
    Engine engine_;
    std::shared_ptr<Labels> labels_ = std::make_shared<Labels>();  ///< readers of earlier states may share it
};

}  // namespace gravlab
