// Gadget's binary snapshots, formats 1 and 2: records of Fortran, each between two copies of its length. In format 2 a
// record with a name of four letters stands before each. Either byte order is read, little-endian is written.
// Source: V. Springel, "User guide for GADGET-2", section 6. Rule: all lengths must fit the header's counts and the file
// before anything is allocated.
#include "sim/api/errors.h"
#include "sim/io/file/byte_sink.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/body_collector.h"
#include "sim/io/formats/byte_order.h"
#include "sim/io/formats/formats.h"
#include "sim/io/formats/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace gravlab {
namespace {

constexpr std::size_t kGadgetTypes = 6, kGadgetHeaderBytes = 256, kMarkBytes = 4, kNameRecordBytes = 16, kGadgetRows = 4096;
// Written bodies are of the type of haloes, so that they keep their order, as in HDF5.
constexpr std::size_t kGadgetHalo = 1;

struct GadgetHeader {
    std::array<std::uint32_t, kGadgetTypes> counts{}, totals{};
    std::array<double, kGadgetTypes> masses{};
    double time = 0, redshift = 0, hubble = 1;
    std::int32_t files = 1;
};

/// Where the data of a record stand, and how many bytes a number has.
struct GadgetRecord {
    std::uint64_t begin = 0, bytes = 0;
    std::size_t width = 0;
};

/// Format and byte order of a file; empty: the first bytes are of another kind.
struct GadgetDialect {
    bool named = false, bigEndian = false;
};
std::optional<GadgetDialect> gadgetDialectOf(std::string_view head) {
    const auto word = [&](std::size_t at, bool big) { return loaded<std::uint32_t, std::uint32_t>(head.data() + at, big); };
    for (const bool big : {false, true}) {
        if (head.size() >= 8 && word(0, big) == 8 && head.substr(4, 4) == "HEAD") return GadgetDialect{true, big};
        // A short file shows only the first of both marks.
        constexpr std::size_t kEnd = kMarkBytes + kGadgetHeaderBytes;
        if (head.size() >= 4 && word(0, big) == kGadgetHeaderBytes &&
            (head.size() < kEnd + kMarkBytes || word(kEnd, big) == kGadgetHeaderBytes))
            return GadgetDialect{false, big};
    }
    return std::nullopt;
}

class GadgetBinaryReader {
public:
    GadgetBinaryReader(const Source& source, const ReadOptions& options, GadgetDialect dialect)
        : source_(source), options_(options), named_(dialect.named), big_(dialect.bigEndian), size_(*source.size()) {}

    Snapshot read() {
        readHeader();
        std::uint64_t count = 0, listed = 0;
        for (std::size_t type = 0; type < kGadgetTypes; ++type) {
            count += header_.counts[type];
            if (header_.masses[type] == 0) listed += header_.counts[type];
        }
        if (count > options_.maxBodies)
            fail("holds more than the " + std::to_string(options_.maxBodies) + " bodies allowed");
        // Positions alone need 12 bytes per body.
        if (count > size_ / 12)
            fail("its header counts " + std::to_string(count) + " bodies, which need " + std::to_string(12 * count) +
                 " bytes, but it has " + std::to_string(size_) + ": cut short?");
        findRecords(count, listed);
        BodyCollector bodies(source_.name(), options_, false);
        bodies.expect(count);
        readBodies(bodies);

        Snapshot snapshot;
        bodies.finish(snapshot, ids_.has_value(), true);
        snapshot.time = header_.time;
        snapshot.knowsVelocities = velocities_.has_value();
        if (!velocities_) snapshot.notes.push_back("no velocities: the bodies start at rest");
        if (massesDiffer_) snapshot.notes.push_back("has a block MASS beside other masses in its header: the block is used");
        if (header_.redshift != 0)
            snapshot.notes.push_back("a cosmological snapshot: comoving lengths and velocities are not converted");
        convertUnits(snapshot, options_, std::nullopt, source_.name(), options_.ignoreHubble ? 1 : header_.hubble);
        return snapshot;
    }

private:
    [[noreturn]] void fail(const std::string& text) const { throw InputError(source_.name() + ": " + text); }

    const char* kind() const { return named_ ? "Gadget-2 binary" : "Gadget-1 binary"; }

