// Reads HDF5 without trusting the library: damaged files reach its bugs, and a run must survive every file. The library
// works in a helper process; only plain numbers return, and they pass the same gate as those of every format.
#if defined(GRAVLAB_HAS_HDF5)
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/work_watch.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/body_collector.h"
#include "sim/io/formats/byte_order.h"
#include "sim/io/formats/formats.h"
#include "sim/io/hdf5/gadget.h"
#include "sim/io/hdf5/hdf5_handle.h"
#include "sim/io/hdf5/helper_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <future>
#include <set>

namespace gravlab {
namespace {

using gadget::BodyBlock;
using gadget::Preface;

// The helper sends this before each part.
enum class Part : std::uint8_t { preface = 1, block, end, refused };

constexpr std::size_t kMostNotes = 16;
constexpr std::size_t kMostMessage = 4096;

/// The clock of a snapshot in the order of transfer; one list for both sides.
template <class State, class Visitor>
void visitClock(State& s, Visitor&& visit) {
    visit(s.step), visit(s.time), visit(s.timeStep), visit(s.stepOrigin), visit(s.timeOrigin), visit(s.softening),
        visit(s.seed);
}

/// The texts of stated units, in the order of transfer.
template <class Units>
auto textsOf(Units& units) {
    return std::array{&units.words, &units.lengthName, &units.massName, &units.velocityName};
}

/// The helper's side: sends the parser's results.
class Sender : public gadget::Receiver {
public:
    explicit Sender(HelperOutput& output) : out_(output) {}

    void preface(const Preface& preface) override {
        const Snapshot& s = preface.snapshot;
        out_.put(Part::preface);
        visitClock(s, [&](const auto& value) { out_.optional(value); });
        out_.put(s.signedSources);
        out_.text(s.settings);
        out_.text(s.units);
        out_.text(fileUnitsText(s.fileUnits));
        out_.text(namesText(*s.names));
        out_.put(static_cast<std::uint32_t>(s.notes.size()));
        for (const std::string& note : s.notes) out_.text(note);
        out_.put(static_cast<std::uint32_t>(s.state.size()));
        for (const StateArray& array : s.state) {
            out_.text(array.name);
            out_.put(static_cast<std::uint64_t>(array.values.size()));
            out_.bytes(array.values.data(), array.values.size() * sizeof(double));
        }
        for (std::uint64_t count : {preface.bodies, preface.files, preface.whole}) out_.put(count);
        for (bool flag : {preface.own, preface.hasIds, preface.hasGroups, preface.hasVelocities, preface.units.has_value()})
            out_.put(flag);
        out_.put(preface.hubble);
        if (!preface.units) return;
        for (double factor : {preface.units->length, preface.units->mass, preface.units->velocity}) out_.put(factor);
        for (const std::string* text : textsOf(*preface.units)) out_.text(*text);
    }

    void block(const BodyBlock& block, const gadget::Columns& columns) override {
        out_.put(Part::block);
        out_.put(block);
        for (std::size_t k = 0; k < columns.size(); ++k)
            if (block.width[k] > 0) out_.bytes(columns[k].data(), columns[k].size());
    }

private:
    HelperOutput& out_;
};

/// The combined content of the files of a snapshot; nearly always there is one.
struct Whole {
    Preface first;
    std::optional<BodyCollector> bodies;
    std::set<std::pair<std::uint32_t, std::uint32_t>> read;  ///< check sums of the files: each body counts once
};

/// The numbers of a row in the order of the columns.
constexpr double BodyRow::*kNumbersOfRow[] = {&BodyRow::x,      &BodyRow::y,     &BodyRow::z,     &BodyRow::vx,
                                              &BodyRow::vy,     &BodyRow::vz,    &BodyRow::mass,  &BodyRow::response,
                                              &BodyRow::radius, &BodyRow::spinX, &BodyRow::spinY, &BodyRow::spinZ};

/// Converts a snapshot, or a part of it, to G = 1.
void toOwnUnits(Snapshot& snapshot, const ReadOptions& options, const Preface& file, const std::string& name) {
    const bool over = file.hubble != 1 && !file.own;
    convertUnits(snapshot, options, file.units, name, over && !options.ignoreHubble ? file.hubble : 1);
}

/// The program's side: receives the parts, bounds and checks them.
class Importer {
public:
    Importer(const Source& source, const ReadOptions& options, HelperProcess& helper)
        : name_(source.name()), fileBytes_(*source.size()), options_(options), in_(helper) {
        if (nextPart() != Part::preface) nonsense();
        takePreface();
    }

