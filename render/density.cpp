// One pass a level, then one that reads.
#include "render/density.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gravlab {
namespace {

constexpr GLuint kBodies = 4, kCells = 5, kOther = 6;  // bindings
constexpr std::size_t kCellBytes = 16, kFewestCells = 4096;
// All mass in one cube must fit 32 bits, with room for rounding.
constexpr double kMostMassUnits = 2147483648.0;
constexpr GLuint kDensityGroup = 256, kMostDensityGroups = 65535;

}  // namespace

void DensityField::setMasses(std::span<const float> masses) {
    count_ = masses.size();
    total_ = 0;
    masses_.reset();
    for (const float mass : masses)
        if (mass > 0) total_ += static_cast<double>(mass);
    if (masses.empty()) return;
    masses_ = std::make_unique<Buffer>();
    glNamedBufferStorage(masses_->id(), static_cast<GLsizeiptr>(masses.size_bytes()), masses.data(), 0);
}

void DensityField::fit(std::size_t bodies) {
    const std::size_t cells = std::max(std::bit_ceil(bodies), kFewestCells);
    if (cells == cellCount_) return;
    cellCount_ = 0;
    cells_ = std::make_unique<Buffer>();
    glNamedBufferStorage(cells_->id(), static_cast<GLsizeiptr>(cells * kCellBytes), nullptr, 0);
    cellCount_ = cells;
}

bool DensityField::measure(const ParticleBuffer& bodies, GLuint traits, float size) {
    const std::size_t count = bodies.frontCount();
    if (!bodies.frontBuffer() || count == 0 || count != count_ || !(total_ > 0) || !(size > 0)) return false;
    fit(count);
    glClearNamedBufferData(cells_->id(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    const double unitsPerMass = kMostMassUnits / total_;
    const float coarsest = std::exp2(std::ceil(std::log2(size)));
    const auto groups = std::min(static_cast<GLuint>((count + kDensityGroup - 1) / kDensityGroup), kMostDensityGroups);
    for (const Program* program : {&bin_, &read_}) {
        glProgramUniform1ui(program->id(), program->uniform("count"), static_cast<GLuint>(count));
        glProgramUniform1ui(program->id(), program->uniform("mask"), static_cast<GLuint>(cellCount_ - 1));
        glProgramUniform1f(program->id(), program->uniform("coarsest"), coarsest);
    }
    glProgramUniform1f(bin_.id(), bin_.uniform("unitsPerMass"), static_cast<float>(unitsPerMass));
    glProgramUniform1f(read_.id(), read_.uniform("massPerUnit"), static_cast<float>(1 / unitsPerMass));
    glProgramUniform1i(read_.id(), read_.uniform("levels"), kLevels);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kBodies, bodies.frontBuffer());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kCells, cells_->id());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kOther, masses_->id());
    glUseProgram(bin_.id());
    for (int level = 0; level < kLevels; ++level) {
        glProgramUniform1i(bin_.id(), bin_.uniform("level"), level);
        glDispatchCompute(groups, 1, 1);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    }
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kOther, traits);
    glUseProgram(read_.id());
    glDispatchCompute(groups, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    // A binding would keep the buffers alive that their owner deletes.
    for (const GLuint binding : {kBodies, kOther}) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, 0);
    glUseProgram(0);
    return true;
}

}  // namespace gravlab
