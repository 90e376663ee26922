// Bonds on CUDA: four layouts of the same bonds. An evaluation is one slice, because even a hundred million bonds take a few
// milliseconds. Rule: a step that breaks bonds never waits for the host; a log on the device says which ones.
#include "sim/api/errors.h"
#include "sim/backends/cuda/kernels/bonds.cuh"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/runtime/sparse_library.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/bonds/bond_rows.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace gravlab::cuda {
namespace {

/// Relative error that 99 % of the bodies keep with the product of a library, in that precision of the state: its sums
/// cancel. Measured on an H200 in double precision: 1.3e-8.
template <class Real>
constexpr double bondLibraryError = sizeof(Real) == sizeof(float) ? 1e-3 : 1e-7;

/// Numbers of the bonds that broke, in device memory. It only grows, so a reader needs no lock.
struct DeviceLog {
    int device;
    DeviceArray<std::uint32_t> count, bonds;
    PinnedArray<std::uint32_t> arrived;  ///< copy of the count, as of some recent step

    DeviceLog(int index, std::size_t most, Stream stream) : device(index), count(1), bonds(most), arrived(1) {
        *arrived.data() = 0;
        CUDA_CHECK(fillAsync(count.data(), 0, count.bytes(), stream));
    }
    ~DeviceLog() { setDevice(device); }  // the last owner may be a thread without a current device
    DeviceLog(const DeviceLog&) = delete;
    DeviceLog& operator=(const DeviceLog&) = delete;

