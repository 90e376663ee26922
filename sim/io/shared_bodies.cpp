#include "sim/io/shared_bodies.h"

#include "sim/api/errors.h"
#include "sim/core/thread_pool.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/body_collector.h"
#include "sim/io/formats/units.h"
#include "sim/measure/diagnostics.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <limits>
#include <system_error>
#include <vector>

namespace gravlab {
namespace {

static_assert(std::endian::native == std::endian::little, "the block is little-endian");

constexpr std::array<char, 8> kMagic{'G', 'R', 'A', 'V', 'B', 'L', 'K', '1'};
constexpr const char* kSharedName = "shared memory";
constexpr std::size_t kAligned = 64;  // bytes, where an array may begin
constexpr std::size_t kBodiesPerChunk = 4096;
constexpr std::size_t kBodiesPerThread = 65536;  // of fewer, a thread would take longer to start than to write them

struct SharedHeader {
    std::array<char, 8> magic = kMagic;
    std::uint32_t arrays = 0, unused = 0;
    std::uint64_t bodies = 0;
    std::int64_t step = 0;
    double time = 0;                                            ///< [T]
    double kinetic = std::numeric_limits<double>::quiet_NaN();  ///< [M L^2/T^2]; NaN: not measured
    double potential = std::numeric_limits<double>::quiet_NaN();
    std::array<double, 9> moments{};  ///< momentum, angular momentum, centre of mass
};
static_assert(sizeof(SharedHeader) == 128);

struct ArrayRow {
    std::string_view name;
    unsigned bit;
    std::size_t bytes;  ///< of a body
};
constexpr std::array<ArrayRow, 6> kArrays{{{"positions", kSharedPositions, 24},
                                           {"velocities", kSharedVelocities, 24},
                                           {"masses", kSharedMasses, 8},
                                           {"ids", kSharedIds, 4},
                                           {"groups", kSharedGroups, 1},
                                           {"responses", kSharedResponses, 8}}};
constexpr unsigned kAllArrays = 63;

/// Where each array begins, in the order of kArrays; 0: it is not there. `end`: bytes of the whole block.
struct Places {
    std::array<std::uint64_t, kArrays.size()> begin{};
    std::uint64_t end = sizeof(SharedHeader);
};
Places placesOf(unsigned arrays, std::uint64_t bodies) {
    Places places;
    for (std::size_t i = 0; i < kArrays.size(); ++i) {
        if (!(arrays & kArrays[i].bit)) continue;
        places.begin[i] = (places.end + kAligned - 1) / kAligned * kAligned;
        places.end = places.begin[i] + bodies * kArrays[i].bytes;
    }
    return places;
}

std::string because() { return std::generic_category().message(errno); }

void writeAt(int descriptor, std::uint64_t place, const void* bytes, std::size_t count) {
    const char* at = static_cast<const char*>(bytes);
    while (count > 0) {
        const ssize_t done = ::pwrite(descriptor, at, count, static_cast<off_t>(place));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) throw IoError(std::string("bodies cannot be written to the shared memory: ") + because());
        at += done, place += static_cast<std::uint64_t>(done), count -= static_cast<std::size_t>(done);
    }
}

void readAt(const Source& source, std::uint64_t place, void* bytes, std::size_t count) {
    if (source.readAt(place, bytes, count) < count)
        throw InputError(std::string(kSharedName) + ": became shorter while it was read");
}

/// Writes one array: by threads into mapped memory, or in pieces that stay in the cache. `put(to, i)` stores that of body i.
template <class Number, std::size_t width, class Put>
void writeArray(int descriptor, char* mapped, std::uint64_t place, std::size_t bodies, const Put& put) {
    if (mapped) {
        auto* const to = reinterpret_cast<Number*>(mapped + place);
        parallelFor(bodies, 0, kBodiesPerThread, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) put(to + i * width, i);
        });
        return;
    }
    std::vector<Number> chunk(std::min(bodies, kBodiesPerChunk) * width);
    for (std::size_t begin = 0; begin < bodies; begin += kBodiesPerChunk) {
        const std::size_t count = std::min(kBodiesPerChunk, bodies - begin);
        for (std::size_t i = 0; i < count; ++i) put(chunk.data() + i * width, begin + i);
        writeAt(descriptor, place + begin * width * sizeof(Number), chunk.data(), count * width * sizeof(Number));
    }
}

