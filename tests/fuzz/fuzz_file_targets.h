// Fuzzers of files that describe runs: pictures with their texts, scene files, checkpoints with a valid seal. Rule: as in
// fuzz_targets.h: refused with an Error or accepted and sound; every broken promise aborts.
#pragma once
#include "app/files/scene_file.h"
#include "app/system/picture.h"
#include "sim/core/text.h"
#include "sim/io/hdf5/gadget.h"
#include "tests/fuzz/fuzz_run_targets.h"

#include <sys/mman.h>
#include <unistd.h>

namespace gravlab::fuzz {

/// A file with a name, removed afterwards.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        require(fd_ >= 0 && ::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
                "there is memory");
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
    int fd_;
};

/// Reads a scene file's text into options without any other argument.
inline void takeScene(std::string_view text) {
    StartOptions options;
    try {
        takeSceneText(text, "fuzz", options);
        const RunRequest& s = options.simulation;
        require(std::isfinite(s.timeStep.value_or(1)) && std::isfinite(s.softening.value_or(0)), "numbers are finite");
        require(options.path.size() <= 100000, "a camera path has an end");
        for (const auto& [key, value] : s.parameters) require(std::isfinite(value) && !key.empty(), "parameters are finite");
    } catch (const InputError& error) {
        require(!printable(error.what()).empty(), "a refusal is a sentence");
    } catch (const UsageError& error) {
        require(*error.what() != 0, "a refusal is a sentence");
    }
}

inline void scene(const std::uint8_t* data, std::size_t size) { takeScene({reinterpret_cast<const char*>(data), size}); }

/// The check sum behind a chunk of a PNG. Source: PNG specification 1.2, annex D.
inline std::uint32_t partSum(std::string_view bytes) {
    std::uint32_t sum = 0xffffffffu;
    for (const char c : bytes) {
        sum ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

/// PNG: chunks with a name of four letters, a length of two bytes, and bytes, assembled with valid check sums; when the
/// first byte is odd the rest is used unchanged. The texts are read, then the pixels, then the scene in a text.
inline void picture(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return;
    std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] % 2 == 0) {
        std::string png = "\x89PNG\r\n\x1a\n";
        for (std::size_t at = 0; at + 6 <= bytes.size();) {
            const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
            const std::size_t length = std::min<std::size_t>(byte(at + 4) << 8 | byte(at + 5), bytes.size() - at - 6);
            const std::string part = bytes.substr(at, 4) + bytes.substr(at + 6, length);
            const auto big = [&](std::uint32_t value) {
                for (int shift = 24; shift >= 0; shift -= 8) png += static_cast<char>(value >> shift);
            };
            big(static_cast<std::uint32_t>(length));
            png += part;
            big(partSum(part));
            at += 6 + length;
        }
        bytes = std::move(png);
    }
    const MemoryFile file(bytes);
    try {
        const PictureTexts texts = readPngTexts(file.path());
        const auto found = texts.find(kSceneFileKey);
        if (found != texts.end()) takeScene(found->second);
        // Pixels of absurd size are refused; those of some megabytes are read.
        const Picture whole = readPng(file.path());
        require(whole.rgb.size() == static_cast<std::size_t>(3) * static_cast<std::size_t>(whole.width) *
                                        static_cast<std::size_t>(whole.height),
                "a picture has its pixels");
    } catch (const InputError&) {
    }
}

/// The checkpoint to change: three bodies in the middle of a radau15 run.
inline const std::string& wholeCheckpoint() {
    static const std::string bytes = [] {
        Simulation simulation({.scene = "figure-eight", .backend = "reference", .integrator = "radau15"});
        simulation.advance({.steps = 3}, nullptr);
        return encodeSnapshot(checkpointOf(simulation), "hdf5");
    }();
    return bytes;
}

/// A checkpoint after changes (index in two bytes, value in one), sealed again. An accepted one can continue: the run ends,
/// and numbers that are not finite are found.
inline void checkpoint(const std::uint8_t* data, std::size_t size) {
    std::string bytes = wholeCheckpoint();
    bytes.resize(bytes.size() - gadget::Seal::kBytes);
    for (std::size_t i = 0; i + 3 <= size && i < 96; i += 3)
        bytes[(static_cast<std::size_t>(data[i]) << 8 | data[i + 1]) % bytes.size()] = static_cast<char>(data[i + 2]);
    bytes += gadget::Seal{bytes.size(), crc32c(bytes.data(), bytes.size())}.bytes();
    try {
        LoadedStart offer = startFrom(decodeSnapshot(bytes, "fuzz", {.maxBodies = 1000}), "fuzz");
        offer.request.backend = "reference";
        offer.request.backendOptions = {};
        offer.request.pairs().kernel = {};
        Simulation simulation(offer.request);
        simulation.advance({.seconds = 0.05, .steps = 2}, nullptr);
        ParticleSet bodies = simulation.bodies();
        require(bodies.size() == simulation.backend().size(), "as many bodies come out");
    } catch (const Error& error) {
        require(*error.what() != 0, "a refusal is a sentence");
    }
}

}  // namespace gravlab::fuzz