    /// The entries from `begin` up to `end`. Waits for a copy on a stream of its own; any thread.
    std::vector<std::uint32_t> entries(std::uint32_t begin, std::uint32_t end) const {
        std::vector<std::uint32_t> numbers(end - begin);
        if (numbers.empty()) return numbers;
        CUDA_CHECK(setDevice(device));
        const OwnedStream stream;
        copyNow(numbers.data(), bonds.data() + begin, numbers.size(), Copy::toHost, stream);
        return numbers;
    }
};

/// A count of the log at one point of the queue.
struct LogCount {
    PinnedArray<std::uint32_t> count{1};
    OwnedEvent made;
};

/// Numbers of the class of each entry, in as few bytes as they need.
struct DeviceClasses {
    DeviceArray<std::uint8_t> bytes;
    DeviceArray<std::uint32_t> words;
    BondClassIndex index() const {
        if (bytes.size() > 0) return {bytes.data(), 1};
        if (words.size() > 0) return {words.data(), 4};
        return {};
    }
    int bytesAnEntry() const { return index().bytes; }
};
DeviceClasses classesOf(const Bonds& bonds, const std::vector<std::uint32_t>& bondOfEntry, Stream stream) {
    const BondList& list = bonds.list();
    DeviceClasses classes;
    if (list.classes.size() <= 1) return classes;
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> words;
    for (const std::uint32_t bond : bondOfEntry) {
        const std::uint32_t number = bond < list.size() ? list.classOf(bond) : 0;  // pads have any class
        if (list.classes.size() <= 256)
            bytes.push_back(static_cast<std::uint8_t>(number));
        else
            words.push_back(number);
    }
    classes.bytes = uploaded(bytes, stream);
    classes.words = uploaded(words, stream);
    return classes;
}

/// Whether all bonds are springs without damping, which have a kernel of their own.
bool springsOnly(const Bonds& bonds) {
    return std::ranges::all_of(bonds.list().classes, [](const BondClass<double>& numbers) {
        return numbers.law == BondLaw::hooke && numbers.damping == 0;
    });
}

/// Tables of 32 rows; see BondRowTask.
struct RowTables {
    std::vector<std::uint32_t> firstColumn{0}, other, bond;
};
/// Takes at most `width` entries of each row.
RowTables tablesOf(const BondRows& rows, std::uint32_t width) {
    RowTables tables;
    for (std::size_t first = 0; first < rows.rows(); first += kTableRows) {
        const std::size_t last = std::min(first + kTableRows, rows.rows());
        std::uint32_t columns = 0;
        for (std::size_t row = first; row < last; ++row) columns = std::max(columns, std::min(width, rows.length(row)));
        const std::size_t begin = tables.other.size();
        tables.other.resize(begin + std::size_t{columns} * kTableRows);
        tables.bond.resize(tables.other.size(), kNoRow);
        for (std::size_t lane = 0; lane < kTableRows; ++lane) {
            const std::size_t row = first + lane;
            const std::uint32_t length = row < last ? std::min(width, rows.length(row)) : 0;
            for (std::uint32_t c = 0; c < columns; ++c) {
                const std::size_t entry = begin + std::size_t{c} * kTableRows + lane;
                tables.other[entry] = c < length ? rows.other[rows.first[row] + c] : static_cast<std::uint32_t>(row);
                if (c < length) tables.bond[entry] = rows.bond[rows.first[row] + c];
            }
        }
        tables.firstColumn.push_back(tables.firstColumn.back() + columns);
    }
    return tables;
}

/// Writes entries as ways with their classes. False where a way is too long or there are too many classes: nothing changes.
bool writeWays(const Bonds& bonds, RowTables& tables) {
    if (bonds.list().classes.size() > kMostWayClasses) return false;
    std::vector<std::uint32_t> entries(tables.other.size());
    for (std::size_t table = 0; table + 1 < tables.firstColumn.size(); ++table)
        for (std::size_t place = std::size_t{tables.firstColumn[table]} * kTableRows;
             place < std::size_t{tables.firstColumn[table + 1]} * kTableRows; ++place) {
            const std::int64_t row = static_cast<std::int64_t>(table * kTableRows + place % kTableRows);
            const std::int64_t way = std::int64_t{tables.other[place]} - row;
            if (std::abs(way) > kLongestWay) return false;
            entries[place] = wayEntry(way, tables.bond[place] == kNoRow ? 0 : bonds.list().classOf(tables.bond[place]));
        }
    tables.other = std::move(entries);
    return true;
}

/// A layout in device memory: it adds forces, and breaks bonds.
template <class Real>
class BondTables {
public:
    BondTables(const Bonds& bonds, const BondRows& rows, std::uint32_t width, Stream stream)
        : rows_(static_cast<std::uint32_t>(rows.rows())), stream_(stream) {
        const std::size_t classes = bonds.list().classes.size();
        RowTables tables = tablesOf(rows, width);
        ways_ = classes > 1 && writeWays(bonds, tables);
        if (!ways_) classes_ = classesOf(bonds, tables.bond, stream_);
        firstColumn_ = uploaded(tables.firstColumn, stream_);
        entries_ = uploaded(tables.other, stream_);
        if (bonds.breakable()) bond_ = uploaded(tables.bond, stream_);
        if (!springsOnly(bonds) || (classes > 1 && !ways_)) return;
        kernel_ = ways_ ? kernelOf(springSums<Real, true>) : kernelOf(springSums<Real, false>);
        std::vector<Spring<Real>> springs;
        for (const BondClass<double>& numbers : bonds.list().classes)
            springs.push_back({static_cast<Real>(numbers.stiffness), static_cast<Real>(numbers.stiffness * numbers.length)});
        if (springs.empty()) springs.emplace_back();
        springs_ = uploaded(springs, stream_);
    }
    void sum(const BondBodies<Real>& bodies, unsigned block) const {
        if (rows_ > 0) launchEach(kernel_, rows_, block, task(bodies), stream_);
    }
    void breakBonds(const BondBodies<Real>& bodies, const BrokenLog& log, unsigned block) const {
        if (rows_ > 0) launchEach(kernelOf(breakRows<Real>), rows_, block, {task(bodies), bond_.data(), log}, stream_);
    }
    std::size_t entries() const { return entries_.size(); }
    int bytesAnEntry() const { return 4 + classes_.bytesAnEntry(); }

private:
    BondRowTask<Real> task(const BondBodies<Real>& bodies) const {
        return {bodies,          firstColumn_.data(),
                entries_.data(), classes_.index(),
                rows_,           ways_,
                springs_.data(), static_cast<std::uint32_t>(springs_.size())};
    }
    std::uint32_t rows_;
    bool ways_ = false;
    Stream stream_;
    Kernel<BondRowTask<Real>> kernel_ = kernelOf(rowSums<Real>);  ///< for all laws, unless all bonds are springs
    DeviceArray<std::uint32_t> firstColumn_, entries_, bond_;
    DeviceArray<Spring<Real>> springs_;
    DeviceClasses classes_;
};

/// Two bodies and a bond per entry.
template <class Real>
class BondEnds {
public:
    BondEnds() = default;
    BondEnds(const Bonds& bonds, const std::vector<std::uint32_t>& one, const std::vector<std::uint32_t>& other,
             const std::vector<std::uint32_t>& bond, Stream stream)
        : one_(uploaded(one, stream)), other_(uploaded(other, stream)), classes_(classesOf(bonds, bond, stream)) {
        if (bonds.breakable()) bond_ = uploaded(bond, stream);
    }
    const std::uint32_t* one() const { return one_.data(); }
    std::uint32_t* other() const { return other_.data(); }
    BondClassIndex classes() const { return classes_.index(); }
    std::uint32_t count() const { return static_cast<std::uint32_t>(one_.size()); }
    int bytesAnEntry() const { return 8 + classes_.bytesAnEntry(); }
    /// `both`: an entry is a whole bond.
    void breakBonds(const BondBodies<Real>& bodies, const BrokenLog& log, unsigned block, bool both, Stream stream) const {
        if (count() > 0)
            launchEach(kernelOf(breakElements<Real>), count(), block,
                       {bodies, one(), other(), classes(), count(), bond_.data(), log, both}, stream);
    }

private:
    DeviceArray<std::uint32_t> one_, other_, bond_;
    DeviceClasses classes_;
};

template <class Real>
class BondElements {
public:
    /// The entries of each row from `width` on.
    BondElements(const Bonds& bonds, const BondRows& rows, std::uint32_t width, Stream stream) : stream_(stream) {
        std::vector<std::uint32_t> row, other, bond;
        for (std::size_t i = 0; i < rows.rows(); ++i)
            for (std::uint32_t e = rows.first[i] + std::min(width, rows.length(i)); e < rows.first[i + 1]; ++e) {
                row.push_back(static_cast<std::uint32_t>(i));
                other.push_back(rows.other[e]);
                bond.push_back(rows.bond[e]);
            }
        ends_ = {bonds, row, other, bond, stream};
        const std::size_t carries = (row.size() + kElementsPerWarp - 1) / kElementsPerWarp;
        carry_ = DeviceArray<Vec4<Real>>(carries);
        carryRow_ = DeviceArray<std::uint32_t>(carries);
    }
    void add(const BondBodies<Real>& bodies, unsigned block) const {
        if (entries() == 0) return;
        const auto carries = static_cast<std::uint32_t>(carry_.size());
        const BondElementTask<Real> task{bodies,        ends_.one(),   ends_.other(),    ends_.classes(),
                                         ends_.count(), carry_.data(), carryRow_.data(), carries};
        launchEach(kernelOf(elementSums<Real>), std::size_t{carries} * 32, block, task, stream_);
        launchEach(kernelOf(carrySums<Real>), std::size_t{carries} * 32, block, task, stream_);
    }
    void breakBonds(const BondBodies<Real>& bodies, const BrokenLog& log, unsigned block) const {
        ends_.breakBonds(bodies, log, block, false, stream_);
    }
    std::size_t entries() const { return ends_.count(); }
    int bytesAnEntry() const { return ends_.bytesAnEntry(); }

private:
    Stream stream_;
    BondEnds<Real> ends_;
    DeviceArray<std::uint32_t> carryRow_;
    DeviceArray<Vec4<Real>> carry_;
};

template <class Real>
class CudaBonds : public SlicedTerm<Real> {
public:
    CudaBonds(const Bonds& bonds, const TermParts& parts)
        : SlicedTerm<Real>(parts.count, parts.count),
          stream_(parts.stream),
          block_(static_cast<unsigned>(parts.launch.block)),
          now_(std::make_shared<const Bonds>(bonds)) {
        std::vector<BondClass<Real>> classes;
        for (const BondClass<double>& numbers : bonds.list().classes)
            classes.push_back({static_cast<Real>(numbers.length), static_cast<Real>(numbers.stiffness),
                               static_cast<Real>(numbers.damping), static_cast<Real>(numbers.breaking), numbers.law});
        if (classes.empty()) classes.emplace_back();
        classes_ = uploaded(classes, stream_);
        damped_ = bonds.damped();
        if (bonds.breakable())
            log_ = std::make_shared<DeviceLog>(parts.device.index, std::max<std::size_t>(1, bonds.list().size()), stream_);
    }

