#include "sim/io/shared_bodies.h"

#include "sim/core/error.h"
#include "sim/core/thread_pool.h"
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
#include <cstring>
#include <limits>
#include <system_error>
#include <vector>

namespace gravlab {
namespace {

static_assert(std::endian::native == std::endian::little, "the block is little-endian");

constexpr std::array<char, 8> kMagic{'G', 'R', 'A', 'V', 'B', 'L', 'K', '1'};
constexpr const char* kSharedName = "shared memory";
constexpr std::size_t kAligned = 64;  // bytes, where an array may begin
constexpr std::size_t kBodiesAChunk = 4096;
constexpr std::size_t kBodiesAThread = 65536;  // of fewer, a thread would take longer to start than to write them

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

void readAt(int descriptor, std::uint64_t place, void* bytes, std::size_t count) {
    char* at = static_cast<char*>(bytes);
    while (count > 0) {
        const ssize_t done = ::pread(descriptor, at, count, static_cast<off_t>(place));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) throw IoError(std::string("bodies cannot be read from the shared memory: ") + because());
        if (done == 0) throw InputError(std::string(kSharedName) + ": became shorter while it was read");
        at += done, place += static_cast<std::uint64_t>(done), count -= static_cast<std::size_t>(done);
    }
}

/// Writes one array: by threads into mapped memory, or in pieces that stay in the cache. `put(to, i)` stores what body i
/// has.
template <class Number, std::size_t width, class Put>
void writeArray(int descriptor, char* mapped, std::uint64_t place, std::size_t bodies, const Put& put) {
    if (mapped) {
        auto* const to = reinterpret_cast<Number*>(mapped + place);
        parallelFor(bodies, 0, kBodiesAThread, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) put(to + i * width, i);
        });
        return;
    }
    std::vector<Number> chunk(std::min(bodies, kBodiesAChunk) * width);
    for (std::size_t begin = 0; begin < bodies; begin += kBodiesAChunk) {
        const std::size_t count = std::min(kBodiesAChunk, bodies - begin);
        for (std::size_t i = 0; i < count; ++i) put(chunk.data() + i * width, begin + i);
        writeAt(descriptor, place + begin * width * sizeof(Number), chunk.data(), count * width * sizeof(Number));
    }
}

}  // namespace