    const Preface& preface() const { return preface_; }

    /// Adds the content of this file.
    void readInto(Whole& whole) {
        if (!whole.bodies) {
            whole.bodies.emplace(name_, options_, preface_.snapshot.signedSources);
            whole.bodies->expect(preface_.bodies);
            whole.first = std::move(preface_);
            preface_.bodies = whole.first.bodies;
            preface_.files = whole.first.files;
        } else {
            requireSame(whole.first);
        }
        BodyCollector& bodies = *whole.bodies;
        const std::string file = preface_.files > 1 ? std::filesystem::path(name_).filename().string() + ", " : "";
        std::uint64_t left = preface_.bodies;
        for (Part part = nextPart(); part != Part::end; part = nextPart()) {
            if (part != Part::block) nonsense();
            if (WorkWatch::dropped()) throw IoError("cannot read '" + name_ + "': nobody waits for it any more");
            takeBlock(left);
            left -= block_.count;
            makeRows();
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                const BodyRow& row = rows_[i];
                if (preface_.files > 1) {
                    places_ = crc32c(&row.x, 3 * sizeof row.x, places_);
                    others_ = crc32c(&row.id, sizeof row.id, crc32c(&row.vx, 3 * sizeof row.vx, others_));
                }
                bodies.add(row, [&] {
                    return file + "PartType" + std::to_string(block_.type) + " row " + std::to_string(block_.firstRow + i);
                });
            }
            if (options_.parts) passOn(whole);
            WorkWatch::report("bodies read", static_cast<std::int64_t>(preface_.bodies - left),
                              static_cast<std::int64_t>(preface_.bodies));
        }
        if (left != 0) nonsense();
        if (preface_.files > 1 && preface_.bodies > 0 && !whole.read.insert({places_, others_}).second)
            throw InputError(name_ + ": has the bodies of another file of its snapshot: it is a link to it, or a copy");
    }

private:
    [[noreturn]] static void nonsense() { throw HelperFailure("it sent invalid data"); }

    Part nextPart() {
        const Part part = in_.take<Part>();
        if (part == Part::refused) throw InputError(in_.text(kMostMessage));
        return part;
    }
    /// Receives the columns of at most `left` bodies.
    void takeBlock(std::uint64_t left) {
        block_ = in_.take<BodyBlock>();
        if (block_.count == 0 || block_.count > gadget::kRowsPerBlock || block_.count > left) nonsense();
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            const std::uint8_t width = block_.width[k];
            if (width != 0 && width != (k == gadget::kGroupColumn ? 1 : 8) && (width != 4 || k == gadget::kGroupColumn))
                nonsense();
            columns_[k].resize(block_.count * gadget::kNumbers[k] * width);
            in_.bytes(columns_[k].data(), columns_[k].size());
        }
    }
    /// Calls set(row, value) with the n-th number of a column for each row.
    template <class Number, class Set>
    void forNumbers(gadget::Column column, std::size_t n, const Set& set) {
        const char* at = columns_[column].data() + n * sizeof(Number);
        for (BodyRow& row : rows_) {
            Number value;
            std::memcpy(&value, at, sizeof value);
            set(row, value);
            at += gadget::kNumbers[column] * sizeof value;
        }
    }
    void makeRows() {
        using namespace gadget;
        rows_.assign(block_.count,
                     {.mass = block_.tableMass, .group = static_cast<std::uint8_t>(preface_.own ? 0 : block_.type)});
        double BodyRow::*const* field = kNumbersOfRow;
        for (const gadget::Column column : {kPlaceColumn, kVelocityColumn, kMassColumn, kResponseColumn, kSurfaceColumn})
            for (std::size_t n = 0; n < gadget::kNumbers[column]; ++n, ++field) {
                const auto set = [&](BodyRow& row, auto value) { row.** field = static_cast<double>(value); };
                if (block_.width[column] == 4) forNumbers<float>(column, n, set);
                if (block_.width[column] == 8) forNumbers<double>(column, n, set);
            }
        const auto id = [](BodyRow& row, auto value) { row.id = value; };
        if (block_.width[kIdColumn] == 4) forNumbers<std::uint32_t>(kIdColumn, 0, id);
        if (block_.width[kIdColumn] == 8) forNumbers<std::uint64_t>(kIdColumn, 0, id);
        if (block_.width[kGroupColumn] > 0)
            forNumbers<std::uint8_t>(kGroupColumn, 0, [](BodyRow& row, std::uint8_t value) { row.group = value; });
    }
    /// Gives the bodies read so far to the options, in G = 1.
    void passOn(Whole& whole) const {
        Snapshot part;
        part.fileUnits = whole.first.snapshot.fileUnits;
        whole.bodies->passOn([&](ParticleSet& bodies, std::uint64_t first) {
            std::swap(part.bodies, bodies);
            toOwnUnits(part, options_, whole.first, name_);
            options_.parts(part, first);
            std::swap(part.bodies, bodies);
        });
    }
    /// A bool must be 0 or 1: any other bit pattern would be undefined.
    bool flag() { return in_.take<std::uint8_t>() != 0; }