/// The bodies of a block, and the arrays that it has; those that it lacks are 0.
struct Block {
    Snapshot snapshot;
    unsigned arrays = 0;
};

std::uint64_t bytesOf(int descriptor) {
    struct stat now {};
    if (::fstat(descriptor, &now) == 0) return static_cast<std::uint64_t>(now.st_size);
    throw IoError("descriptor " + std::to_string(descriptor) + " is no shared memory: " + because());
}

Source opened(int descriptor) {
    (void)bytesOf(descriptor);
    return Source::open("/proc/self/fd/" + std::to_string(descriptor));
}

/// `needed`: arrays without which it is refused.
Block blockOf(const Source& source, const ReadOptions& options, unsigned needed) {
    const std::uint64_t size = source.size().value_or(0);
    SharedHeader header;
    if (size < sizeof header) throw InputError(std::string(kSharedName) + ": has no bodies yet");
    readAt(source, 0, &header, sizeof header);
    if (header.magic != kMagic) throw InputError(std::string(kSharedName) + ": does not begin with GRAVBLK1");
    if (header.arrays & ~kAllArrays)
        throw InputError(std::string(kSharedName) +
                         ": has arrays that are unknown here; client and program differ in version");
    if (needed & ~header.arrays) throw InputError(std::string(kSharedName) + ": positions and masses are needed");
    if (header.bodies > options.maxBodies || placesOf(header.arrays, header.bodies).end > size)
        throw InputError(std::string(kSharedName) + ": announces " + std::to_string(header.bodies) + " bodies, but has " +
                         std::to_string(size) + " bytes");
    if (!std::isfinite(header.time)) throw InputError(std::string(kSharedName) + ": the time is not a finite number");

    const Places places = placesOf(header.arrays, header.bodies);
    BodyCollector bodies(kSharedName, options, false);
    bodies.expect(header.bodies);
    std::vector<double> position(3 * kBodiesPerChunk), velocity(3 * kBodiesPerChunk), mass(kBodiesPerChunk),
        response(kBodiesPerChunk, 1.0);
    std::vector<std::uint32_t> id(kBodiesPerChunk);
    std::vector<std::uint8_t> group(kBodiesPerChunk);
    const std::array<void*, kArrays.size()> to{position.data(), velocity.data(), mass.data(),
                                               id.data(),       group.data(),    response.data()};
    for (std::uint64_t begin = 0; begin < header.bodies; begin += kBodiesPerChunk) {
        const std::size_t count = std::min<std::uint64_t>(kBodiesPerChunk, header.bodies - begin);
        for (std::size_t array = 0; array < kArrays.size(); ++array)
            if (header.arrays & kArrays[array].bit)
                readAt(source, places.begin[array] + begin * kArrays[array].bytes, to[array], count * kArrays[array].bytes);
        for (std::size_t i = 0; i < count; ++i) {
            BodyRow row{.mass = mass[i], .response = response[i], .id = id[i], .group = group[i]};
            row.x = position[3 * i], row.y = position[3 * i + 1], row.z = position[3 * i + 2];
            row.vx = velocity[3 * i], row.vy = velocity[3 * i + 1], row.vz = velocity[3 * i + 2];
            bodies.add(row, [&] { return std::string("the arrays"); });
        }
    }
    Block block{.snapshot = {}, .arrays = header.arrays};
    const bool ids = header.arrays & kSharedIds;
    bodies.finish(block.snapshot, ids, header.arrays & kSharedGroups);
    if (ids && !block.snapshot.knowsIds) throw InputError(std::string(kSharedName) + ": two bodies have the same id");
    block.snapshot.time = header.time;
    block.snapshot.knowsVelocities = header.arrays & kSharedVelocities;
    return block;
}

