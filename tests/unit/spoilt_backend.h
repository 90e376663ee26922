// A backend with one chosen fault, to prove that checks and measurements notice it.
#pragma once
#include "sim/backends/backend.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gravlab::test {

/// The reference backend with one fault.
class Spoilt : public Backend {
public:
    using Fault = std::function<void(std::vector<Double4>&)>;
    explicit Spoilt(Fault fault) : inner_(backend("reference").make({})), fault_(std::move(fault)) {}

    std::string_view name() const override { return inner_->name(); }
    std::string description() const override { return "spoilt"; }
    std::size_t size() const override { return inner_->size(); }
    MemorySpace vertexSpace() const override { return inner_->vertexSpace(); }
    using Backend::load;
    void load(const ParticleSet& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) override {
        inner_->load(bodies, terms, configuration);
    }
    void snapshot(ParticleSet& out) override { inner_->snapshot(out); }
    std::size_t firstBad(double farthest) override { return inner_->firstBad(farthest); }
    void configure(const ForceSettings& force, const KernelChoice& kernel) override { inner_->configure(force, kernel); }
    const ForceTerms& terms() const override { return inner_->terms(); }
    const SystemConfiguration& systemConfiguration() const override { return inner_->systemConfiguration(); }
    const KernelRow& activeKernel() const override { return row ? *row : inner_->activeKernel(); }
    LaunchConfig activeLaunch() const override { return inner_->activeLaunch(); }
    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override {
        return inner_->advance(program, timeStep * stepFactor, budget, sink);
    }
    void publish(VertexSink& sink) override { inner_->publish(sink); }
    void setVertexValue(VertexValue value) override { inner_->setVertexValue(value); }
    void finishStep() override { inner_->finishStep(); }
    void wait() override { inner_->wait(); }
    void accelerations(std::vector<Double4>& out) override {
        inner_->accelerations(out);
        if (fault_) fault_(out);
    }
    void requestForceCheck(std::vector<std::uint32_t> targets) override { inner_->requestForceCheck(std::move(targets)); }
    std::optional<ForceCheck> takeForceCheck() override {
        auto check = inner_->takeForceCheck();
        if (check && failChecks) check->passed = false;
        return check;
    }
    WorkTotals totals() override {
        WorkTotals totals = inner_->totals();
        totals.interactions *= rateFactor;
        return totals;
    }
    double issueSlotsPerSecond() const override { return issueSlots; }
    std::vector<MethodFigure> figures() override { return told; }

    double stepFactor = 1, rateFactor = 1, issueSlots = 0;
    bool failChecks = false;
    const KernelRow* row = nullptr;
    std::vector<MethodFigure> told{};

private:
    std::unique_ptr<Backend> inner_;
    Fault fault_;
};

}  // namespace gravlab::test
