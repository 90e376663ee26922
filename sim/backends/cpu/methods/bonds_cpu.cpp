// Bonds on the CPU: rows of the matrix on all threads, or each bond once. Rule: sums keep the order of the list, so neither
// threads nor slices change a bit.
#include "sim/backends/cpu/methods/range_method.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/bonds/bond_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gravlab::cpu {
namespace {

// Bonds of a colour that a thread takes at a time.
constexpr std::size_t kBondGrain = 2048;

/// What both rows have in common: classes in T, and the bonds that break.
template <class T>
class CpuBonds : public RangeMethod<T> {
public:
    CpuBonds(const Bonds& bonds, const MethodContext& context)
        : RangeMethod<T>(context, static_cast<std::size_t>(context.launch.block)),
          now_(std::make_shared<const Bonds>(bonds)),
          count_(context.bodies) {
        for (const BondClass<double>& numbers : bonds.list().classes)
            classes_.push_back({static_cast<T>(numbers.length), static_cast<T>(numbers.stiffness),
                                static_cast<T>(numbers.damping), static_cast<T>(numbers.breaking), numbers.law});
        if (classes_.size() > 1) classIndex_ = bonds.list().classIndex.data();
        damped_ = bonds.damped();
        breakable_ = bonds.breakable();
    }

    Accuracy accuracy() const override { return {.gate = gateOf({.precision = this->request_.settings.precision})}; }
    // A force that is known at the end of a step contains the bonds that break there.
    bool keepsState() const override { return breakable_; }
    bool changesTerm() const override { return breakable_; }
    std::shared_ptr<const ForceTerm> takeChangedTerm() override { return std::exchange(changed_, false) ? now_ : nullptr; }

protected:
    const BondClass<T>& numbersOf(std::uint32_t bond) const { return classes_[classIndex_ ? classIndex_[bond] : 0]; }
    /// The force on body i by body j over the source of i: engines multiply by the response.
    Vec3<T> force(std::uint32_t bond, std::size_t i, std::size_t j) const {
        const CpuBodies<T>& at = this->bodies_;
        const Vec3<T> parting = damped_ ? vectorAt(at.velocity, j) - vectorAt(at.velocity, i) : Vec3<T>{T(0), T(0), T(0)};
        return bondForce(numbersOf(bond), vectorAt(at.axis, j) - vectorAt(at.axis, i), parting);
    }
    bool breaks(const CpuBodies<T>& bodies, std::uint32_t bond, std::size_t i, std::size_t j) const {
        return i != j && bondBreaks(numbersOf(bond), length(vectorAt(bodies.axis, j) - vectorAt(bodies.axis, i)));
    }
    void broke(std::vector<std::uint32_t> bonds) {
        if (bonds.empty()) return;
        now_ = now_->withBroken(std::move(bonds));
        changed_ = true;
    }

    std::shared_ptr<const Bonds> now_;
    std::vector<BondClass<T>> classes_;
    const std::uint32_t* classIndex_ = nullptr;  ///< of each bond, in the list; null: all have the first class
    std::size_t count_;
    bool damped_ = false, breakable_ = false;

private:
    bool changed_ = false;
};

template <class T>
class CpuBondRows final : public CpuBonds<T> {
    using Base = CpuBonds<T>;
    using Base::bodies_, Base::count_;

public:
    CpuBondRows(const Bonds& bonds, const MethodContext& context)
        : Base(bonds, context), rows_(rowsOf(bonds, context.ids)), lengths_(lengthsOf(rows_)) {}

    void endStep(const CpuBodies<T>& bodies) override {
        std::vector<std::uint32_t> broken;
        for (std::size_t i = 0; i < count_; ++i)
            for (std::uint32_t e = rows_.first[i]; e < rows_.first[i + 1]; ++e) {
                const std::uint32_t j = rows_.other[e];
                if (!this->breaks(bodies, rows_.bond[e], i, j)) continue;
                rows_.other[e] = static_cast<std::uint32_t>(i);
                if (i < j) broken.push_back(rows_.bond[e]);
            }
        this->broke(std::move(broken));
    }
    std::vector<MethodFigure> figures() const override {
        return {{"bonds", "", static_cast<double>(this->now_->list().size())},
                {"broken bonds", "", static_cast<double>(this->now_->broken().size())},
                {"longest row", "", static_cast<double>(lengths_.longest)},
                {"mean row", "", lengths_.mean}};
    }

private:
    double interactions(std::size_t first, std::size_t last) const override {
        return rows_.first[last] - rows_.first[first];
    }
    void sum(std::size_t first, std::size_t last) override {
        for (std::size_t i = first; i < last; ++i) rowOfBonds(i);
    }
    void rowOfBonds(std::size_t i) {
        Vec3<T> sum{0, 0, 0};
        if (const T source = bodies_.source[i]; source != 0) {
            for (std::uint32_t e = rows_.first[i]; e < rows_.first[i + 1]; ++e)
                sum += this->force(rows_.bond[e], i, rows_.other[e]);
            sum /= source;
        }
        this->store(i, sum);
    }

