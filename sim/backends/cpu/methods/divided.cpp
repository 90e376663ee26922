#include "sim/backends/cpu/methods/divided.h"

#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/division.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gravlab::cpu {
namespace {

static_assert(kTinyBodies <= kFewToDivide, "few bodies make whole steps, which are not divided");

constexpr double kHelperSlice = 10e-3;  // [s] between two looks at newer messages
// Work of one thread's walk for each body that is copied: 16 ns at 0.6 ns for an interaction.
constexpr double kWorkWhileCopying = 27;
constexpr std::chrono::microseconds kWaitForHelpers{200};  // least wait of a slice that has only to wait

/// Data of HelperMessage::Kind::create, before the kernel's name.
struct MethodFacts {
    Precision precision = Precision::fp32;
    std::size_t bodies = 0, nameLength = 0;
    LaunchConfig launch{};
};

/// Data of HelperMessage::Kind::force, before bounds, positions, and the arrays that are there.
struct PartedForce {
    ForceRequest request;  ///< without its addresses
    std::size_t parts = 0, listed = 0;
    bool byGroups = false, sources = false, levels = false, lengths = false;
};

/// The request for part k.
ForceRequest partOf(ForceRequest request, bool byGroups, std::span<const std::size_t> bounds, std::size_t k) {
    if (byGroups)
        request.parts = {bounds[k], bounds[k + 1]};
    else
        request.targets = {bounds[k], bounds[k + 1] - bounds[k]};
    return request;
}

template <class T>
class Divided final : public CpuForceMethod<T> {
public:
    Divided(std::unique_ptr<CpuForceMethod<T>> own, const CpuKernel& kernel, Precision precision,
            const MethodContext& context)
        : own_(std::move(own)),
          part_(dynamic_cast<PartMethod&>(*own_)),
          byGroups_(kernel.row.cut == Split::keyRanges),
          name_(kernel.row.name),
          facts_{precision, context.bodies, name_.size(), context.launch},
          exchange_(*context.exchange) {}
    ~Divided() override { forget(); }