    Accuracy accuracy() const override { return {.gate = gateOf({.precision = this->request_.settings.precision})}; }

    // A force that is known at the end of a step contains the bonds that break there.
    bool keepsState() const override { return log_ != nullptr; }
    bool changesTerm() const override { return log_ != nullptr; }
    void endStep(const DeviceBodies<Real>& bodies) override {
        breakBonds({bodies.positions, nullptr, nullptr, classes_.data()}, {log_->count.data(), log_->bonds.data()}, block_);
        CUDA_CHECK(copyAsync(log_->arrived.data(), log_->count.data(), sizeof(std::uint32_t), Copy::toHost, stream_));
    }
    std::shared_ptr<const ForceTerm> takeChangedTerm() override {
        if (!log_) return nullptr;
        const std::uint32_t arrived = *static_cast<const volatile std::uint32_t*>(log_->arrived.data());
        if (arrived == taken_) return nullptr;
        now_ = now_->withBroken(log_->entries(std::exchange(taken_, arrived), arrived));
        return now_;
    }
    TermFuture termHere() const override {
        if (!log_) return {};
        auto here = std::make_shared<LogCount>();
        CUDA_CHECK(copyAsync(here->count.data(), log_->count.data(), sizeof(std::uint32_t), Copy::toHost, stream_));
        CUDA_CHECK(recordEvent(here->made, stream_));
        return [log = log_, here, before = now_, taken = taken_]() -> std::shared_ptr<const ForceTerm> {
            CUDA_CHECK(setDevice(log->device));
            CUDA_CHECK(waitForEvent(here->made));
            return before->withBroken(log->entries(taken, std::max(taken, *here->count.data())));
        };
    }

protected:
    using SlicedTerm<Real>::count_;
    /// Writes the forces over the sources.
    virtual void sum(const BondBodies<Real>& bodies, unsigned block) = 0;
    virtual void breakBonds(const BondBodies<Real>& bodies, const BrokenLog& log, unsigned block) = 0;
    virtual double pairs() const = 0;

