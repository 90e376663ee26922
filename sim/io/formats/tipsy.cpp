// Tipsy binary: a header, then gas, dark and star records of 32-bit floats. The reader accepts either byte order and either
// header; the writer uses the standard form (big-endian, 32-byte header, dark records). Rule: the counts must give the
// file's size exactly before anything is allocated.
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
#include <limits>

namespace gravlab {
namespace {

/// A kind of record, in the order of the file. All kinds begin with mass, position, velocity.
struct Record {
    const char* name;
    std::size_t floats;
    std::size_t softening;  ///< index of its softening; 0: none
};
constexpr std::array<Record, 3> kRecords{{{"gas", 12, 9}, {"dark", 9, 7}, {"star", 11, 9}}};
constexpr std::size_t kDark = 1;

constexpr std::size_t kShortHeader = 28, kLongHeader = 32;
constexpr std::size_t kRowsAtOnce = 4096;
constexpr std::uint32_t kVersionWithIds = 2;  // of Bonsai, in place of the padding: an id replaces softening and potential

struct TipsyHeader {
    double time = 0;
    std::int32_t bodies = 0, dimensions = 0;
    std::array<std::int32_t, 3> counts{};
    bool bigEndian = false;

    bool plausible() const {
        std::int64_t sum = 0;
        for (std::int32_t count : counts) {
            if (count < 0) return false;
            sum += count;
        }
        return dimensions == 3 && sum == bodies;
    }
    /// Bytes of all records. Three counts below 2^31 times 48 cannot overflow.
    std::uint64_t recordBytes() const {
        std::uint64_t bytes = 0;
        for (std::size_t kind = 0; kind < kRecords.size(); ++kind)
            bytes += static_cast<std::uint64_t>(counts[kind]) * kRecords[kind].floats * sizeof(float);
        return bytes;
    }
};

TipsyHeader headerOf(std::string_view bytes, bool bigEndian) {
    const auto whole = [&](std::size_t at) { return loaded<std::int32_t, std::uint32_t>(bytes.data() + at, bigEndian); };
    TipsyHeader header{.time = loaded<double, std::uint64_t>(bytes.data(), bigEndian),
                       .bodies = whole(8),
                       .dimensions = whole(12),
                       .counts = {whole(16), whole(20), whole(24)},
                       .bigEndian = bigEndian};
    return header;
}

std::optional<TipsyHeader> plausibleHeader(std::string_view bytes) {
    if (bytes.size() < kShortHeader) return std::nullopt;
    for (bool bigEndian : {true, false})
        if (const TipsyHeader header = headerOf(bytes, bigEndian); header.plausible()) return header;
    return std::nullopt;
}

class RecordReader {
public:
    RecordReader(Source& source, BodyCollector& bodies, bool bigEndian, bool ids)
        : source_(source), bodies_(bodies), bigEndian_(bigEndian), ids_(ids) {}

    void read(std::size_t kind, std::size_t count) {
        const Record& record = kRecords[kind];
        const std::size_t bytes = record.floats * sizeof(float);
        block_.resize(std::min(count, kRowsAtOnce) * bytes);
        for (std::size_t done = 0; done < count;) {
            const std::size_t rows = std::min(count - done, kRowsAtOnce);
            const std::uint64_t start = source_.offset();
            if (source_.read(block_.data(), rows * bytes) != rows * bytes)
                throw InputError(source_.name() + ": ends at byte " + std::to_string(source_.offset()) + ", inside its " +
                                 record.name + " bodies: it changed while it was read");
            for (std::size_t i = 0; i < rows; ++i) take(block_.data() + i * bytes, record, kind, start + i * bytes);
            done += rows;
        }
    }

    /// The common softening of all bodies; empty when they differ.
    std::optional<double> sharedSoftening() const {
        if (softeningsDiffer_ || !(softening_ >= 0) || !std::isfinite(softening_)) return std::nullopt;
        return static_cast<double>(softening_);
    }

private:
    void take(const char* from, const Record& record, std::size_t kind, std::uint64_t byte) {
        const auto number = [&](std::size_t i) {
            return loaded<float, std::uint32_t>(from + i * sizeof(float), bigEndian_);
        };
        BodyRow row{.mass = number(0)};
        row.x = number(1), row.y = number(2), row.z = number(3);
        row.vx = number(4), row.vy = number(5), row.vz = number(6);
        row.group = static_cast<std::uint8_t>(kind);
        // Gas has the potential elsewhere.
        if (ids_ && record.softening + 2 == record.floats)
            row.id = loaded<std::uint64_t, std::uint64_t>(from + record.softening * sizeof(float), bigEndian_);
        const float softening = number(record.softening);
        if (bodies_.seen() == 0) softening_ = softening;
        softeningsDiffer_ |= !(softening == softening_);
        bodies_.add(row, [&] { return "byte " + std::to_string(byte) + " (" + record.name + ")"; });
    }

