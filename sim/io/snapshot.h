// Bodies in a file: the content of a snapshot, reading any known format, writing one. Rule: all or nothing. A read gives
// every body, checked, or throws; a write replaces the file as a whole or leaves it.
#pragma once
#include "sim/api/bodies.h"
#include "sim/backends/kernel.h"
#include "sim/core/body_names.h"
#include "sim/core/body_pieces.h"
#include "sim/core/file_units.h"
#include "sim/core/particles.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

class AtomicFile;
class OutputSet;
class ByteSink;
class Source;

/// A state of a run, G = 1. An empty optional or string: the file did not state it. A checkpoint is a snapshot with known
/// settings; only the hdf5 format keeps all of it, bit for bit.
struct Snapshot {
    ParticleSet bodies;
    BodyPieces* pieces = nullptr;  ///< read in their place by a writer of hdf5; outlives the snapshot
    BodySource source() const { return {bodies, pieces}; }
    std::size_t size() const { return source().size(); }
    std::optional<std::int64_t> step;
    std::optional<double> time;              ///< [T]
    std::optional<double> timeStep;          ///< [T]
    std::optional<std::int64_t> stepOrigin;  ///< Clock::step0: the step of the last change of the time step
    std::optional<double> timeOrigin;        ///< Clock::t0 [T]
    std::optional<double> softening;         ///< [L]
    std::optional<std::uint64_t> seed;
    std::string settings;                   ///< TOML
    std::string units;                      ///< what one [L], [M] and [T] are, in words; for people
    FileUnits fileUnits;                    ///< of the file from which the bodies came; tables are written in them
    SharedBodyNames names = noBodyNames();  ///< of single bodies, by id
    std::vector<StateArray> state;          ///< for exact continuation; sorted by name when read
    bool signedSources = false;             ///< some sources may be negative (charges); a reader then needs no option for it

    // What reading found; writing ignores it.
    std::string format;              ///< name of the format of the file
    bool knowsVelocities = true;     ///< false: the file has none and the bodies are at rest
    bool knowsIds = false;           ///< false: numbered 0, 1, 2 ... in the order of the file
    bool knowsGroups = false;        ///< false: all 0
    std::vector<std::string> notes;  ///< sentences for the user: what was assumed, converted or dropped

    bool isCheckpoint() const { return !settings.empty(); }
};

struct ReadOptions {
    std::string columns = {};               ///< of a table, e.g. "x,y,z,vx,vy,vz,m"; "-" skips one; empty: from the file
    std::uint64_t maxBodies = 2147483647u;  ///< refuse more
    bool sanitize = false;                  ///< drop and count bodies with bad values instead of refusing the file
    bool allowSigns = false;             ///< accept negative sources: charges, or a file that is only inspected or converted
    std::string units = {};              ///< row of unitSystems() of the numbers; empty: as the file states, or G = 1
    std::optional<double> gravity = {};  ///< value of G in the file's own units; replaces `units`
    FilePart part = {};                  ///< the bodies to read
    bool ignoreHubble = false;           ///< Gadget's lengths and masses are not in units over HubbleParam
    std::string bonds = {};              ///< file with bonds between the bodies, see readBonds(); empty: none
    bool keepsState = true;              ///< false: state arrays are checked, and have names alone
    /// Takes the bodies in the order of the file, from number `first` on, some thousand at a time where the format has
    /// them; the snapshot then has ids alone. A part has the units of the snapshot; 0 begins anew.
    std::function<void(const Snapshot& part, std::uint64_t first)> parts = {};
};

struct WriteOptions {
    std::string format = {};      ///< name of a format; empty: by the extension ("-", the standard output: csv)
    bool keepPrevious = false;    ///< keep the replaced file as NAME_prev.EXT
    bool mayReplaceRead = false;  ///< a checkpoint may replace the file from which the run began
};