    void clear(const BondBodies<Real>& bodies) const {
        if (count_ > 0) CUDA_CHECK(fillAsync(bodies.sums, 0, count_ * sizeof(Vec4<Real>), stream_));
    }
    /// Figures that all rows have; `bytes` of `entries`, pads included, for `used` entries.
    std::vector<MethodFigure> figuresOf(const RowLengths& lengths, std::size_t entries, double used, double bytes) const {
        return {{"bonds", "", static_cast<double>(now_->list().size())},
                {"broken bonds", "", static_cast<double>(now_->broken().size())},
                {"longest row", "", static_cast<double>(lengths.longest)},
                {"mean row", "", lengths.mean},
                {"pads an entry", "", used > 0 ? static_cast<double>(entries) / used - 1 : 0},
                {"bytes an entry", "", used > 0 ? bytes / used : 0}};
    }

    Stream stream_;

private:
    double enqueueBodies(std::uint32_t, std::uint32_t) override {
        const DeviceBodies<Real>& bodies = this->bodies_;
        sum({bodies.positions, damped_ ? bodies.velocities : nullptr, bodies.sums, classes_.data()}, block_);
        return pairs();
    }

    unsigned block_;
    std::shared_ptr<const Bonds> now_;  ///< the term without the first `taken_` bonds of the log
    DeviceArray<BondClass<Real>> classes_;
    std::shared_ptr<DeviceLog> log_;  ///< null: no bond breaks
    std::uint32_t taken_ = 0;
    bool damped_ = false;
};

/// Tables up to a width, elements for the rest: all three rows of the table that work on a matrix.
enum class BondLayout { rows, elements, hybrid };
template <class Real>
class CudaBondMatrix final : public CudaBonds<Real> {
public:
    CudaBondMatrix(const Bonds& bonds, const TermParts& parts, BondLayout layout)
        : CudaBondMatrix(bonds, parts, rowsOf(bonds, parts.ids), layout) {}

