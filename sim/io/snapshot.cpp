// The table of formats, detection by content, and the two public functions: read and write.
#include "sim/io/snapshot.h"

#include "sim/api/errors.h"
#include "sim/core/bad_bodies.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/formats.h"
#include "sim/io/shared_bodies.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <set>
#include <stdexcept>

namespace gravlab {
namespace {

using namespace std::string_view_literals;

Reason always() { return {}; }

constexpr std::string_view kHdf5Extensions[] = {".hdf5", ".h5"};
constexpr std::string_view kGadgetExtensions[] = {".gadget", ".gadget2"};
constexpr std::string_view kGadget1Extensions[] = {".gadget1"};
constexpr std::string_view kTipsyExtensions[] = {".tipsy", ".bin", ".std"};
constexpr std::string_view kNpyExtensions[] = {".npy"};
constexpr std::string_view kPlyExtensions[] = {".ply"};
constexpr std::string_view kElementExtensions[] = {".mpcorb"};
constexpr std::string_view kHorizonsExtensions[] = {".horizons"};
constexpr std::string_view kCsvExtensions[] = {".csv"};
constexpr std::string_view kTabExtensions[] = {".tab", ".txt", ".dat"};

// Binary formats first: they have marks, and everything else is a table. One reader reads all tables, and one all Gadget
// binaries: only one row claims a file.
constexpr FileFormat kFormats[] = {
    {"hdf5", "Gadget-style HDF5; as written here also the checkpoint: exact, with clock, seed and settings", kHdf5Extensions,
     false, looksLikeHdf5, hdf5Unavailable, readGadget, writeGadget, kKeepsAll},
    {"gadget", "Gadget-2 binary; formats 1 and 2 are read in either byte order, 2 is written little-endian",
     kGadgetExtensions, false, looksLikeGadgetBinary, always, readGadgetBinary, writeGadget2, kKeepsTime | kKeepsIds},
    {"gadget1", "Gadget-1 binary, which is written without the names of its blocks", kGadget1Extensions, false,
     looksLikeGadgetBinary, always, readGadgetBinary, writeGadget1, kKeepsTime | kKeepsIds},
    {"tipsy", "tipsy binary, 32-bit floats; either byte order and header size is read, standard big-endian written",
     kTipsyExtensions, false, looksLikeTipsy, always, readTipsy, writeTipsy, kKeepsTime | kKeepsSoftening},
    {"npy", "array of NumPy with a row per body: x y z, then vx vy vz, or m before these; read only", kNpyExtensions, false,
     looksLikeNpy, always, readNpy, nullptr},
    {"ply", "binary point cloud for Blender, MeshLab and ParaView; write only", kPlyExtensions, false, looksLikePly, always,
     nullptr, writePly, kKeepsGroups},
    {"elements",
     "orbits about the Sun: lines of the Minor Planet Center's MPCORB or of XEphem, or JPL's table of small bodies; read "
     "only",
     kElementExtensions, true, looksLikeElements, always, readElements, nullptr},
    {"horizons", "vector tables of JPL Horizons, one or several bodies about the Sun; read only", kHorizonsExtensions, true,
     looksLikeHorizons, always, readHorizons, nullptr},
    {"csv", "text table with a header line; also read with blanks, units or --columns", kCsvExtensions, true, looksLikeTable,
     always, readTable, writeCsv, kKeepsIds | kKeepsResponse | kKeepsDoubles | kKeepsNames | kKeepsUnits | kKeepsSurfaces},
    {"tab", "text table without a header: m x y z vx vy vz", kTabExtensions, true, looksLikeTable, always, readTable,
     writeTab, kKeepsDoubles | kKeepsUnits},
};

/// Memory that a client shares. It has no extension, and no list has it.
constexpr FileFormat kShared{
    kSharedFormat, "bodies in memory that a client shares", {}, false, looksShared, always, readSharedFile, nullptr};

// Other files that people drop on the program, and advice for each.
struct OtherFile {
    std::string_view magic;
    std::string_view advice;
};
constexpr OtherFile kOthers[] = {
    {"\x1f\x8b"sv, "is compressed with gzip twice: unpack it first"},
    {"\x28\xb5\x2f\xfd"sv, "is compressed with zstd: unpack it first"},
    {"\xfd\x37zXZ"sv, "is compressed with xz: unpack it first"},
    {"BZh"sv, "is compressed with bzip2: unpack it first"},
    {"PK\x03\x04"sv, "is a zip archive (or a spreadsheet): unpack it, or export the sheet as CSV"},
    {"SIMPLE  ="sv, "is a FITS file: convert it to a table or to Gadget HDF5 first"},
    {"\xff\xfe"sv, "is UTF-16 text: save it as UTF-8"},
    {"\xfe\xff"sv, "is UTF-16 text: save it as UTF-8"},
    {"\x89PNG"sv, "is a picture"},
    {"\x7f"
     "ELF"sv,
     "is a program"},
};

const FileFormat& detected(const Source& source) {
    if (source.head().empty()) throw InputError(source.name() + ": is empty");
    // The marks of other files come before the formats: two bytes of a packed file may resemble anything.
    for (const OtherFile& other : kOthers)
        if (source.head().starts_with(other.magic) && !looksLikeTipsy(source))
            throw InputError(source.name() + ": " + std::string(other.advice));
    for (const FileFormat& format : kFormats) {
        if (!format.detect(source)) continue;
        if (source.packed() && !format.text)
            throw InputError(source.name() + ": is " + std::string(format.name) +
                             " packed with gzip; only tables are read packed: unpack it first");
        if (!format.read) throw InputError(source.name() + ": is " + std::string(format.name) + ", which is only written");
        if (const Reason reason = format.unavailable(); !reason.empty()) throw InputError(source.name() + ": " + reason);
        return format;
    }
    const auto readable = [](const FileFormat& format) { return format.read ? format.name : std::string_view(); };
    throw InputError(source.name() + ": is none of the formats that can be read (" + joined(kFormats, readable) + ")");
}

Snapshot readFrom(Source& source, const ReadOptions& options) {
    const FileFormat& format = kShared.detect(source) ? kShared : detected(source);
    if (!options.columns.empty() && !format.text)
        throw UsageError("--columns is for tables; " + source.name() + " is " + std::string(format.name));
    try {
        Snapshot snapshot = format.read(source, options);
        snapshot.format = format.name;
        if (options.parts && snapshot.bodies.size() > 0) options.parts(snapshot, 0);
        return snapshot;
    } catch (const std::bad_alloc&) {
        throw InputError(source.name() + ": its bodies do not fit into memory");
    }
}

std::string lowerExtension(const std::filesystem::path& path) { return inLowerCase(path.extension().string()); }

bool owns(const FileFormat& format, std::string_view extension) {
    return std::ranges::find(format.extensions, extension) != format.extensions.end();
}

/// Errors of the program, not of the user.
void checkConsistent(const FileFormat& format, const Snapshot& snapshot) {
    const ParticleSet& bodies = snapshot.bodies;
    const std::size_t n = bodies.size();
    if (snapshot.pieces && format.keeps != kKeepsAll) throw std::logic_error("only hdf5 is written in pieces");
    if (bodies.velocity.size() != n || bodies.id.size() != n || bodies.group.size() != n ||
        (!bodies.surface.empty() && bodies.surface.size() != n))
        throw std::logic_error("the arrays of a ParticleSet differ in length");
    if (snapshot.settings.size() > kMostTextBytes || snapshot.units.size() > kMostTextBytes)
        throw std::logic_error("settings or units of a snapshot are longer than a megabyte");
    if (snapshot.state.size() > kMostStateArrays) throw std::logic_error("a snapshot has too many state arrays");
    std::set<std::string_view> names;
    for (const StateArray& array : snapshot.state)
        if (!goodStateName(array.name) || !names.insert(array.name).second)
            throw std::logic_error("a state array has a bad or doubled name: " + excerpt(array.name));
}

/// Refuses states that a format cannot hold. Never write a file that the reader would refuse.
void checkWritable(const FileFormat& format, const Snapshot& snapshot) {
    if (!format.write) throw UsageError(std::string(format.name) + " can only be read");
    if (const Reason reason = format.unavailable(); !reason.empty()) throw UsageError(reason);
    if (snapshot.size() == 0) throw UsageError("there are no bodies to write");
    checkConsistent(format, snapshot);
    for (const std::optional<double>& value : {snapshot.time, snapshot.timeStep, snapshot.timeOrigin, snapshot.softening})
        if (value && !std::isfinite(*value)) throw IoError("not saved: its time, time step or softening is not finite");
    snapshot.source().overParts(kReadPositions | kReadVelocities, [](const ParticleSet& bodies, std::size_t first) {
        const std::size_t bad = firstBad(bodies.size(), [&](std::size_t i) {
            const Double4 &p = bodies.position[i], &v = bodies.velocity[i];
            return !(0 * p.x + 0 * p.y + 0 * p.z + 0 * p.w + 0 * v.x + 0 * v.y + 0 * v.z + 0 * v.w == 0);
        });
        if (bad < bodies.size())
            throw IoError("not saved: body " + std::to_string(first + bad) + " holds a number that is not finite");
    });
    for (const Surface& s : snapshot.bodies.surface)
        if (!(0 * s.radius + 0 * s.spin.x + 0 * s.spin.y + 0 * s.spin.z == 0))
            throw IoError("not saved: a radius or spin is not finite");
    for (const StateArray& array : snapshot.state)
        if (firstBad(array.values.size(), [&](std::size_t i) { return !std::isfinite(array.values[i]); }) <
            array.values.size())
            throw IoError("not saved: the state " + array.name + " holds a number that is not finite");
}

/// Throws UsageError for a format that this build lacks.
const FileFormat& formatFor(const std::filesystem::path& path, const WriteOptions& options = {}) {
    const FileFormat& format = options.format.empty() ? formatForWriting(path) : fileFormat(options.format);
    if (const Reason reason = format.unavailable(); !reason.empty()) throw UsageError(reason);
    return format;
}

void writeTo(AtomicFile& file, const FileFormat& format, const std::filesystem::path& path, const Snapshot& snapshot) {
    try {
        format.write(file, snapshot);
    } catch (const std::bad_alloc&) {
        throw IoError("cannot save '" + path.string() + "': not enough memory to prepare it");
    }
}

}  // namespace

bool goodStateName(std::string_view name) {
    constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    return !name.empty() && name.size() <= kMostStateNameBytes && name.find_first_not_of('.') != std::string_view::npos &&
           name.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::span<const FileFormat> fileFormats() { return kFormats; }

const FileFormat& fileFormat(std::string_view name) { return findRow(fileFormats(), "file format", name); }

const FileFormat& formatForWriting(const std::filesystem::path& path) {
    if (path == "-") return fileFormat("csv");
    const std::string extension = lowerExtension(path);
    std::string valid;
    for (const FileFormat& format : kFormats) {
        if (!format.write) continue;
        if (owns(format, extension)) return format;
        addTo(valid, format.extensions.front());
    }
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    using enum std::filesystem::file_type;
    if (kind == fifo || kind == character || kind == socket) return fileFormat("csv");
    throw UsageError("cannot write '" + path.string() + "': the extension decides the format; valid: " + valid);
}

bool hasSnapshotExtension(const std::filesystem::path& path) {
    const std::string extension = lowerExtension(path);
    const bool packed = extension == ".gz";
    const std::string inner = packed ? lowerExtension(path.stem()) : extension;
    return std::ranges::any_of(
        kFormats, [&](const FileFormat& format) { return format.read && (format.text || !packed) && owns(format, inner); });
}

std::vector<std::string> termKindsIn(std::span<const StateArray> arrays) {
    std::vector<std::string> found;
    for (const StateArray& array : arrays) {
        if (!array.name.starts_with("term.") || std::ranges::count(array.name, '.') != 2) continue;
        const std::string kind = array.name.substr(array.name.rfind('.') + 1);
        if (std::ranges::find(found, kind) == found.end()) found.push_back(kind);
    }
    return found;
}

std::vector<std::string> lostIn(const FileFormat& format, const Snapshot& snapshot) {
    std::vector<std::string> lost;
    const auto without = [&](Keeps what) { return (format.keeps & what) == 0; };
    const ParticleSet& bodies = snapshot.bodies;
    std::size_t plainIds = 0, rounded = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) plainIds += bodies.id[i] == i;
    if (without(kKeepsIds) && plainIds < bodies.size()) lost.push_back("the ids");
    if (without(kKeepsGroups) && std::ranges::any_of(bodies.group, [](auto g) { return g != 0; }))
        lost.push_back("the groups");
    if (without(kKeepsResponse) && std::ranges::any_of(bodies.velocity, [](const Double4& v) { return v.w != 1; }))
        lost.push_back("the responses (charge over mass, or held bodies)");
    if (without(kKeepsSurfaces) && !bodies.surface.empty()) lost.push_back("the radii and spins");
    if (without(kKeepsTime) && snapshot.time.value_or(0) != 0) lost.push_back("the time");
    if (without(kKeepsSoftening) && snapshot.softening) lost.push_back("the softening");
    if (without(kKeepsClock) && (snapshot.step || snapshot.timeStep)) lost.push_back("step and time step");
    if (without(kKeepsClock) && snapshot.seed) lost.push_back("the seed");
    // Units of a scene exist only in words, so only this program's format keeps them.
    const bool inWords = !snapshot.fileUnits.named() && snapshot.fileUnits.plain();
    if (without(inWords ? kKeepsClock : kKeepsUnits) && !snapshot.units.empty() && snapshot.units != "G = 1")
        lost.push_back("the units");
    if (without(kKeepsNames) && !snapshot.names->empty()) lost.push_back("the names of bodies");
    if (without(kKeepsClock)) {
        for (const std::string& kind : termKindsIn(snapshot.state)) lost.push_back("the " + kind);
        const auto of = [](const StateArray& array, std::string_view prefix) { return array.name.starts_with(prefix); };
        const auto any = [&](auto is) { return std::ranges::any_of(snapshot.state, is); };
        if (any([&](const StateArray& array) { return of(array, "contact."); })) lost.push_back("the totals of contacts");
        if (any([&](const StateArray& array) { return !of(array, "contact.") && !of(array, "term."); }))
            lost.push_back("the state of the integrator");
    }
    if (without(kKeepsClock) && snapshot.isCheckpoint()) lost.push_back("the settings, so that no run can continue exactly");
    if (without(kKeepsDoubles)) {
        const auto narrows = [](double value) { return static_cast<double>(static_cast<float>(value)) != value; };
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const Double4 &p = bodies.position[i], &v = bodies.velocity[i];
            for (const double value : {p.x, p.y, p.z, p.w, v.x, v.y, v.z}) rounded += narrows(value);
        }
        if (rounded > 0) lost.push_back("the digits beyond 32-bit floats of " + std::to_string(rounded) + " numbers");
    }
    return lost;
}