    /// Compares a further file of a snapshot with its first.
    void requireSame(Preface& first) {
        const auto unitsOf = [](const Preface& p) {
            return p.units ? std::array{p.units->length, p.units->mass, p.units->velocity} : std::array<double, 3>{};
        };
        if (preface_.files != first.files || preface_.whole != first.whole || preface_.own ||
            unitsOf(preface_) != unitsOf(first) || preface_.hubble != first.hubble ||
            preface_.snapshot.time != first.snapshot.time)
            throw InputError(name_ + ": does not belong to the files before it: time, units or counts in its header differ");
        // A file without bodies may lack the data sets.
        if (preface_.bodies == 0) return;
        first.hasIds &= preface_.hasIds;
        first.hasVelocities &= preface_.hasVelocities;
        first.hasGroups |= preface_.hasGroups;
    }

    void takePreface() {
        Snapshot& s = preface_.snapshot;
        visitClock(s, [&](auto& value) { value = in_.optional<typename std::decay_t<decltype(value)>::value_type>(); });
        for (const std::optional<double>& value : {s.time, s.timeStep, s.timeOrigin, s.softening})
            if (value && !std::isfinite(*value)) nonsense();
        s.signedSources = flag();
        s.settings = in_.text(kMostTextBytes);
        s.units = in_.text(kMostTextBytes);
        if (const std::string units = in_.text(kMostTextBytes); !units.empty()) {
            const std::optional<FileUnits> found = fileUnitsFrom(units);
            if (!found) nonsense();
            s.fileUnits = *found;
        }
        if (const std::string names = in_.text(std::min<std::uint64_t>(kMostNamesBytes, fileBytes_ * 64)); !names.empty()) {
            std::optional<BodyNames> found = namesFrom(names);
            if (!found) nonsense();
            s.names = std::make_shared<const BodyNames>(std::move(*found));
        }
        const auto notes = in_.take<std::uint32_t>();
        if (notes > kMostNotes) nonsense();
        for (std::uint32_t i = 0; i < notes; ++i) s.notes.push_back(in_.text(kMostMessage));
        takeState(s);
        preface_.bodies = in_.take<std::uint64_t>();
        // A body needs at least its coordinates; the helper has bounded packed data, and this repeats the check.
        if (preface_.bodies > fileBytes_ * 64) nonsense();
        for (std::uint64_t* count : {&preface_.files, &preface_.whole}) *count = in_.take<std::uint64_t>();
        if (preface_.files == 0 || preface_.files > gadget::kMostFiles) nonsense();
        for (bool* known : {&preface_.own, &preface_.hasIds, &preface_.hasGroups, &preface_.hasVelocities}) *known = flag();
        const bool stated = flag();
        preface_.hubble = in_.take<double>();
        if (!(preface_.hubble > 0) || !std::isfinite(preface_.hubble)) nonsense();
        if (!stated) return;
        StatedUnits units;
        for (double* factor : {&units.length, &units.mass, &units.velocity}) *factor = in_.take<double>();
        for (std::string* text : textsOf(units)) *text = in_.text(kMostMessage);
        preface_.units = units;
    }

    void takeState(Snapshot& s) {
        const auto arrays = in_.take<std::uint32_t>();
        if (arrays > kMostStateArrays) nonsense();
        for (std::uint32_t i = 0; i < arrays; ++i) {
            StateArray array;
            array.name = in_.text(kMostStateNameBytes);
            const auto count = in_.take<std::uint64_t>();
            if (!goodStateName(array.name) || count > fileBytes_ * 64) nonsense();
            // Receive in pieces: a false count must not be allocated before its numbers arrive.
            constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
            while (array.values.size() < count) {
                const std::size_t have = array.values.size();
                array.values.resize(have + static_cast<std::size_t>(std::min(kPiece, count - have)));
                in_.bytes(array.values.data() + have, (array.values.size() - have) * sizeof(double));
            }
            if (!std::ranges::all_of(array.values, [](double v) { return std::isfinite(v); })) nonsense();
            s.state.push_back(std::move(array));
        }
    }