    std::vector<MethodFigure> figures() const override {
        const double tables = static_cast<double>(tables_ ? tables_->entries() : 0),
                     elements = static_cast<double>(elements_ ? elements_->entries() : 0);
        std::vector<MethodFigure> all = this->figuresOf(
            lengths_, static_cast<std::size_t>(tables + elements), entries_,
            tables * (tables_ ? tables_->bytesAnEntry() : 0) + elements * (elements_ ? elements_->bytesAnEntry() : 0));
        all.push_back({"width of tables", "", static_cast<double>(std::min(width_, lengths_.longest))});
        all.push_back({"entries in lists", "", elements});
        return all;
    }

private:
    CudaBondMatrix(const Bonds& bonds, const TermParts& parts, const BondRows& rows, BondLayout layout)
        : CudaBonds<Real>(bonds, parts), lengths_(lengthsOf(rows)), entries_(static_cast<double>(rows.entries())) {
        width_ = layout == BondLayout::rows ? kNoRow : layout == BondLayout::elements ? 0 : hybridWidth(rows);
        if (layout != BondLayout::elements) tables_.emplace(bonds, rows, width_, parts.stream);
        if (layout != BondLayout::rows) elements_.emplace(bonds, rows, width_, parts.stream);
    }
    void sum(const BondBodies<Real>& bodies, unsigned block) override {
        if (tables_)
            tables_->sum(bodies, block);
        else
            this->clear(bodies);
        if (elements_) elements_->add(bodies, block);
    }
    void breakBonds(const BondBodies<Real>& bodies, const BrokenLog& log, unsigned block) override {
        if (tables_) tables_->breakBonds(bodies, log, block);
        if (elements_) elements_->breakBonds(bodies, log, block);
    }
    double pairs() const override { return entries_; }

    RowLengths lengths_;
    double entries_;
    std::uint32_t width_ = 0;
    std::optional<BondTables<Real>> tables_;
    std::optional<BondElements<Real>> elements_;
};

template <class Real>
class CudaBondColours final : public CudaBonds<Real> {
public:
    CudaBondColours(const Bonds& bonds, const TermParts& parts)
        : CudaBonds<Real>(bonds, parts), lengths_(lengthsOf(rowsOf(bonds, parts.ids))) {
        const BondColours colours = coloursOf(bonds, parts.ids);
        first_ = colours.first;
        ends_ = {bonds, colours.left, colours.right, colours.bond, parts.stream};
    }
    std::vector<MethodFigure> figures() const override {
        const double used = ends_.count();
        std::vector<MethodFigure> all = this->figuresOf(lengths_, ends_.count(), used, used * ends_.bytesAnEntry());
        all.push_back({"colours", "", static_cast<double>(first_.size() - 1)});
        return all;
    }

private:
    void sum(const BondBodies<Real>& bodies, unsigned block) override {
        this->clear(bodies);
        for (std::size_t c = 0; c + 1 < first_.size(); ++c)
            launchEach(kernelOf(symmetricSums<Real>), first_[c + 1] - first_[c], block,
                       {bodies, ends_.one(), ends_.other(), ends_.classes(), first_[c], first_[c + 1]}, this->stream_);
    }
    void breakBonds(const BondBodies<Real>& bodies, const BrokenLog& log, unsigned block) override {
        ends_.breakBonds(bodies, log, block, true, this->stream_);
    }
    double pairs() const override { return 2.0 * ends_.count(); }

    RowLengths lengths_;
    std::vector<std::uint32_t> first_;
    BondEnds<Real> ends_;
};

/// The product of a library. Its matrix is filled anew for each force.
template <class Real>
class CudaBondLibrary final : public CudaBonds<Real> {
public:
    CudaBondLibrary(const Bonds& bonds, const TermParts& parts) : CudaBonds<Real>(bonds, parts) {
        const BondRows rows = rowsOf(bonds, parts.ids);
        lengths_ = lengthsOf(rows);
        std::vector<std::uint32_t> row(rows.entries());
        for (std::size_t i = 0; i < rows.rows(); ++i)
            std::fill(row.begin() + rows.first[i], row.begin() + rows.first[i + 1], static_cast<std::uint32_t>(i));
        if (rows.entries() > 0x7fffffffu)
            throw UsageError("kernel 'cusparse' cannot run: it counts at most 2^31 ends of bonds");
        first_ = uploaded(rows.first, parts.stream);
        ends_ = {bonds, row, rows.other, rows.bond, parts.stream};
        column_ = uploaded(rows.other, parts.stream);
        values_ = DeviceArray<Real>(rows.entries());
        x_ = DeviceArray<Vec4<Real>>(parts.count);
        product_ = DeviceArray<Vec4<Real>>(parts.count);
        if (rows.entries() > 0)
            library_.emplace(typename SparseProduct<Real>::Matrix{parts.count, ends_.count(), first_.data(), column_.data(),
                                                                  values_.data()},
                             &x_.data()->x, &product_.data()->x, parts.stream);
    }
    // Where coordinates are much larger than bonds, the difference of the two sums loses digits.
    Accuracy accuracy() const override { return {.gate = gateOfAccuracy(bondLibraryError<Real>)}; }
    std::vector<MethodFigure> figures() const override {
        const double used = ends_.count();
        return this->figuresOf(lengths_, ends_.count(), used, used * (ends_.bytesAnEntry() + sizeof(Real) * 2));
    }

private:
    void sum(const BondBodies<Real>& bodies, unsigned block) override {
        if (!library_) return this->clear(bodies);
        const BondMatrixTask<Real> task{bodies,       ends_.one(),    ends_.other(), ends_.classes(), ends_.count(),
                                        this->count_, values_.data(), x_.data(),     product_.data()};
        launchEach(kernelOf(fillFactors<Real>), std::max(ends_.count(), this->count_), block, task, this->stream_);
        library_->multiply();
        launchEach(kernelOf(takeProduct<Real>), this->count_, block, task, this->stream_);
    }
    void breakBonds(const BondBodies<Real>& bodies, const BrokenLog& log, unsigned block) override {
        ends_.breakBonds(bodies, log, block, false, this->stream_);
    }
    double pairs() const override { return ends_.count(); }

