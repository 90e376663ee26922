// States are packed beside the run: fp32 where that loses nothing; ids and groups are shared as long as they are the same.
#include "app/runs/history.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/law_numbers.h"

#include <algorithm>
#include <new>
#include <set>
#include <utility>

namespace gravlab {
namespace {

constexpr double kStateInterval = 0.5, kLargeStateInterval = 3;  // [s]
constexpr std::size_t kLarge = 131072;                           // bodies, above which a copy may be noticeable
constexpr std::size_t kFewest = 3;                               // fewer states are no useful timeline

bool fitsFloat(double a) { return static_cast<double>(static_cast<float>(a)) == a; }

/// Numbers as fp32 where every one is an fp32 number, as of backends that compute so: bodies have eight, and a tree keeps
/// four of each.
struct PackedNumbers {
    std::vector<float> narrow;
    std::vector<double> wide;

    explicit PackedNumbers(std::span<const double> from) {
        if (std::ranges::all_of(from, fitsFloat))
            narrow.assign(from.begin(), from.end());
        else
            wide.assign(from.begin(), from.end());
    }
    std::size_t size() const { return narrow.size() + wide.size(); }
    void unpack(double* to) const {
        std::ranges::copy(narrow, to);
        std::ranges::copy(wide, to);
    }
    std::size_t bytes() const { return narrow.size() * sizeof(float) + wide.size() * sizeof(double); }
};

static_assert(sizeof(Double4) == 4 * sizeof(double));
PackedNumbers packedNumbers(const std::vector<Double4>& from) {
    return PackedNumbers({reinterpret_cast<const double*>(from.data()), 4 * from.size()});
}
std::vector<Double4> vectors(const PackedNumbers& from) {
    std::vector<Double4> all(from.size() / 4);
    from.unpack(reinterpret_cast<double*>(all.data()));
    return all;
}

/// Estimated bytes of the state of `bodies` bodies.
std::size_t estimate(const RunConfiguration& run) {
    const bool single = run.force.precision == Precision::fp32;
    // A tree continues from the last accelerations and their lengths.
    const std::size_t kept = run.pairs().accuracy > 0 ? 4 * (single ? sizeof(float) : sizeof(double)) : 0;
    return run.bodies * (2 * (single ? sizeof(Float4) : sizeof(Double4)) + kept);
}

}  // namespace

struct History::Keyframe {
    RunConfiguration configuration;
    Clock clock;
    PackedNumbers position, velocity;
    std::shared_ptr<const std::vector<std::uint32_t>> id;
    std::shared_ptr<const std::vector<std::uint8_t>> group;
    std::shared_ptr<const std::vector<Surface>> surface;
    ContactTotals contacts;
    std::string integrator;
    std::vector<std::pair<std::string, PackedNumbers>> integratorState;
    ForceTerms others;  ///< shared with the run, without the parts that had ended
    Kept second{};      ///< the second run at that moment; null: there was none
    std::optional<SecondRun> run{};

