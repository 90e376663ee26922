// The inputs and the requirements of the fuzzers, as plain functions, so that a unit test can replay the corpus. Rule: an
// input is refused with InputError or accepted whole; every broken promise aborts.
#pragma once
#include "sim/api/errors.h"
#include "sim/io/formats/units.h"
#include "sim/io/hdf5/gadget.h"
#include "sim/io/snapshot.h"
#include "tests/fuzz/fuzz_file_targets.h"
#include "tests/fuzz/fuzz_promises.h"
#include "tests/fuzz/fuzz_run_targets.h"
#include "tests/fuzz/fuzz_text_targets.h"
#include "tests/fuzz/fuzz_toml_target.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gravlab::fuzz {

inline bool same(const Double4& a, const Double4& b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }

inline void requireSound(const Snapshot& s, const ReadOptions& options) {
    const ParticleSet& b = s.bodies;
    require(b.size() > 0 && b.size() <= options.maxBodies, "the number of bodies is within the limits");
    require(b.velocity.size() == b.size() && b.id.size() == b.size() && b.group.size() == b.size(),
            "all arrays are as long");
    for (std::size_t i = 0; i < b.size(); ++i) {
        const Double4 &p = b.position[i], &v = b.velocity[i];
        require(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z) && std::isfinite(p.w),
                "positions are finite");
        require(std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z) && std::isfinite(v.w),
                "velocities are finite");
        require(p.w >= 0 || options.allowSigns || s.signedSources, "masses are not negative");
    }
    std::vector<std::uint32_t> ids = b.id;
    std::sort(ids.begin(), ids.end());
    require(std::adjacent_find(ids.begin(), ids.end()) == ids.end(), "ids are unique");
}

/// Saving what was loaded and loading it again changes nothing.
inline void requireStable(const Snapshot& s, std::string_view format, const ReadOptions& options) {
    ReadOptions again{.allowSigns = options.allowSigns || s.signedSources};
    const Snapshot back = decodeSnapshot(encodeSnapshot(s, format), "again", again);
    require(back.bodies.size() == s.bodies.size(), "as many bodies come back");
    for (std::size_t i = 0; i < s.bodies.size(); ++i)
        require(same(back.bodies.position[i], s.bodies.position[i]) && same(back.bodies.velocity[i], s.bodies.velocity[i]),
                "the same bodies come back");
}

inline void decodeAndCheck(std::string_view bytes, const ReadOptions& options, std::string_view format) {
    try {
        const Snapshot s = decodeSnapshot(bytes, "fuzz", options);
        requireSound(s, options);
        requireStable(s, format, options);
    } catch (const InputError& error) {
        requirePrintable(error.what());
    } catch (const UsageError&) {
    }
}

/// Tables: the first byte chooses options, up to '\n' may follow names for --columns.
inline void table(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return;
    std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    ReadOptions options{.maxBodies = 1000, .sanitize = (data[0] & 1) != 0, .allowSigns = (data[0] & 2) != 0};
    if (data[0] & 4) options.units = unitSystems()[data[0] / 16 % unitSystems().size()].name;
    if (data[0] & 8) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size());
        options.columns = bytes.substr(0, end);
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    decodeAndCheck(bytes, options, "csv");
}

/// Any format by its content.
inline void tipsy(const std::uint8_t* data, std::size_t size) {
    ReadOptions options{.maxBodies = 100000, .sanitize = size % 2 != 0};
    decodeAndCheck({reinterpret_cast<const char*>(data), size}, options, "csv");
}

/// Gadget HDF5, this program's and others'. A valid seal is added to the input; otherwise every change of our own files
/// would be refused.
inline void hdf5(const std::uint8_t* data, std::size_t size) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    bytes += gadget::Seal{size, crc32c(data, size)}.bytes();
    ReadOptions options{.maxBodies = 100000};
    decodeAndCheck(bytes, options, "csv");
}

struct Target {
    const char* name;  ///< also its folder below corpus/
    void (*run)(const std::uint8_t*, std::size_t);
};
inline constexpr Target kTargets[] = {{"table", table},
                                      {"tipsy", tipsy},
                                      {"hdf5", hdf5},
                                      {"toml", toml},
                                      {"settings", settings},
                                      {"command_line", command_line},
                                      {"picture", picture},
                                      {"scene", scene},
                                      {"checkpoint", checkpoint},
                                      {"script", script},
                                      {"lesson", lesson},
                                      {"units", units},
                                      {"own_data", own_data},
                                      {"protocol", protocol},
                                      {"stateful", stateful},
                                      {"differential", differential}};

}  // namespace gravlab::fuzz
