// One pass per level of cubes, then one that reads the densities.
#include "render/density.h"

#include "render/gl_limits.h"
#include "render/particle_renderer.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gravlab {
namespace {

constexpr GLuint kBodies = 4, kCells = 5, kOther = 6;  // bindings
constexpr std::size_t kCellBytes = 16, kFewestCells = 4096;
// The mass of all bodies in one cube must fit 32 bits, with room for rounding.
constexpr double kMostMassUnits = 2147483648.0;
constexpr std::size_t kDensityGroup = 256;
// A table of 1 GB took 10 s for 40 million bodies on an H100, so long that its driver reset the context. One of 256 MB took
// 0.26 s, and 0.72 s for 100 million.
constexpr std::size_t kMostTableBytes = std::size_t{1} << 28;
// Least bodies of a cube that is halved, when the table has a cell for each body; and of a cube that an estimate uses.
constexpr GLuint kFewestHalved = 32, kReliedOn = 2;

}  // namespace

void DensityField::setMasses(std::span<const float> masses) {
    count_ = masses.size();
    total_ = 0;
    masses_.reset();
    for (const float mass : masses)
        if (mass > 0) total_ += static_cast<double>(mass);
    if (masses.empty()) return;
    masses_ = std::make_unique<Buffer>();
    allocate(*masses_, masses.size_bytes(), masses.data(), 0, "the masses of the bodies");
}

void DensityField::fit(std::size_t bodies) {
    const std::size_t bytes = std::min(glLimits().storageBytes, kMostTableBytes);
    const std::size_t most = std::bit_floor(std::max(bytes / kCellBytes, kFewestCells));
    const std::size_t cells = std::clamp(std::bit_ceil(bodies), kFewestCells, most);
    if (cells == cellCount_) return;
    cellCount_ = 0;
    cells_ = std::make_unique<Buffer>();
    allocate(*cells_, cells * kCellBytes, nullptr, 0, "cubes of space");
    cellCount_ = cells;
}

double DensityField::milliseconds() {
    milliseconds_ = timer_.take().value_or(milliseconds_);
    return milliseconds_;
}

bool DensityField::measure(const ParticleBuffer& bodies, GLuint traits, float size) {
    const std::size_t count = bodies.frontCount();
    if (!bodies.frontBuffer() || count == 0 || count != count_ || !(total_ > 0) || !(size > 0)) return false;
    fit(count);
    timer_.begin();
    glClearNamedBufferData(cells_->id(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    const double unitsPerMass = kMostMassUnits / total_;
    const float coarsest = std::exp2(std::ceil(std::log2(size)));
    // Halve fewer cubes when the table is smaller than the number of bodies: a full table would not count further bodies.
    const auto halved = static_cast<GLuint>(kFewestHalved * ((count + 2 * cellCount_ - 1) / (2 * cellCount_)));
    for (const Program* program : {&bin_, &read_}) {
        glProgramUniform1ui(program->id(), program->uniform("halved"), halved);
        glProgramUniform1ui(program->id(), program->uniform("mask"), static_cast<GLuint>(cellCount_ - 1));
        glProgramUniform1f(program->id(), program->uniform("coarsest"), coarsest);
    }
    glProgramUniform1f(bin_.id(), bin_.uniform("unitsPerMass"), static_cast<float>(unitsPerMass));
    glProgramUniform1f(read_.id(), read_.uniform("massPerUnit"), static_cast<float>(1 / unitsPerMass));
    glProgramUniform1i(read_.id(), read_.uniform("levels"), kLevels);
    glProgramUniform1ui(read_.id(), read_.uniform("enough"), halved / kReliedOn);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kCells, cells_->id());
    const auto overAll = [&](const Program& program, GLuint other, std::size_t bytesOfOther) {
        glUseProgram(program.id());
        eachPiece(count, bodiesAPiece(sizeof(ParticleVertex)), [&](std::size_t first, std::size_t part) {
            bindBodies(kBodies, bodies.frontBuffer(), first, part, sizeof(ParticleVertex));
            bindBodies(kOther, other, first, part, bytesOfOther);
            glProgramUniform1ui(program.id(), program.uniform("count"), static_cast<GLuint>(part));
            dispatchOver(part, kDensityGroup);
        });
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    };
    for (int level = 0; level < kLevels; ++level) {
        glProgramUniform1i(bin_.id(), bin_.uniform("level"), level);
        overAll(bin_, masses_->id(), sizeof(float));
    }
    overAll(read_, traits, sizeof(BodyTrait));
    glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    timer_.end();
    unbindStorage({kBodies, kOther});
    glUseProgram(0);
    return true;
}

}  // namespace gravlab