/// From numbers in these units to G = 1.
void convertFrom(const ArrayUnits& units, Snapshot& snapshot) {
    const double time = *snapshot.time / units.timeScale;
    convertFrom(units.of, snapshot, kSharedName);
    snapshot.time = time;
    snapshot.units = units.of.plain() ? "G = 1" : "G = 1; converted from " + units.words();
}

}  // namespace

std::string ArrayUnits::words() const {
    if (!of.named()) return "L, L/T, M, T";
    return of.length + ", " + of.velocity + ", " + of.mass + ", " + time;
}

ArrayUnits arrayUnits(const RunConfiguration& run, const Scene& scene) {
    const SceneUnits& shown = scene.units;
    ArrayUnits units{
        .of = run.start ? run.start->fileUnits : FileUnits{}, .time = std::string(shown.time), .timeScale = shown.timeScale};
    FileUnits& of = units.of;
    if (of.plain() && !of.named() && !shown.length.empty()) {
        of = physicalUnits(shown);
        of.length = shown.length, of.lengthBy = shown.lengthScale;
        of.mass = shown.mass, of.massBy = 1 / shown.massScale;
        of.velocity = shown.speed, of.velocityBy = shown.speedScale;
    }
    // A velocity such as au/yr has the time that belongs to its length.
    if (of.named() && of.velocity.starts_with(of.length + "/")) {
        units.time = of.velocity.substr(of.length.size() + 1);
        units.timeScale = of.lengthBy / of.velocityBy;
    }
    return units;
}

unsigned sharedArraysOf(std::string_view names) {
    unsigned arrays = 0;
    while (!names.empty()) {
        const std::size_t end = std::min(names.find_first_of(" ,"), names.size());
        const std::string_view name = names.substr(0, end);
        names.remove_prefix(std::min(end + 1, names.size()));
        if (name.empty() || name == "header") continue;
        if (name == "energies") {
            arrays |= kSharedEnergies;
            continue;
        }
        const auto row = std::ranges::find(kArrays, name, &ArrayRow::name);
        if (row == kArrays.end())
            throw UsageError("unknown array '" + std::string(name) +
                             "': positions, velocities, masses, ids, groups, responses and energies can be shared");
        arrays |= row->bit;
    }
    return arrays;
}

char* SharedMapping::of(int descriptor, std::uint64_t bytes) {
    if (descriptor == descriptor_ && bytes <= bytes_) return begin_;
    release();
    const int seals = ::fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK)) return nullptr;
    // Pages are taken now: where memory is short, this fails, while a later access would end the program.
    if (::fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) != 0) return nullptr;
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    if (begin == MAP_FAILED) return nullptr;
    descriptor_ = descriptor;
    begin_ = static_cast<char*>(begin);
    bytes_ = bytes;
    return begin_;
}

void SharedMapping::release() {
    if (begin_) ::munmap(begin_, bytes_);
    descriptor_ = -1;
    begin_ = nullptr;
    bytes_ = 0;
}