    void bytesAt(std::uint64_t place, void* to, std::size_t count) const {
        if (source_.readAt(place, to, count) != count)
            fail("ends at byte " + std::to_string(size_) + ", inside the data at byte " + std::to_string(place) +
                 " of this " + kind() + ": cut short?");
    }
    std::uint32_t wordAt(std::uint64_t place) const {
        char bytes[kMarkBytes];
        bytesAt(place, bytes, sizeof bytes);
        return loaded<std::uint32_t, std::uint32_t>(bytes, big_);
    }

    /// Passes the next record's name in format 2, and gives the place of its first mark.
    std::uint64_t nextMark(std::string& name) {
        if (named_) {
            if (wordAt(at_) != 8 || wordAt(at_ + 12) != 8)
                fail("byte " + std::to_string(at_) + ": expected the name of a block");
            char letters[4];
            bytesAt(at_ + kMarkBytes, letters, sizeof letters);
            name.assign(letters, sizeof letters);
            at_ += kNameRecordBytes;
        }
        return at_;
    }
    /// A record whose data have that length. Marks have 32 bits: of a longer record they are the lower bits.
    GadgetRecord taken(std::uint64_t mark, std::uint64_t bytes, const std::string& what) {
        const auto expected = static_cast<std::uint32_t>(bytes);
        const std::uint64_t needed = bytes + 2 * kMarkBytes;
        if (needed > size_ - std::min(size_, mark))
            fail("byte " + std::to_string(mark) + ": " + what + " of this " + kind() + " need " + std::to_string(needed) +
                 " bytes, and " + std::to_string(size_ - std::min(size_, mark)) + " follow: cut short?");
        for (const std::uint64_t place : {mark, mark + kMarkBytes + bytes})
            if (wordAt(place) != expected)
                fail("byte " + std::to_string(place) + ": " + what + " have " + std::to_string(bytes) +
                     " bytes by the header's counts, and " + std::to_string(wordAt(place)) + " by the mark of their record");
        at_ = mark + needed;
        return {.begin = mark + kMarkBytes, .bytes = bytes};
    }
    /// A record of `count` numbers that have 4 or 8 bytes each.
    GadgetRecord numbers(std::uint64_t mark, std::uint64_t count, const std::string& what) {
        const bool wide = count > 0 && wordAt(mark) == static_cast<std::uint32_t>(8 * count);
        GadgetRecord record = taken(mark, (wide ? 8 : 4) * count, what);
        record.width = wide ? 8 : 4;
        return record;
    }