    std::string name_;
    std::uint64_t fileBytes_;
    const ReadOptions& options_;
    HelperProcess& in_;
    Preface preface_;
    BodyBlock block_;
    gadget::Columns columns_;
    std::vector<BodyRow> rows_;
    std::uint32_t places_ = 0, others_ = 0;  ///< check sums of the bodies
};

/// The seal of the file; empty without one. Throws InputError when its length does not fit.
std::optional<gadget::Seal> sealOf(const Source& source) {
    using gadget::Seal;
    const std::uint64_t size = *source.size();
    char tail[Seal::kBytes];
    if (size < sizeof tail || source.readAt(size - sizeof tail, tail, sizeof tail) != sizeof tail) return {};
    const std::optional<Seal> seal = Seal::parsed({tail, sizeof tail});
    if (seal && seal->length != size - sizeof tail)
        throw InputError(source.name() + ": its length does not fit the seal at its end: it has been changed");
    return seal;
}

/// Throws InputError when the check sum of the seal does not fit the bytes before it.
void checkSeal(const Source& source, const gadget::Seal& seal) {
    std::vector<char> block(static_cast<std::size_t>(std::min<std::uint64_t>(seal.length, std::uint64_t{1} << 20)));
    std::uint32_t sum = 0;
    for (std::uint64_t at = 0; at < seal.length;) {
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), seal.length - at));
        const std::size_t got = source.readAt(at, block.data(), want);
        if (got != want)
            throw InputError(source.name() + ": ends at byte " + std::to_string(at + got) +
                             ": it changed while it was read");
        sum = crc32c(block.data(), got, sum);
        at += got;
    }
    if (sum != seal.checksum)
        throw InputError(source.name() + ": is damaged: its bytes do not fit the check sum at its end");
}

/// Compares the length in the HDF5 header with the file, so that a cut file is refused without the library. Only the common
/// case is judged: a header at byte 0 with 8-byte addresses. Source: HDF5 File Format Specification, II.A.
void checkLength(const Source& source) {
    const std::string_view head = source.head();
    constexpr std::size_t kShortest = 48;
    if (head.size() < kShortest)
        throw InputError(source.name() + ": ends at byte " + std::to_string(head.size()) +
                         ", inside the HDF5 header: cut short?");
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(head[at]); };
    const auto address = [&](std::size_t at) { return loaded<std::uint64_t, std::uint64_t>(head.data() + at, false); };
    if (byte(0) != 0x89) return;
    const unsigned version = byte(8);
    const bool old = version <= 1;
    if (version > 3 || byte(old ? 13 : 9) != 8) return;
    const std::size_t base = old ? 24 + 4 * version : 12;
    if (head.size() < base + 24 || address(base) != 0) return;
    const std::uint64_t end = address(base + 16);
    if (end > *source.size())
        throw InputError(source.name() + ": its HDF5 header counts " + std::to_string(end) + " bytes, but it has " +
                         std::to_string(*source.size()) + ": cut short?");
}

/// The work of the helper. It sends all results through `output`.
void parseInHelper(const Source& source, const ReadOptions& options, bool sealed, HelperOutput& output) {
    try {
        Sender sender(output);
        gadget::parse(source, options, sealed, sender);
        output.put(Part::end);
    } catch (const std::bad_alloc&) {
        output.put(Part::refused);
        output.text(source.name() + ": reading it takes more memory than its size explains");
    } catch (const std::exception& error) {
        output.put(Part::refused);
        output.text(std::string(error.what()).substr(0, kMostMessage));
    }
}

