// Binary PLY: a point cloud that Blender, MeshLab and ParaView open. Write only: it holds floats and no clock.
#include "sim/io/file/byte_sink.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/byte_order.h"
#include "sim/io/formats/formats.h"

#include <bit>

namespace gravlab {
namespace {

constexpr std::size_t kVertexBytes = 7 * sizeof(float) + 1;
constexpr std::size_t kVerticesPerBlock = 4096;

}  // namespace

bool looksLikePly(const Source& source) { return source.head().starts_with("ply\n") || source.head().starts_with("ply\r"); }

void writePly(ByteSink& sink, const Snapshot& snapshot) {
    const ParticleSet& bodies = snapshot.bodies;
    std::string header = "ply\nformat ";
    header += std::endian::native == std::endian::little ? "binary_little_endian" : "binary_big_endian";
    header += " 1.0\ncomment bodies of a gravlab run\nelement vertex " + std::to_string(bodies.size()) + "\n";
    for (const char* name : {"x", "y", "z", "vx", "vy", "vz", "mass"})
        header += std::string("property float ") + name + "\n";
    header += "property uchar group\nend_header\n";
    sink.write(header);
    std::string block;
    block.reserve(kVerticesPerBlock * kVertexBytes);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4& p = bodies.position[i];
        const Double4& v = bodies.velocity[i];
        for (double value : {p.x, p.y, p.z, v.x, v.y, v.z, p.w})
            append<std::uint32_t>(block, narrowed(value, i, "ply"), std::endian::native == std::endian::big);
        block.push_back(static_cast<char>(bodies.group[i]));
        if (block.size() >= kVerticesPerBlock * kVertexBytes) {
            sink.write(block);
            block.clear();
        }
    }
    sink.write(block);
}

}  // namespace gravlab