    /// Bytes without ids and groups, which other states may share.
    std::size_t bytes() const {
        std::size_t sum = sizeof *this + position.bytes() + velocity.bytes();
        for (const auto& [name, numbers] : integratorState) sum += numbers.bytes();
        return second ? sum + second->bytes() : sum;
    }
};

void restoreState(Simulation& simulation, const RunConfiguration& then, const RunState& state) {
    // Settings that differ from then are requested; the others stay as they were requested, or open.
    const RunRequest before = simulation.request();
    const RunConfiguration& now = simulation.configuration();
    RunRequest wanted = before;
    if (then.integrator != now.integrator) wanted.integrator = then.integrator;
    if (then.timeStep != now.timeStep) wanted.timeStep = then.timeStep;
    if (then.force.softening != now.force.softening) wanted.softening = then.force.softening;
    if (then.force.law != now.force.law) wanted.law = then.force.law;
    if (then.force.precision != now.force.precision) wanted.precision = then.force.precision;
    if (then.contact != now.contact) {
        wanted.contact = then.contact.mode;
        wanted.restitution = then.contact.restitution;
        wanted.friction = then.contact.friction;
    }
    for (const LawNumber& number : lawNumbers())
        if (then.force.*number.force != now.force.*number.force) wanted.lawNumbers.*number.wanted = then.force.*number.force;
    if (then.fields != now.fields) wanted.fields = fieldsText(then.fields.value_or(std::vector<OuterField>()));
    if (wanted != before) simulation.apply(wanted);
    try {
        simulation.restore(state);
    } catch (...) {
        if (wanted != before) simulation.apply(before);
        throw;
    }
}

History::History(std::size_t budget) : budget_(budget) {}
History::~History() = default;

History::Kept History::packed(const FedState& from, const Kept& before) {
    const auto shared = [](const auto& now, const auto& last) {
        using Vector = std::remove_cvref_t<decltype(now)>;
        return last && *last == now ? last : std::make_shared<const Vector>(now);
    };
    const RunState& state = from.state;
    std::vector<std::pair<std::string, PackedNumbers>> arrays;
    for (const StateArray& array : state.integratorState) arrays.emplace_back(array.name, array.values);
    return std::make_shared<const Keyframe>(
        Keyframe{.configuration = from.configuration,
                 .clock = state.clock,
                 .position = packedNumbers(state.bodies.position),
                 .velocity = packedNumbers(state.bodies.velocity),
                 .id = shared(state.bodies.id, before ? before->id : nullptr),
                 .group = shared(state.bodies.group, before ? before->group : nullptr),
                 .surface = shared(state.bodies.surface, before ? before->surface : nullptr),
                 .contacts = state.contacts,
                 .integrator = state.integrator,
                 .integratorState = std::move(arrays),
                 .others = state.others});
}

History::Kept History::packedBoth(const Packing& from) {
    Kept first = packed(*from.state, from.before);
    if (!from.second) return first;
    Keyframe both = *first;
    both.second = packed(*from.second, from.before ? from.before->second : nullptr);
    both.run = from.run;
    return std::make_shared<const Keyframe>(std::move(both));
}

RunState History::unpacked(const Keyframe& from) {
    RunState state;
    state.bodies.position = vectors(from.position);
    state.bodies.velocity = vectors(from.velocity);
    state.bodies.id = *from.id;
    state.bodies.group = *from.group;
    state.bodies.surface = *from.surface;
    state.contacts = from.contacts;
    state.clock = from.clock;
    state.integrator = from.integrator;
    for (const auto& [name, numbers] : from.integratorState) {
        state.integratorState.push_back({name, std::vector<double>(numbers.size())});
        numbers.unpack(state.integratorState.back().values.data());
    }
    state.others = from.others;
    return state;
}

/// Notices another run.
void History::follow(const Simulation& simulation) {
    if (std::exchange(run_, simulation.bodiesId()) == simulation.bodiesId()) return;
    ++timeline_;
    packer_.drop();
    states_.restart();
    line_.clear();
    other_.clear();
    wentTo_.reset();
    edited_ = false;
    list();
}

void History::edited(const Simulation& simulation) {
    run_ = simulation.bodiesId();
    states_.adopt(simulation);
    edited_ = true;
}

void History::adopt(Simulation& simulation, const std::vector<FedState>& states) {
    follow(simulation);
    line_.clear();
    for (const FedState& state : states) line_.push_back(packed(state, line_.empty() ? nullptr : line_.back()));
    restoreState(simulation, line_.front()->configuration, unpacked(*line_.front()));
    wentTo_ = simulation.step();
    run_ = simulation.bodiesId();
    states_.adopt(simulation);
    thin();
    list();
}

/// Once the run has continued from the state that it was put to, later states are another branch.
void History::branch(const Simulation& simulation) {
    if (!wentTo_ || simulation.step() == *wentTo_) return;
    const auto later =
        std::find_if(line_.begin(), line_.end(), [&](const Kept& kept) { return kept->clock.step > *wentTo_; });
    if (later != line_.end()) {
        other_.assign(later, line_.end());
        line_.erase(later, line_.end());
        forkStep_ = *wentTo_;
    }
    wentTo_.reset();
    list();
}

/// `both`: there is a second run beside it.
bool History::isKept(const Simulation& simulation, bool both) const {
    return !edited_ && std::any_of(line_.begin(), line_.end(), [&](const Kept& kept) {
        return kept->clock.step == simulation.step() && kept->configuration.bodies == simulation.configuration().bodies &&
               (!both || kept->second);
    });
}

void History::update(Simulation& simulation, StateFeed& feed, double now, const Beside* beside) try {
    keep(simulation, feed, now, beside);
} catch (const std::bad_alloc&) {
    states_.forget();
    budget_ = bytes() / 2;
    thin();
    list();
}

void History::keep(Simulation& simulation, StateFeed& feed, double now, const Beside* beside) {
    now_ = now;
    follow(simulation);
    branch(simulation);
    if (packer_.busy()) return;
    if (std::optional<Kept> kept = packer_.poll()) {
        add(std::move(*kept));
        thin();
        list();
    }
    why_.clear();
    const std::size_t each =
        estimate(simulation.configuration()) + (beside ? estimate(beside->simulation.configuration()) : 0);
    if (each > budget_ / kFewest)
        why_ = "No way back is kept: a state takes " + std::to_string((each >> 20) + 1) + " MB and the memory for them is " +
               std::to_string(budget_ >> 20) + " MB (at most --rewind-memory)";
    // The link says which steps of two runs belong together. While a common time is on its way there is none.
    const bool wanted = why_.empty() && !wentTo_ && (!beside || beside->run) && !isKept(simulation, beside);
    if (!states_.busy()) link_ = beside ? beside->run : std::nullopt;
    std::optional<SampledRun> second;
    if (beside) second.emplace(SampledRun{beside->simulation, beside->feed});
    states_.pace.interval = simulation.configuration().bodies > kLarge ? kLargeStateInterval : kStateInterval;
    constexpr SameQuestion kBodies;
    SampledState state = states_.update({simulation, feed, now, false, second ? &*second : nullptr}, &kBodies, wanted);
    if (!state) return;
    const Kept before = line_.empty() ? nullptr : line_.back();
    packer_.ask({.state = state, .before = before, .second = state.second, .run = link_});
    edited_ = false;
}

std::optional<KeptBodies> History::newest(std::int64_t step) const {
    const auto after = std::find_if(line_.begin(), line_.end(), [&](const Kept& kept) { return kept->clock.step > step; });
    if (after == line_.begin()) return std::nullopt;
    const Kept kept = *(after - 1);
    return KeptBodies{kept->clock.step, kept->clock.time(), kept->configuration.bodies,
                      [kept] { return std::make_shared<const ParticleSet>(unpacked(*kept).bodies); }};
}

void History::take() {
    packer_.wait();
    if (std::optional<Kept> kept = packer_.poll()) add(std::move(*kept));
}

void History::settle() {
    take();
    thin();
    list();
}

void History::add(Kept kept) {
    const auto place = std::lower_bound(line_.begin(), line_.end(), kept,
                                        [](const Kept& a, const Kept& b) { return a->clock.step < b->clock.step; });
    if (place != line_.end() && (*place)->clock.step == kept->clock.step)
        *place = std::move(kept);  // the same step after an edit
    else
        line_.insert(place, std::move(kept));
}

/// Drops states until the rest fits. The first to go leaves the smallest gap for its age, so that gaps grow with age.
void History::thin() {
    const auto dropOne = [](std::vector<Kept>& from) {
        if (from.size() < 3) {
            from.erase(from.begin());
            return;
        }
        const auto step = [&](std::size_t i) { return static_cast<double>(from[i]->clock.step); };
        std::size_t worst = 1;
        double least = 1e300;
        for (std::size_t i = 1; i + 1 < from.size(); ++i) {
            const double gap = (step(i + 1) - step(i - 1)) / (step(from.size() - 1) - step(i) + 1);
            if (gap < least) {
                least = gap;
                worst = i;
            }
        }
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(worst));
    };
    while (line_.size() + other_.size() > kMostMarks || bytes() > budget_) {
        if (!other_.empty() && 3 * other_.size() > line_.size())
            dropOne(other_);
        else if (line_.size() > 1)
            dropOne(line_);
        else
            return;
    }
}

