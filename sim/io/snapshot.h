// Bodies in a file: what a snapshot holds, reading one of any known format, writing one.
// Rule: all or nothing. A read either gives every body, checked, or throws; a write replaces the file as a whole or leaves
// it.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/core/body_names.h"
#include "sim/core/file_units.h"
#include "sim/core/particles.h"
#include "sim/core/state_array.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
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

/// A state of a run, G = 1. An empty optional or string: the file did not say.
/// A checkpoint is a snapshot whose settings are known; only the hdf5 format keeps all of it, bit for bit.
struct Snapshot {
    ParticleSet bodies;
    std::optional<std::int64_t> step;
    std::optional<double> time;              ///< [T]
    std::optional<double> timeStep;          ///< [T]
    std::optional<std::int64_t> stepOrigin;  ///< Clock::step0: where the time step last changed
    std::optional<double> timeOrigin;        ///< Clock::t0 [T]
    std::optional<double> softening;         ///< [L]
    std::optional<std::uint64_t> seed;
    std::string settings;                   ///< TOML
    std::string units;                      ///< what one [L], [M] and [T] are, in words; for people
    FileUnits fileUnits;                    ///< of the file that the bodies once came from; a table is written in them
    SharedBodyNames names = noBodyNames();  ///< of single bodies, by id
    std::vector<StateArray> state;          ///< for exact continuation; read back in the order of the names
    bool signedSources = false;             ///< some sources may be negative (charges); a reader then need not be told

    // What reading found out; writing ignores it.
    std::string format;              ///< name of the format that it was read from
    bool knowsVelocities = true;     ///< false: the file has none and the bodies are at rest
    bool knowsIds = false;           ///< false: numbered 0, 1, 2 ... in file order
    bool knowsGroups = false;        ///< false: all 0
    std::vector<std::string> notes;  ///< sentences for the user: what was assumed, converted or dropped

    bool isCheckpoint() const { return !settings.empty(); }
};

/// What a reader is told beside the file.
struct ReadOptions {
    std::string columns = {};               ///< of a table, e.g. "x,y,z,vx,vy,vz,m"; "-" skips one; empty: from the file
    std::uint64_t maxBodies = 2147483647u;  ///< refuse more
    bool sanitize = false;                  ///< drop and count bodies with bad values instead of refusing the file
    bool allowSigns = false;  ///< negative sources are meant: charges, or a file that is only looked at or rewritten
    std::string units = {};   ///< row of unitSystems() that the numbers are in; empty: as the file says, or G = 1
    std::optional<double> gravity = {};  ///< value of G in the file's own units; takes the place of `units`
    bool ignoreHubble = false;           ///< Gadget's lengths and masses are not in units over HubbleParam
};

/// How a file is written.
struct WriteOptions {
    std::string format = {};      ///< name of a format; empty: by the extension ("-", the standard output: csv)
    bool keepPrevious = false;    ///< keep the replaced file as NAME_prev.EXT
    bool mayReplaceRead = false;  ///< a checkpoint may go on in the file that the run began from
};

/// A row of the format table: everything that command line, `list`, tests and documentation need to know.
struct FileFormat {
    std::string_view name;
    std::string_view idea;
    std::span<const std::string_view> extensions;   ///< with the dot, lower case; the first is the usual one
    bool text;                                      ///< can come through a pipe
    bool (*detect)(const Source&);                  ///< by the first bytes; claims also what is cut short or wrong inside
    Reason (*unavailable)();                        ///< why this build lacks it; empty when it has it
    Snapshot (*read)(Source&, const ReadOptions&);  ///< null: write only
    void (*write)(ByteSink&, const Snapshot&);      ///< null: read only
    unsigned keeps = 0;                             ///< of what not every format keeps: Keeps, added
};

/// What a format may be unable to keep.
enum Keeps : unsigned {
    kKeepsIds = 1,
    kKeepsGroups = 2,
    kKeepsResponse = 4,
    kKeepsTime = 8,
    kKeepsClock = 16,
    kKeepsDoubles = 32,
    kKeepsNames = 64,
    kKeepsUnits = 128
};
constexpr unsigned kKeepsAll = 255;

/// What of this state the format would not keep, a phrase each: "the ids", "3 numbers beyond 32-bit precision"; empty when
/// nothing is lost.
std::vector<std::string> lostIn(const FileFormat& format, const Snapshot& snapshot);

/// All formats, in the order in which detection asks them.
std::span<const FileFormat> fileFormats();
/// The row of that name. Throws UsageError naming the valid ones and the nearest.
const FileFormat& fileFormat(std::string_view name);
/// The row that writes files with this extension; csv for "-" and for pipes and devices without a known one. Throws
/// UsageError naming the extensions that can be written.
const FileFormat& formatForWriting(const std::filesystem::path& path);
/// True when the path's extension belongs to a format that can be read: for a file dialog or a drop. Reading itself goes by
/// content and does not care.
bool hasSnapshotExtension(const std::filesystem::path& path);

/// Reads a file of any known format, recognised by its content; "-" is the standard input (tables only). Checks counts
/// against the file's size before allocating, every number for being finite, masses for being >= 0, hdf5 checkpoints against
/// their check sum. Throws InputError naming the file, the byte or line and the body; UsageError for a bad option; IoError
/// when the disk fails. Memory grows with what the file really holds, not with what it claims. Any thread; calls that
/// touch HDF5 take turns.
Snapshot readSnapshot(const std::filesystem::path& path, const ReadOptions& options = {});

/// Writes a file of the format of its extension, all or nothing (see AtomicFile). Throws UsageError for an unknown extension
/// or no bodies, IoError when it cannot be saved or the format cannot hold the numbers. Waits for the disk: call it beside
/// the run. Any thread; calls that touch HDF5 take turns.
void writeSnapshot(const std::filesystem::path& path, const Snapshot& snapshot, const WriteOptions& options = {});

/// A snapshot that is still to come. Its file is opened now, so that a folder that is not there or a format that cannot be
/// written is known before hours of work and not after; until write() succeeds the target is the old file.
class PendingSnapshot {
public:
    /// Throws UsageError or IoError as writeSnapshot does.
    explicit PendingSnapshot(const std::filesystem::path& path, const WriteOptions& options = {});
    /// One of a set of outputs, which commits it. The set must outlive this.
    PendingSnapshot(const std::filesystem::path& path, OutputSet& outputs);
    ~PendingSnapshot();
    PendingSnapshot(PendingSnapshot&&) noexcept;
    /// Once.
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