/// A row of the format table: all that command line, `list`, tests and documentation need.
struct FileFormat {
    std::string_view name;
    std::string_view idea;
    std::span<const std::string_view> extensions;   ///< with the dot, lower case; the first is the usual one
    bool text;                                      ///< can come through a pipe
    bool (*detect)(const Source&);                  ///< by the first bytes; also claims files that are cut or damaged
    Reason (*unavailable)();                        ///< why this build lacks the format; empty when it has it
    Snapshot (*read)(Source&, const ReadOptions&);  ///< null: write only
    void (*write)(ByteSink&, const Snapshot&);      ///< null: read only
    unsigned keeps = 0;                             ///< sum of Keeps: data that not every format keeps
};

/// Data that some formats cannot keep.
enum Keeps : unsigned {
    kKeepsIds = 1,
    kKeepsGroups = 2,
    kKeepsResponse = 4,
    kKeepsTime = 8,
    kKeepsClock = 16,
    kKeepsDoubles = 32,
    kKeepsNames = 64,
    kKeepsUnits = 128,
    kKeepsSurfaces = 256,
    kKeepsSoftening = 512
};
constexpr unsigned kKeepsAll = 1023;

/// The data of this state that the format would lose, one phrase each: "the ids", "3 numbers beyond 32-bit precision".
std::vector<std::string> lostIn(const FileFormat& format, const Snapshot& snapshot);

/// The kinds of force terms that have arrays among these, each once, in their order.
std::vector<std::string> termKindsIn(std::span<const StateArray> arrays);

/// All formats, in the order of detection.
std::span<const FileFormat> fileFormats();
/// The row with that name. Throws UsageError naming the valid ones and the nearest.
const FileFormat& fileFormat(std::string_view name);
/// The row that writes files with this extension; csv for "-" and for pipes and devices without a known one. Throws
/// UsageError naming the writable extensions.
const FileFormat& formatForWriting(const std::filesystem::path& path);
/// True when a readable format has the path's extension: for a dialog or a drop. Reading depends on content alone.
bool hasSnapshotExtension(const std::filesystem::path& path);

/// Reads a file of any known format, recognised by its content; "-" is the standard input (tables only). Checks counts
/// against the file's size before allocating, every number for being finite, masses for being >= 0, hdf5 checkpoints against
/// their check sum. Throws InputError naming the file, the byte or line and the body; UsageError for a bad option; IoError
/// when the disk fails. Memory is proportional to the file's real content, not to its stated counts. Any thread; calls that
/// use HDF5 wait for each other.
Snapshot readSnapshot(const std::filesystem::path& path, const ReadOptions& options = {});

/// Writes a file in the format of its extension, all or nothing (see AtomicFile). Throws UsageError for an unknown extension
/// or no bodies, IoError when it cannot be saved or the format cannot hold the numbers. Waits for the disk, so call it
/// beside the run. Any thread; calls that use HDF5 wait for each other.
void writeSnapshot(const std::filesystem::path& path, const Snapshot& snapshot, const WriteOptions& options = {});

/// A snapshot to be written later. Its file is opened now, so that a missing folder or an unwritable format is found before
/// hours of work. Until write() succeeds, the target is the old file.
class PendingSnapshot {
public:
    /// Throws UsageError or IoError like writeSnapshot.
    explicit PendingSnapshot(const std::filesystem::path& path, const WriteOptions& options = {});
    /// One of a set of outputs; the set commits it and must outlive this object.
    PendingSnapshot(const std::filesystem::path& path, OutputSet& outputs);
    ~PendingSnapshot();
    PendingSnapshot(PendingSnapshot&&) noexcept;
    const FileFormat& format() const { return *format_; }
    /// Writes the snapshot; call it once.
    void write(const Snapshot& snapshot);

private:
    std::filesystem::path path_;
    const FileFormat* format_;
    std::unique_ptr<AtomicFile> own_;
    AtomicFile* file_ = nullptr;
};

/// The same on memory; `name` is for messages.
Snapshot decodeSnapshot(std::string_view bytes, const std::string& name, const ReadOptions& options = {});
/// The bytes that writeSnapshot would write in the format of that name.
std::string encodeSnapshot(const Snapshot& snapshot, std::string_view format);

}  // namespace gravlab