std::size_t History::bytes() const {
    std::size_t sum = 0;
    std::set<const void*> counted;
    const auto shared = [&](const auto& array) {
        if (counted.insert(array.get()).second) sum += array->size() * sizeof array->front();
    };
    for (const auto* branch : {&line_, &other_})
        for (const Kept& kept : *branch) {
            sum += kept->bytes();
            shared(kept->id);
            shared(kept->group);
            shared(kept->surface);
        }
    return sum;
}

void History::list() {
    marks_.clear();
    for (const Kept& kept : line_) marks_.push_back({kept->clock.step, kept->clock.time(), false});
    for (const Kept& kept : other_) marks_.push_back({kept->clock.step, kept->clock.time(), true});
}

std::optional<std::size_t> History::neighbour(std::int64_t step, int by) const {
    const auto count = static_cast<std::ptrdiff_t>(line_.size());
    if (by == 0 || count == 0) return std::nullopt;
    std::ptrdiff_t before = 0, upTo = 0;  // marks below the step, and up to it
    for (const Kept& kept : line_) {
        before += kept->clock.step < step;
        upTo += kept->clock.step <= step;
    }
    const std::ptrdiff_t wanted = by < 0 ? std::max<std::ptrdiff_t>(before + by, 0) : std::min(upTo + by - 1, count - 1);
    if (by < 0 ? before == 0 : upTo == count) return std::nullopt;
    return static_cast<std::size_t>(wanted);
}