    Source& source_;
    BodyCollector& bodies_;
    bool bigEndian_, ids_;
    std::vector<char> block_;
    float softening_ = 0;
    bool softeningsDiffer_ = false;
};

}  // namespace

bool looksLikeTipsy(const Source& source) { return plausibleHeader(source.head()).has_value(); }

Snapshot readTipsy(Source& source, const ReadOptions& options) {
    const TipsyHeader header = plausibleHeader(source.head()).value();
    if (!source.size())
        throw InputError(source.name() + ": tipsy is binary and cannot come through a pipe; give the file's name");
    const std::uint64_t needed = header.recordBytes();
    const std::uint64_t size = *source.size();
    if (size != needed + kShortHeader && size != needed + kLongHeader)
        throw InputError(source.name() + ": its tipsy header counts " + std::to_string(header.bodies) +
                         " bodies, which make " + std::to_string(needed + kShortHeader) + " or " +
                         std::to_string(needed + kLongHeader) + " bytes, but it has " + std::to_string(size) +
                         (size < needed ? ": cut short?" : ""));
    // A padded header whose file lost its last four bytes is as long as one without padding. Padding is zero; without
    // padding the mass stands there, which is not.
    constexpr std::string_view kPadding("\0\0\0\0", kLongHeader - kShortHeader);
    if (size == needed + kShortHeader && source.head().substr(kShortHeader).starts_with(kPadding))
        throw InputError(source.name() +
                         ": is four bytes short of its records and the padding of its header: cut short? (With a "
                         "28-byte header the first body may not have mass 0)");
    if (!std::isfinite(header.time)) throw InputError(source.name() + ": byte 0: the time is not a finite number");

    BodyCollector bodies(source.name(), options, false);
    bodies.expect(static_cast<std::uint64_t>(header.bodies));
    char skipped[kLongHeader];
    (void)source.read(skipped, size - needed);
    const bool ids = size == needed + kLongHeader &&
                     loaded<std::uint32_t, std::uint32_t>(skipped + kShortHeader, header.bigEndian) == kVersionWithIds;
    RecordReader reader(source, bodies, header.bigEndian, ids);
    for (std::size_t kind = 0; kind < kRecords.size(); ++kind)
        reader.read(kind, static_cast<std::size_t>(header.counts[kind]));

    Snapshot snapshot;
    bodies.finish(snapshot, ids, true);
    snapshot.time = header.time;
    if (!ids) snapshot.softening = reader.sharedSoftening();
    if (!ids && !snapshot.softening) snapshot.notes.push_back("the bodies have softenings of their own, which are not used");
    convertUnits(snapshot, options, std::nullopt, source.name());
    return snapshot;
}

void writeTipsy(ByteSink& sink, const Snapshot& snapshot) {
    const ParticleSet& bodies = snapshot.bodies;
    if (bodies.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw IoError("tipsy counts bodies in 31 bits: write .hdf5 instead");
    const auto count = static_cast<std::uint32_t>(bodies.size());
    std::string block;
    append<std::uint64_t>(block, snapshot.time.value_or(0), true);
    for (std::uint32_t word : {count, 3u, 0u, count, 0u, 0u}) append<std::uint32_t>(block, word, true);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4& p = bodies.position[i];
        const Double4& v = bodies.velocity[i];
        for (double value : {p.w, p.x, p.y, p.z, v.x, v.y, v.z, snapshot.softening.value_or(0), 0.0})
            append<std::uint32_t>(block, narrowed(value, i, "tipsy"), true);
        if (i % kRowsAtOnce == kRowsAtOnce - 1) {
            sink.write(block);
            block.clear();
        }
    }
    sink.write(block);
}

}  // namespace gravlab