/// Starts a helper that reads the file, and calls `use` with its results.
template <class Use>
void withHelper(const Source& source, const ReadOptions& options, Use use) {
    checkLength(source);
    const std::optional<gadget::Seal> seal = sealOf(source);
    constexpr std::uint64_t kLarge = std::uint64_t{1} << 26;
    const bool meanwhile = seal && seal->length >= kLarge;
    if (seal && !meanwhile) checkSeal(source, *seal);
    const std::uint64_t megabytes = *source.size() >> 20;
    const HelperLimits limits{(std::uint64_t{256} << 20) + 4 * *source.size(), 20 + megabytes / 4};
    // Hold the turn so that no other thread is inside the library when the process forks.
    const Hdf5Turn turn;
    // The check sum of many bodies takes as long as they: a thread computes it meanwhile. Its verdict precedes all others.
    std::future<void> intact;
    try {
        HelperProcess helper(limits,
                             [&](HelperOutput& output) { parseInHelper(source, options, seal.has_value(), output); });
        if (meanwhile) intact = std::async(std::launch::async, [&] { checkSeal(source, *seal); });
        Importer importer(source, options, helper);
        use(importer);
        if (source.changed()) throw InputError(source.name() + ": it was written to while it was read");
    } catch (const HelperFailure& failure) {
        if (intact.valid()) intact.get();
        throw InputError(source.name() + ": the HDF5 library cannot read it (" + failure.what() +
                         "): it is damaged or hostile");
    } catch (...) {
        if (intact.valid()) intact.get();
        throw;
    }
    if (intact.valid()) intact.get();
}

/// The files of a snapshot, from one name: NAME.0.hdf5, NAME.1.hdf5 ... Throws InputError when the name has no number.
std::vector<std::filesystem::path> filesOf(const Source& source, std::uint64_t count) {
    const std::filesystem::path& path = source.path();
    const std::string among = source.name() + ": is one of several files of a snapshot (" + std::to_string(count) + ")";
    const std::string ending = path.extension().string(), numbered = path.stem().string();
    const std::size_t dot = numbered.rfind('.');
    const auto number = numberFrom<std::uint64_t>(std::string_view(numbered).substr(std::min(dot + 1, numbered.size())));
    if (path.empty() || dot == std::string::npos || number.value_or(count) >= count)
        throw InputError(among +
                         ", and its name does not show which the others are: they are found as NAME.0.hdf5, NAME.1.hdf5 "
                         "and so on beside each other");
    std::vector<std::filesystem::path> files;
    std::string missing;
    std::uint64_t absent = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        files.push_back(path.parent_path() / (numbered.substr(0, dot + 1) + std::to_string(i) + ending));
        std::error_code ignored;
        if (std::filesystem::exists(files.back(), ignored)) continue;
        if (++absent <= 4) addTo(missing, files.back().filename().string());
    }
    if (absent > 0)
        throw InputError(among + "; missing beside it: " + missing +
                         (absent > 4 ? " and " + std::to_string(absent - 4) + " more" : ""));
    return files;
}

}  // namespace

Snapshot readGadget(Source& source, const ReadOptions& options) {
    if (!source.size()) throw InputError(source.name() + ": HDF5 cannot come through a pipe; give the file's name");
    Whole whole;
    std::uint64_t files = 1;
    withHelper(source, options, [&](Importer& importer) {
        files = importer.preface().files;
        if (files == 1) importer.readInto(whole);
    });
    if (files > 1)
        for (const std::filesystem::path& path : filesOf(source, files)) {
            const Source part = Source::open(path);
            part.hold();
            if (!looksLikeHdf5(part))
                throw InputError(part.name() + ": is not an HDF5 file, unlike the others of its snapshot");
            withHelper(part, options, [&](Importer& importer) { importer.readInto(whole); });
        }
    const std::uint64_t expected = files > 1 ? whole.first.whole : whole.first.bodies;
    if (whole.bodies->seen() != expected)
        throw InputError(source.name() + ": the " + std::to_string(files) + " files of its snapshot hold " +
                         std::to_string(whole.bodies->seen()) + " bodies, and their headers count " +
                         std::to_string(expected));
    Snapshot snapshot = std::move(whole.first.snapshot);
    whole.bodies->finish(snapshot, whole.first.hasIds, whole.first.hasGroups);
    if (files > 1)
        snapshot.notes.push_back("read with the other files of its snapshot, " + std::to_string(files) + " in all");
    if (!snapshot.names->empty()) snapshot.names = std::make_shared<const BodyNames>(snapshot.names->of(snapshot.bodies.id));
    snapshot.knowsVelocities = whole.first.hasVelocities;
    if (!snapshot.knowsVelocities) snapshot.notes.push_back("some bodies have no velocities and start at rest");
    if (whole.first.own && snapshot.fileUnits != FileUnits{} && (options.gravity || !options.units.empty()))
        throw UsageError(source.name() + ": gravlab wrote its numbers with G = 1 and its units; leave --units and --G out");
    toOwnUnits(snapshot, options, whole.first, source.name());
    return snapshot;
}

}  // namespace gravlab
#endif