    RowLengths lengths_;
    DeviceArray<std::uint32_t> first_, column_;
    BondEnds<Real> ends_;
    DeviceArray<Real> values_;
    DeviceArray<Vec4<Real>> x_, product_;
    std::optional<SparseProduct<Real>> library_;
};

template <template <class> class Method, class Real, auto... kLayout>
std::unique_ptr<DeviceTermMethod<Real>> makeBonds(const ForceTerm& term, const TermParts& parts) {
    return std::make_unique<Method<Real>>(static_cast<const Bonds&>(term), parts, kLayout...);
}
/// A row with its method in both precisions.
template <template <class> class Method, auto... kLayout>
CudaTermMethod bondMethod(const KernelRow& row) {
    return {row, makeBonds<Method, float, kLayout...>, makeBonds<Method, double, kLayout...>};
}

constexpr int kBondBlocks[] = {64, 128, 256, 512};

/// `source`: see KernelRow::source.
constexpr KernelRow bondRow(std::string_view name, std::string_view idea, std::string_view source) {
    return {.backend = "cuda",
            .term = Bonds::kKind,
            .name = name,
            .idea = idea,
            .blocks = {64, 512},
            .blockSizes = kBondBlocks,
            .usual = {.block = 256},
            .source = source};
}

/// The row of the library, which approximates and may be missing.
constexpr KernelRow libraryRow() {
    KernelRow row = bondRow(
        "cusparse",
        "NVIDIA's library, if installed: a matrix of factors, filled for each force, times positions; their sums cancel",
        "bonds.cuh:fillFactors,takeProduct");
    row.approximates = true;
    row.keeps = [](const ForceSettings& force, double, double) {
        return force.precision == Precision::fp32 ? bondLibraryError<float> : bondLibraryError<double>;
    };
    row.refuses = [](const KernelRow&, const ForceSettings&) { return whyNoSparseLibrary(); };
    return row;
}

}  // namespace

bool addBondMethods() {
    // In ladder order, the best last.
    const CudaTermMethod rows[] = {
        bondMethod<CudaBondLibrary>(libraryRow()),
        bondMethod<CudaBondMatrix, BondLayout::elements>(
            bondRow("bonds-per-element", "a thread a bond end; warps add up the rows by a segmented scan",
                    "bonds.cuh:elementSums,carrySums")),
        bondMethod<CudaBondColours>(
            bondRow("bonds-symmetric",
                    "each bond once, for both bodies: one launch a colour, and no two bonds of a colour have a common body",
                    "bonds.cuh:symmetricSums")),
        bondMethod<CudaBondMatrix, BondLayout::rows>(bondRow(
            "bonds-per-row",
            "a thread a body, in tables of 32 rows whose columns are read together; undamped springs have a kernel of "
            "their own",
            "bonds.cuh:springSums,rowSums")),
        bondMethod<CudaBondMatrix, BondLayout::hybrid>(
            bondRow("bonds-hybrid",
                    "rows up to the width that a third of them reach, and elements for the rest: no hub delays a warp",
                    "bonds.cuh:springSums,rowSums,elementSums"))};
    return std::ranges::all_of(rows, CudaTermMethods::add);
}

}  // namespace gravlab::cuda