History::Kept History::keptAt(std::size_t mark) const {
    return mark < line_.size() ? line_[mark] : other_.at(mark - line_.size());
}

std::optional<SecondState> History::second(const Kept& kept) {
    if (!kept || !kept->second || !kept->run) return std::nullopt;
    return SecondState{*kept->run, kept->second->configuration, unpacked(*kept->second)};
}

std::shared_ptr<const std::vector<std::uint32_t>> History::go(Simulation& simulation, StateFeed& feed, Kept target,
                                                              const Beside* beside) {
    take();
    branch(simulation);
    if (const bool both = beside && beside->run; !isKept(simulation, both)) {
        Packing present{.state = feed.now(simulation), .before = line_.empty() ? nullptr : line_.back()};
        if (both) {
            present.second = beside->feed.now(beside->simulation);
            present.run = beside->run;
        }
        add(packedBoth(present));
        edited_ = false;
    }
    const auto present =
        std::find_if(line_.begin(), line_.end(), [&](const Kept& kept) { return kept->clock.step == simulation.step(); });
    Kept leaving = present == line_.end() ? nullptr : *present;
    restoreState(simulation, target->configuration, unpacked(*target));
    left_ = std::move(leaving);
    if (std::find(other_.begin(), other_.end(), target) != other_.end()) {
        const auto later =
            std::find_if(line_.begin(), line_.end(), [&](const Kept& kept) { return kept->clock.step > forkStep_; });
        std::vector<Kept> left(later, line_.end());
        line_.erase(later, line_.end());
        line_.insert(line_.end(), other_.begin(), other_.end());
        other_ = std::move(left);
    }
    if (std::find(line_.begin(), line_.end(), target) == line_.end()) add(target);
    wentTo_ = simulation.step();
    run_ = simulation.bodiesId();
    states_.adopt(simulation);
    states_.rest(now_ + kStateInterval);
    thin();
    list();
    return target->id;
}

}  // namespace gravlab