void writeShared(int descriptor, unsigned arrays, const ParticleSet& bodies, std::int64_t step, double time,
                 const Diagnostics* measured, const ArrayUnits& units, SharedMapping* mapping) {
    const double length = units.of.lengthBy, velocity = units.of.velocityBy, mass = units.of.massBy;
    const std::size_t n = bodies.size();
    const Places places = placesOf(arrays, n);
    if (bytesOf(descriptor) < places.end && ::ftruncate(descriptor, static_cast<off_t>(places.end)) != 0)
        throw IoError("the shared memory cannot grow to " + std::to_string(places.end) + " bytes: " + because());
    char* const mapped = mapping ? mapping->of(descriptor, places.end) : nullptr;
    SharedHeader header{.arrays = arrays & kAllArrays, .bodies = n, .step = step, .time = time * units.timeScale};
    if (measured) {
        header.kinetic = measured->kinetic * velocity * velocity / mass;
        header.potential = measured->potential * velocity * velocity / mass;
        const Vec3d p = velocity / mass * measured->momentum;
        const Vec3d l = length * velocity / mass * measured->angularMomentum;
        const Vec3d c = length * measured->centreOfMass;
        header.moments = {p.x, p.y, p.z, l.x, l.y, l.z, c.x, c.y, c.z};
    }
    const auto three = [](double* to, const Double4& of, double scale) {
        to[0] = of.x * scale, to[1] = of.y * scale, to[2] = of.z * scale;
    };
    if (arrays & kSharedPositions)
        writeArray<double, 3>(descriptor, mapped, places.begin[0], n,
                              [&](double* to, std::size_t i) { three(to, bodies.position[i], length); });
    if (arrays & kSharedVelocities)
        writeArray<double, 3>(descriptor, mapped, places.begin[1], n,
                              [&](double* to, std::size_t i) { three(to, bodies.velocity[i], velocity); });
    if (arrays & kSharedMasses)
        writeArray<double, 1>(descriptor, mapped, places.begin[2], n,
                              [&](double* to, std::size_t i) { *to = bodies.position[i].w / mass; });
    if (arrays & kSharedIds) writeAt(descriptor, places.begin[3], bodies.id.data(), n * sizeof(std::uint32_t));
    if (arrays & kSharedGroups) writeAt(descriptor, places.begin[4], bodies.group.data(), n);
    if (arrays & kSharedResponses)
        writeArray<double, 1>(descriptor, mapped, places.begin[5], n,
                              [&](double* to, std::size_t i) { *to = bodies.velocity[i].w; });
    writeAt(descriptor, 0, &header, sizeof header);
}

bool looksShared(const Source& source) { return source.head().starts_with(std::string_view(kMagic.data(), kMagic.size())); }

Snapshot readSharedFile(Source& source, const ReadOptions& options) {
    Snapshot snapshot = blockOf(source, options, kSharedPositions | kSharedMasses).snapshot;
    convertUnits(snapshot, options, std::nullopt, kSharedName);
    return snapshot;
}

Snapshot readShared(int descriptor, const ReadOptions& options, const ArrayUnits& units) {
    Block block = blockOf(opened(descriptor), options, kSharedPositions | kSharedMasses);
    if (!options.units.empty())
        convertUnits(block.snapshot, options, std::nullopt, kSharedName);
    else
        convertFrom(units, block.snapshot);
    return std::move(block.snapshot);
}

void replaceShared(int descriptor, const ReadOptions& options, const ArrayUnits& units, ParticleSet& bodies) {
    Block block = blockOf(opened(descriptor), options, 0);
    convertFrom(units, block.snapshot);
    const ParticleSet& given = block.snapshot.bodies;
    if (given.size() != bodies.size())
        throw InputError(std::string(kSharedName) + ": has " + std::to_string(given.size()) + " bodies, and the run has " +
                         std::to_string(bodies.size()));
    const auto three = [](Double4& to, const Double4& from) { to.x = from.x, to.y = from.y, to.z = from.z; };
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (block.arrays & kSharedPositions) three(bodies.position[i], given.position[i]);
        if (block.arrays & kSharedVelocities) three(bodies.velocity[i], given.velocity[i]);
        if (block.arrays & kSharedMasses) bodies.position[i].w = given.position[i].w;
        if (block.arrays & kSharedResponses) bodies.velocity[i].w = given.velocity[i].w;
        if (block.arrays & kSharedGroups) bodies.group[i] = given.group[i];
    }
}

}  // namespace gravlab