    void prepare(const CpuBodies<T>& bodies, const ForceRequest& request) override {
        abandon();
        request_ = request;
        bounds_.clear();
        // A tree knows then whether its lengths are those of this force.
        if (own_->keepsState()) own_->prepare(bodies, request);
        if (!divides(bodies.count)) {
            if (!own_->underWay()) own_->prepare(bodies, request);
            return;
        }
        // The first part walks while positions go to the others and their sums come back.
        const double meanwhile = kWorkWhileCopying * exchange_.weights()[0] * static_cast<double>(bodies.count);
        bounds_ =
            cutByWeights(exchange_.weights(), byGroups_ ? kTreeParts : bodies.count, work_, work_.empty() ? 0 : -meanwhile);
        send(bodies);
        own_->prepare(bodies, partOf(request_, byGroups_, bounds_, 0));
        waits_ = true;
    }
    ForceProgress enqueue(double seconds) override {
        const Deadline deadline = deadlineAfter(seconds);
        ForceProgress done{.complete = true};
        if (own_->underWay()) done = own_->enqueue(seconds);
        if (done.complete && waits_) {
            done.complete = collect(std::max(deadline, Deadline::clock::now() + kWaitForHelpers), done.work);
            waits_ = !done.complete;
        }
        if (done.complete && request_.active.all() && !request_.potential) work_ = part_.partWork();
        return done;
    }
    bool underWay() const override { return own_->underWay() || waits_; }
    double progress() const override {
        constexpr double kWaiting = 0.99;  // the own part is complete
        return own_->underWay() ? kWaiting * own_->progress() : waits_ ? kWaiting : 0;
    }
    void abandon() override {
        own_->abandon();
        if (std::exchange(waits_, false)) exchange_.send({HelperMessage::Kind::abandon, method_});
    }
    CpuForceSums<T> sums() const override { return own_->sums(); }
    Accuracy accuracy() const override { return own_->accuracy(); }
    std::vector<MethodFigure> figures() const override { return own_->figures(); }
    std::vector<std::uint32_t> partEnds() const override {
        std::vector<std::uint32_t> ends;
        for (std::size_t k = 0; k + 1 < bounds_.size(); ++k) part_.addEnds(partOf(request_, byGroups_, bounds_, k), ends);
        return ends;
    }
    bool keepsState() const override { return own_->keepsState(); }
    std::vector<StateArray> state() const override { return own_->state(); }
    bool restore(const std::vector<StateArray>& state) override { return own_->restore(state); }

private:
    /// Whether helpers compute parts of the request.
    bool divides(std::size_t bodies) const {
        const ActiveBodies& active = request_.active;
        if (bodies <= kFewToDivide || request_.potential || !request_.targets.all() || !request_.parts.all()) return false;
        if (active.levels && active.count * kBodiesToDivide <= bodies) return false;
        return !own_->keepsState() || !part_.lengths().empty();
    }
    void send(const CpuBodies<T>& bodies) {
        const std::size_t n = bodies.count, listed = request_.sources.list ? request_.sources.among(n) : 0;
        if (method_ == 0) {
            method_ = exchange_.newMethod();
            MessageWriter data;
            data.add(facts_);
            data.add(std::span<const char>(name_));
            exchange_.send({HelperMessage::Kind::create, method_, data.take()});
        }
        const std::span<const T> sources(bodies.source, n);
        const bool sameSources = std::ranges::equal(sources, sources_);
        if (!sameSources) sources_.assign(sources.begin(), sources.end());
        const std::span<const float> lengths = own_->keepsState() ? part_.lengths() : std::span<const float>();
        PartedForce force{request_,        bounds_.size() - 1, listed,
                          byGroups_,       !sameSources,       request_.active.levels != nullptr,
                          !lengths.empty()};
        force.request.active.levels = nullptr;
        force.request.sources.list = nullptr;
        MessageWriter data(sizeof force + bounds_.size() * sizeof bounds_[0] + n * (4 * sizeof(T) + sizeof(float) + 5));
        data.add(force);
        data.add(std::span<const std::size_t>(bounds_));
        for (const T* axis : bodies.axis) data.add(std::span<const T>(axis, n));
        if (force.sources) data.add(sources);
        if (listed > 0) data.add(std::span<const std::uint32_t>(request_.sources.list, listed));
        if (force.levels) data.add(std::span<const std::uint8_t>(request_.active.levels, n));
        if (force.lengths) data.add(lengths);
        exchange_.send({HelperMessage::Kind::force, method_, data.take()});
    }
    /// Takes the sums of all helpers, once they are there.
    bool collect(Deadline deadline, ForceWork& work) {
        try {
            if (!exchange_.answered(method_, deadline)) return false;
            for (std::size_t k = 1; k + 1 < bounds_.size(); ++k) {
                MessageReader sums(exchange_.result(method_, k - 1));
                work += part_.take(partOf(request_, byGroups_, bounds_, k), sums);
            }
        } catch (...) {
            abandon();
            forget();  // the next evaluation makes the methods of all helpers again
            throw;
        }
        part_.endParts();
        return true;
    }
    void forget() {
        if (method_ != 0) exchange_.send({HelperMessage::Kind::forget, method_});
        method_ = 0;
        sources_.clear();
    }

    std::unique_ptr<CpuForceMethod<T>> own_;
    PartMethod& part_;  ///< the same object
    bool byGroups_;
    std::string name_;
    MethodFacts facts_;
    Exchange& exchange_;
    std::uint64_t method_ = 0;  ///< number of the helpers' methods; 0: there are none
    ForceRequest request_;
    std::vector<std::size_t> bounds_;  ///< of the parts; empty where the evaluation is not divided
    std::vector<double> work_;         ///< of each part, in the last evaluation of all bodies
    std::vector<T> sources_;           ///< sources that helpers have [M]
    bool waits_ = false;               ///< the results of helpers are still to be taken
};

/// A method of a helper, with copies of the bodies.
class MethodOfHelper {
public:
    virtual ~MethodOfHelper() = default;
    virtual MessageBytes force(MessageReader data, std::size_t part, const std::function<bool()>& interrupted) = 0;
};

template <class T>
class HelperMethod final : public MethodOfHelper {
public:
    HelperMethod(MakeMethod<T> make, const MethodContext& context)
        : method_(make(context)), count_(context.bodies), x_(count_), source_(count_) {}