unsigned sharedArraysOf(std::string_view names) {
    unsigned arrays = 0;
    while (!names.empty()) {
        const std::size_t end = std::min(names.find_first_of(" ,"), names.size());
        const std::string_view name = names.substr(0, end);
        names.remove_prefix(std::min(end + 1, names.size()));
        if (name.empty()) continue;
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
                 const Diagnostics* measured, SharedMapping* mapping) {
    const std::size_t n = bodies.size();
    const Places places = placesOf(arrays, n);
    struct stat now {};
    if (::fstat(descriptor, &now) != 0)
        throw IoError("descriptor " + std::to_string(descriptor) + " is no shared memory: " + because());
    if (static_cast<std::uint64_t>(now.st_size) < places.end && ::ftruncate(descriptor, static_cast<off_t>(places.end)) != 0)
        throw IoError("the shared memory cannot grow to " + std::to_string(places.end) + " bytes: " + because());
    char* const mapped = mapping ? mapping->of(descriptor, places.end) : nullptr;
    SharedHeader header;
    header.arrays = arrays & kAllArrays;
    header.bodies = n;
    header.step = step;
    header.time = time;
    if (measured) {
        header.kinetic = measured->kinetic;
        header.potential = measured->potential;
        const auto& p = measured->momentum;
        const auto& l = measured->angularMomentum;
        const auto& c = measured->centreOfMass;
        header.moments = {p.x, p.y, p.z, l.x, l.y, l.z, c.x, c.y, c.z};
    }
    const auto three = [](double* to, const Double4& of) { to[0] = of.x, to[1] = of.y, to[2] = of.z; };
    if (arrays & kSharedPositions)
        writeArray<double, 3>(descriptor, mapped, places.begin[0], n,
                              [&](double* to, std::size_t i) { three(to, bodies.position[i]); });
    if (arrays & kSharedVelocities)
        writeArray<double, 3>(descriptor, mapped, places.begin[1], n,
                              [&](double* to, std::size_t i) { three(to, bodies.velocity[i]); });
    if (arrays & kSharedMasses)
        writeArray<double, 1>(descriptor, mapped, places.begin[2], n,
                              [&](double* to, std::size_t i) { *to = bodies.position[i].w; });
    if (arrays & kSharedIds) writeAt(descriptor, places.begin[3], bodies.id.data(), n * sizeof(std::uint32_t));
    if (arrays & kSharedGroups) writeAt(descriptor, places.begin[4], bodies.group.data(), n);
    if (arrays & kSharedResponses)
        writeArray<double, 1>(descriptor, mapped, places.begin[5], n,
                              [&](double* to, std::size_t i) { *to = bodies.velocity[i].w; });
    writeAt(descriptor, 0, &header, sizeof header);
}

Snapshot readShared(int descriptor, const ReadOptions& options) {
    struct stat now {};
    if (::fstat(descriptor, &now) != 0)
        throw IoError("descriptor " + std::to_string(descriptor) + " is no shared memory: " + because());
    const auto size = static_cast<std::uint64_t>(now.st_size);
    SharedHeader header;
    if (size < sizeof header) throw InputError(std::string(kSharedName) + ": has no bodies yet");
    readAt(descriptor, 0, &header, sizeof header);
    if (header.magic != kMagic) throw InputError(std::string(kSharedName) + ": does not begin with GRAVBLK1");
    if (header.arrays & ~kAllArrays)
        throw InputError(std::string(kSharedName) +
                         ": has arrays that are unknown here; client and program differ in version");
    if (!(header.arrays & kSharedPositions) || !(header.arrays & kSharedMasses))
        throw InputError(std::string(kSharedName) + ": positions and masses are needed");
    if (header.bodies > options.maxBodies || placesOf(header.arrays, header.bodies).end > size)
        throw InputError(std::string(kSharedName) + ": announces " + std::to_string(header.bodies) + " bodies, but has " +
                         std::to_string(size) + " bytes");
    if (!std::isfinite(header.time)) throw InputError(std::string(kSharedName) + ": the time is not a finite number");

    const Places places = placesOf(header.arrays, header.bodies);
    BodyCollector bodies(kSharedName, options, false);
    bodies.expect(header.bodies);
    std::vector<double> position(3 * kBodiesAChunk), velocity(3 * kBodiesAChunk), mass(kBodiesAChunk),
        response(kBodiesAChunk, 1.0);
    std::vector<std::uint32_t> id(kBodiesAChunk);
    std::vector<std::uint8_t> group(kBodiesAChunk);
    const std::array<void*, kArrays.size()> to{position.data(), velocity.data(), mass.data(),
                                               id.data(),       group.data(),    response.data()};
    for (std::uint64_t begin = 0; begin < header.bodies; begin += kBodiesAChunk) {
        const std::size_t count = std::min<std::uint64_t>(kBodiesAChunk, header.bodies - begin);
        for (std::size_t array = 0; array < kArrays.size(); ++array)
            if (header.arrays & kArrays[array].bit)
                readAt(descriptor, places.begin[array] + begin * kArrays[array].bytes, to[array],
                       count * kArrays[array].bytes);
        for (std::size_t i = 0; i < count; ++i) {
            BodyRow row{.x = position[3 * i],
                        .y = position[3 * i + 1],
                        .z = position[3 * i + 2],
                        .vx = velocity[3 * i],
                        .vy = velocity[3 * i + 1],
                        .vz = velocity[3 * i + 2],
                        .mass = mass[i],
                        .response = response[i],
                        .id = id[i],
                        .group = group[i]};
            bodies.add(row, [&] { return std::string("the arrays"); });
        }
    }
    Snapshot snapshot;
    bodies.finish(snapshot, header.arrays & kSharedIds, header.arrays & kSharedGroups);
    snapshot.time = header.time;
    snapshot.knowsVelocities = header.arrays & kSharedVelocities;
    convertUnits(snapshot, options, std::nullopt, kSharedName);
    return snapshot;
}

}  // namespace gravlab