    void readHeader() {
        std::string name = "HEAD";
        const std::uint64_t mark = nextMark(name);
        char bytes[kGadgetHeaderBytes];
        const GadgetRecord record = taken(mark, kGadgetHeaderBytes, "the header's data");
        bytesAt(record.begin, bytes, sizeof bytes);
        const auto whole = [&](std::size_t at) { return loaded<std::uint32_t, std::uint32_t>(bytes + at, big_); };
        const auto number = [&](std::size_t at) { return loaded<double, std::uint64_t>(bytes + at, big_); };
        for (std::size_t type = 0; type < kGadgetTypes; ++type) {
            header_.counts[type] = whole(4 * type);
            header_.masses[type] = number(24 + 8 * type);
            header_.totals[type] = whole(96 + 4 * type);
            if (header_.counts[type] > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
                fail("the header's count of type " + std::to_string(type) + " is below 0");
            if (!std::isfinite(header_.masses[type]))
                fail("the header's mass of type " + std::to_string(type) + " is not a finite number");
        }
        header_.time = number(72);
        header_.redshift = number(80);
        header_.files = static_cast<std::int32_t>(whole(124));
        header_.hubble = number(152);
        if (!std::isfinite(header_.time)) fail("the header's time is not a finite number");
        if (!std::isfinite(header_.hubble) || header_.hubble < 0) fail("its HubbleParam is below 0 or not finite");
        if (header_.hubble == 0) header_.hubble = 1;
        if (header_.files > 1)
            fail("is one of " + std::to_string(header_.files) +
                 " files of a snapshot; several files are read as Gadget HDF5 only: convert them first");
    }

    /// The masses that the header lacks, or those of all bodies.
    GadgetRecord massesOf(std::uint64_t mark, std::uint64_t count, std::uint64_t listed) {
        const std::uint32_t bytes = wordAt(mark);
        allMasses_ = listed != count &&
                     (bytes == static_cast<std::uint32_t>(4 * count) || bytes == static_cast<std::uint32_t>(8 * count)) &&
                     bytes != static_cast<std::uint32_t>(4 * listed) && bytes != static_cast<std::uint32_t>(8 * listed);
        return numbers(mark, allMasses_ ? count : listed, "the masses");
    }

    void findRecords(std::uint64_t count, std::uint64_t listed) {
        std::string name;
        if (!named_) {
            positions_ = numbers(nextMark(name), 3 * count, "the positions");
            velocities_ = numbers(nextMark(name), 3 * count, "the velocities");
            ids_ = numbers(nextMark(name), count, "the ids");
            if (listed > 0) masses_ = numbers(nextMark(name), listed, "the masses");
            return;  // internal energies, densities and the like follow
        }
        while (at_ < size_) {
            const std::uint64_t mark = nextMark(name);
            if (name == "POS ")
                positions_ = numbers(mark, 3 * count, "the positions");
            else if (name == "VEL ")
                velocities_ = numbers(mark, 3 * count, "the velocities");
            else if (name == "ID  ")
                ids_ = numbers(mark, count, "the ids");
            else if (name == "MASS")
                masses_ = massesOf(mark, count, listed);
            else
                taken(mark, wordAt(mark), "the data of block " + excerpt(name));
        }
        if (!positions_) fail("has no block POS: no positions");
        if (listed > 0 && !masses_) fail("has no block MASS, and no mass in its header");
    }

    /// The numbers [first, first + count) of a record.
    template <class Narrow, class Wide>
    void load(const std::optional<GadgetRecord>& record, std::uint64_t first, std::size_t count, std::vector<Wide>& to) {
        to.assign(count, 0);
        if (!record || count == 0) return;
        block_.resize(count * record->width);
        bytesAt(record->begin + first * record->width, block_.data(), block_.size());
        for (std::size_t i = 0; i < count; ++i)
            to[i] = record->width == 8 ? loaded<Wide, std::uint64_t>(block_.data() + 8 * i, big_)
                                       : static_cast<Wide>(loaded<Narrow, std::uint32_t>(block_.data() + 4 * i, big_));
    }

    void readBodies(BodyCollector& bodies) {
        std::vector<double> places, speeds, masses;
        std::vector<std::uint64_t> ids;
        std::uint64_t first = 0, firstListed = 0;
        for (std::size_t type = 0; type < kGadgetTypes; ++type) {
            const bool listed = allMasses_ || header_.masses[type] == 0;
            for (std::uint64_t done = 0; done < header_.counts[type];) {
                const auto rows =
                    static_cast<std::size_t>(std::min<std::uint64_t>(kGadgetRows, header_.counts[type] - done));
                load<float>(positions_, 3 * first, 3 * rows, places);
                load<float>(velocities_, 3 * first, 3 * rows, speeds);
                load<std::uint32_t>(ids_, first, rows, ids);
                if (listed) load<float>(masses_, firstListed, rows, masses);
                for (std::size_t i = 0; i < rows; ++i) {
                    BodyRow row;
                    row.x = places[3 * i], row.y = places[3 * i + 1], row.z = places[3 * i + 2];
                    row.vx = speeds[3 * i], row.vy = speeds[3 * i + 1], row.vz = speeds[3 * i + 2];
                    row.mass = listed ? masses[i] : header_.masses[type];
                    massesDiffer_ |= header_.masses[type] != 0 &&
                                     static_cast<float>(row.mass) != static_cast<float>(header_.masses[type]);
                    row.id = ids[i];
                    row.group = static_cast<std::uint8_t>(type);
                    bodies.add(row, [&] { return "type " + std::to_string(type) + " row " + std::to_string(done + i); });
                }
                done += rows;
                first += rows;
                if (listed) firstListed += rows;
            }
        }
    }

    const Source& source_;
    const ReadOptions& options_;
    bool named_, big_;
    bool allMasses_ = false, massesDiffer_ = false;  ///< of the block of masses and the header's table
    std::uint64_t size_, at_ = 0;
    GadgetHeader header_;
    std::optional<GadgetRecord> positions_, velocities_, ids_, masses_;
    std::vector<char> block_;
};

/// Writes records, with their names in format 2.
class GadgetBinaryWriter {
public:
    GadgetBinaryWriter(ByteSink& sink, bool named) : sink_(sink), named_(named) {}