    MessageBytes force(MessageReader data, std::size_t part, const std::function<bool()>& interrupted) override {
        const auto force = data.get<PartedForce>();
        std::vector<std::size_t> bounds(force.parts + 1);
        data.get(std::span(bounds));
        for (AlignedArray<T>& axis : x_.axis) data.get(std::span<T>(axis.data(), count_));
        if (force.sources) data.get(std::span<T>(source_.data(), count_));
        list_.resize(force.listed);
        data.get(std::span(list_));
        levels_.resize(force.levels ? count_ : 0);
        data.get(std::span(levels_));
        ForceRequest request = partOf(force.request, force.byGroups, bounds, part);
        if (force.levels) request.active.levels = levels_.data();
        if (force.listed > 0) request.sources.list = list_.data();
        auto& own = dynamic_cast<PartMethod&>(*method_);
        if (force.lengths) own.setLengths(data);
        method_->prepare({x_.data(), source_.data(), count_}, request);
        while (!method_->enqueue(kHelperSlice).complete)
            if (interrupted()) return method_->abandon(), MessageBytes();
        MessageWriter sums;
        own.give(sums);
        return sums.take();
    }

private:
    std::unique_ptr<CpuForceMethod<T>> method_;
    std::size_t count_;
    VectorArrays<T> x_;
    AlignedArray<T> source_;
    std::vector<std::uint32_t> list_;
    std::vector<std::uint8_t> levels_;
};

class PartHelper final : public Helper {
public:
    PartHelper(std::size_t part, int threads, const SimdTarget& simd) : part_(part), pool_(threads), simd_(simd) {}

    MessageBytes act(const HelperMessage& message, const std::function<bool()>& interrupted) override {
        switch (message.kind) {
            case HelperMessage::Kind::create:
                methods_[message.method] = made(MessageReader(message.data));
                return {};
            case HelperMessage::Kind::force:
                return methods_.at(message.method)->force(MessageReader(message.data), part_, interrupted);
            case HelperMessage::Kind::forget:
                methods_.erase(message.method);
                return {};
            default:
                return {};
        }
    }

private:
    std::unique_ptr<MethodOfHelper> made(MessageReader data) {
        const auto facts = data.get<MethodFacts>();
        std::string name(facts.nameLength, ' ');
        data.get(std::span<char>(name));
        const CpuKernel& kernel = cpuKernel(gravlab::kernel("cpu", name));
        const MethodContext context{pool_, simd_, facts.bodies, {}, facts.launch};
        if (facts.precision == Precision::fp32) return std::make_unique<HelperMethod<float>>(kernel.fp32, context);
        return std::make_unique<HelperMethod<double>>(facts.precision == Precision::mixed ? kernel.mixed : kernel.fp64,
                                                      context);
    }

    std::size_t part_;
    ThreadPool pool_;
    const SimdTarget& simd_;
    std::map<std::uint64_t, std::unique_ptr<MethodOfHelper>> methods_;
};

}  // namespace

template <class T>
std::unique_ptr<CpuForceMethod<T>> divided(std::unique_ptr<CpuForceMethod<T>> own, const CpuKernel& kernel,
                                           Precision precision, const MethodContext& context) {
    const bool divides = context.exchange && dynamic_cast<PartMethod*>(own.get()) &&
                         whyUndivided(kernel.row, {}, context.bodies, true).empty();
    if (!divides) return own;
    return std::make_unique<Divided<T>>(std::move(own), kernel, precision, context);
}
template std::unique_ptr<CpuForceMethod<float>> divided(std::unique_ptr<CpuForceMethod<float>> own, const CpuKernel& kernel,
                                                        Precision precision, const MethodContext& context);
template std::unique_ptr<CpuForceMethod<double>> divided(std::unique_ptr<CpuForceMethod<double>> own,
                                                         const CpuKernel& kernel, Precision precision,
                                                         const MethodContext& context);

std::unique_ptr<Helper> partHelper(std::size_t part, int threads, const SimdTarget& simd) {
    return std::make_unique<PartHelper>(part, threads, simd);
}

}  // namespace gravlab::cpu