    BondRows rows_;
    RowLengths lengths_;
};

/// A colour after another; tasks are pieces of a colour, so a call computes at least one colour.
template <class T>
class CpuBondsSymmetric final : public CpuBonds<T> {
    using Base = CpuBonds<T>;
    using Base::bodies_, Base::count_, Base::pool_;

public:
    CpuBondsSymmetric(const Bonds& bonds, const MethodContext& context)
        : Base(bonds, context), groups_(coloursOf(bonds, context.ids)) {}

    void endStep(const CpuBodies<T>& bodies) override {
        std::vector<std::uint32_t> broken;
        for (std::size_t k = 0; k < groups_.bond.size(); ++k) {
            if (!this->breaks(bodies, groups_.bond[k], groups_.left[k], groups_.right[k])) continue;
            groups_.right[k] = groups_.left[k];
            broken.push_back(groups_.bond[k]);
        }
        this->broke(std::move(broken));
    }
    ForceProgress enqueue(double) override {
        symmetricBonds();
        this->abandon();
        return {.complete = true, .work = {.pairs = 2 * static_cast<double>(groups_.bond.size())}};
    }
    std::vector<MethodFigure> figures() const override {
        return {{"bonds", "", static_cast<double>(this->now_->list().size())},
                {"broken bonds", "", static_cast<double>(this->now_->broken().size())},
                {"colours", "", static_cast<double>(groups_.colours())}};
    }

private:
    void sum(std::size_t, std::size_t) override {}
    double interactions(std::size_t, std::size_t) const override { return 0; }
    Vec3<T> stored(std::size_t i) const {
        const auto& axis = this->sums_.axis;
        return {axis[0][i], axis[1][i], axis[2][i]};
    }
    void symmetricBonds() {
        for (std::size_t i = 0; i < count_; ++i) this->store(i, {0, 0, 0});
        for (std::size_t c = 0; c < groups_.colours(); ++c) {
            const std::size_t begin = groups_.first[c], bonds = groups_.first[c + 1] - begin;
            pool_.forRange(bonds, kBondGrain, [&](std::size_t first, std::size_t last) {
                for (std::size_t k = begin + first; k < begin + last; ++k) {
                    const std::size_t i = groups_.left[k], j = groups_.right[k];
                    const Vec3<T> force = this->force(groups_.bond[k], i, j);
                    this->store(i, stored(i) + force);
                    this->store(j, stored(j) - force);
                }
            });
        }
        pool_.forRange(count_, 16384, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                this->store(i, bodies_.source[i] != 0 ? stored(i) / bodies_.source[i] : Vec3<T>{0, 0, 0});
        });
    }

    BondColours groups_;
};

template <template <class> class Method, class T>
std::unique_ptr<CpuForceMethod<T>> make(const ForceTerm& term, const MethodContext& context) {
    return std::make_unique<Method<T>>(static_cast<const Bonds&>(term), context);
}

constexpr KernelRow kSymmetricRow{
    .backend = "cpu",
    .term = Bonds::kKind,
    .name = "bonds-symmetric",
    .idea = "each bond once, for both bodies: groups of bonds without a common body, one after another",
    .source = "bonds_cpu.cpp:symmetricBonds"};
constexpr int kRowsPerTask[] = {256, 1024, 4096};
constexpr KernelRow kPerRowRow{.backend = "cpu",
                               .term = Bonds::kKind,
                               .name = "bonds-per-row",
                               .idea = "each body adds up its own bonds, so that threads share nothing",
                               .blocks = {256, 4096},
                               .blockSizes = kRowsPerTask,
                               .usual = {.block = 1024},
                               .source = "bonds_cpu.cpp:rowOfBonds"};

}  // namespace

bool addBondMethods() {
    return CpuTermMethods::add(
               {.row = kSymmetricRow, .fp32 = make<CpuBondsSymmetric, float>, .fp64 = make<CpuBondsSymmetric, double>}) &&
           CpuTermMethods::add({.row = kPerRowRow, .fp32 = make<CpuBondRows, float>, .fp64 = make<CpuBondRows, double>});
}

}  // namespace gravlab::cpu