Snapshot readSnapshot(const std::filesystem::path& path, const ReadOptions& options) {
    // A run may replace the file at any moment: then read the new file from its beginning.
    constexpr int kTries = 50;
    for (int attempt = 1;; ++attempt) {
        Source source = Source::open(path);
        source.hold();
        try {
            return readFrom(source, options);
        } catch (const InputError&) {
            if (attempt == kTries || !source.replaced()) throw;
        }
    }
}

void writeSnapshot(const std::filesystem::path& path, const Snapshot& snapshot, const WriteOptions& options) {
    const FileFormat& format = formatFor(path, options);
    checkWritable(format, snapshot);
    AtomicFile file(path, {.keepPrevious = options.keepPrevious, .mayReplaceRead = options.mayReplaceRead});
    writeTo(file, format, path, snapshot);
    file.commit();
}

PendingSnapshot::PendingSnapshot(const std::filesystem::path& path, const WriteOptions& options)
    : path_(path), format_(&formatFor(path, options)) {
    own_ = std::make_unique<AtomicFile>(
        path, AtomicOptions{.keepPrevious = options.keepPrevious, .mayReplaceRead = options.mayReplaceRead});
    file_ = own_.get();
}

PendingSnapshot::PendingSnapshot(const std::filesystem::path& path, OutputSet& outputs)
    : path_(path), format_(&formatFor(path)), file_(&outputs.add(path)) {}

PendingSnapshot::~PendingSnapshot() = default;
PendingSnapshot::PendingSnapshot(PendingSnapshot&&) noexcept = default;

void PendingSnapshot::write(const Snapshot& snapshot) {
    checkWritable(*format_, snapshot);
    writeTo(*file_, *format_, path_, snapshot);
    if (own_) own_->commit();
}

Snapshot decodeSnapshot(std::string_view bytes, const std::string& name, const ReadOptions& options) {
    Source source = Source::memory(bytes, name);
    return readFrom(source, options);
}

std::string encodeSnapshot(const Snapshot& snapshot, std::string_view format) {
    const FileFormat& row = fileFormat(format);
    checkWritable(row, snapshot);
    MemorySink sink;
    row.write(sink, snapshot);
    return sink.take();
}

}  // namespace gravlab