    /// `fill(body, block)` appends the data of one body.
    template <class Fill>
    void record(const char* name, std::size_t bodies, std::size_t bytesPerBody, Fill fill) {
        const std::uint64_t bytes = static_cast<std::uint64_t>(bodies) * bytesPerBody;
        // Marks of longer records would lose their upper bits, which other readers do not expect.
        if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
            throw IoError("a Gadget binary has at most 2 GiB in a record: write .hdf5 instead");
        std::string block;
        const auto mark = [&](std::uint64_t value) {
            append<std::uint32_t>(block, static_cast<std::uint32_t>(value), false);
        };
        if (named_) {
            mark(8);
            block += name;
            mark(bytes + 2 * kMarkBytes);
            mark(8);
        }
        mark(bytes);
        for (std::size_t body = 0; body < bodies; ++body) {
            fill(body, block);
            if (body % kGadgetRows != kGadgetRows - 1) continue;
            sink_.write(block);
            block.clear();
        }
        mark(bytes);
        sink_.write(block);
    }

private:
    ByteSink& sink_;
    bool named_;
};

void writeGadgetBinary(ByteSink& sink, const Snapshot& snapshot, bool named) {
    const ParticleSet& bodies = snapshot.bodies;
    const std::size_t count = bodies.size();
    const double mass = bodies.position.front().w;
    const bool equal =
        mass != 0 && std::ranges::all_of(bodies.position, [&](const Double4& body) { return body.w == mass; });
    GadgetBinaryWriter writer(sink, named);
    writer.record("HEAD", 1, kGadgetHeaderBytes, [&](std::size_t, std::string& block) {
        const std::size_t begin = block.size();
        const auto whole = [&](std::uint64_t value) {
            append<std::uint32_t>(block, static_cast<std::uint32_t>(value), false);
        };
        const auto number = [&](double value) { append<std::uint64_t>(block, value, false); };
        for (std::size_t type = 0; type < kGadgetTypes; ++type) whole(type == kGadgetHalo ? count : 0);
        for (std::size_t type = 0; type < kGadgetTypes; ++type) number(type == kGadgetHalo && equal ? mass : 0);
        number(snapshot.time.value_or(0));
        number(0);           // redshift
        whole(0), whole(0);  // star formation, feedback
        for (std::size_t type = 0; type < kGadgetTypes; ++type) whole(type == kGadgetHalo ? count : 0);
        whole(0), whole(1);                                    // cooling, files
        for (int unused = 0; unused < 3; ++unused) number(0);  // size of the box, densities of the universe
        number(1);                                             // HubbleParam
        block.resize(begin + kGadgetHeaderBytes, '\0');
    });
    const auto narrow = [&](double value, std::size_t body, std::string& block) {
        append<std::uint32_t>(block, narrowed(value, body, "Gadget"), false);
    };
    const auto vectors = [&](const std::vector<Double4>& all) {
        return [&](std::size_t body, std::string& block) {
            for (const double value : {all[body].x, all[body].y, all[body].z}) narrow(value, body, block);
        };
    };
    writer.record("POS ", count, 12, vectors(bodies.position));
    writer.record("VEL ", count, 12, vectors(bodies.velocity));
    writer.record("ID  ", count, 4,
                  [&](std::size_t body, std::string& block) { append<std::uint32_t>(block, bodies.id[body], false); });
    if (!equal)
        writer.record("MASS", count, 4,
                      [&](std::size_t body, std::string& block) { narrow(bodies.position[body].w, body, block); });
}

}  // namespace

bool looksLikeGadgetBinary(const Source& source) {
    if (!gadgetDialectOf(source.head())) return false;
    // A cut file shows one mark only, with which a tipsy file may begin by chance.
    return source.head().size() > kGadgetHeaderBytes + 2 * kMarkBytes || !looksLikeTipsy(source);
}

Snapshot readGadgetBinary(Source& source, const ReadOptions& options) {
    if (!source.size())
        throw InputError(source.name() + ": a Gadget binary cannot come through a pipe; give the file's name");
    return GadgetBinaryReader(source, options, gadgetDialectOf(source.head()).value()).read();
}

void writeGadget1(ByteSink& sink, const Snapshot& snapshot) { writeGadgetBinary(sink, snapshot, false); }
void writeGadget2(ByteSink& sink, const Snapshot& snapshot) { writeGadgetBinary(sink, snapshot, true); }

}  // namespace gravlab
