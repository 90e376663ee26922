// The matrix of pair forces from the GPU, compared cell by cell with fp64 on the host, and its transfer to a texture.
#include "app/bench/pair_matrix.h"
#include "app/frontends/headless/headless.h"
#include "app/lab/pair_numbers.h"
#include "gpu_fixture.h"
#include "sim/api/errors.h"
#include "sim/forces/law.h"
#include "tests/measured.h"

#include <glad/gl.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace gravlab::test {
namespace {

using ::testing::HasSubstr;

/// Device memory for levels.
class DeviceLevels final : public FloatSink {
public:
    MemorySpace space() const override { return MemorySpace::cudaDevice; }
    float* open(std::size_t count, void* stream) override {
        count_ = count;
        return reinterpret_cast<float*>(memory_.open((count + 3) / 4, stream).data);
    }
    void close(void* stream) override { memory_.close(stream); }
    std::vector<float> read() {
        const std::vector<ParticleVertex> raw = memory_.read();
        std::vector<float> levels(count_);
        std::memcpy(levels.data(), raw.data(), count_ * sizeof(float));
        return levels;
    }
    int opened() const { return memory_.opened; }
    int closed() const { return memory_.closed; }

private:
    DeviceSink memory_;
    std::size_t count_ = 0;
};

struct Wanted {
    std::vector<double> cells;
    double strongest = 0;
};

/// The strongest force of each cell, in fp64.
Wanted wanted(const ParticleSet& bodies, const ForceSettings& force) {
    const std::size_t n = bodies.size(), side = matrixCells(n), stride = matrixStride(n);
    const LawRow& row = laws()[static_cast<std::size_t>(force.law)];
    Wanted result{std::vector<double>(side * side)};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const Double4 &a = bodies.position[i], &b = bodies.position[j];
            const double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, squared = dx * dx + dy * dy + dz * dz;
            const double strength = std::abs(a.w * b.w * row.forceOverDistance(force, squared)) * std::sqrt(squared);
            double& cell = result.cells[i / stride * side + j / stride];
            cell = std::max(cell, strength);
            result.strongest = std::max(result.strongest, strength);
        }
    return result;
}

/// Levels that are more than one step of 255 off.
std::size_t wrongLevels(const std::vector<float>& levels, const Wanted& want) {
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < want.cells.size(); ++k) {
        const double below = want.cells[k] > 0 ? std::log10(want.strongest / want.cells[k]) : kMatrixDecades;
        const double level = std::clamp(1 - below / static_cast<double>(kMatrixDecades), 0.0, 1.0);
        wrong += std::abs(static_cast<double>(levels[k]) - level) <= 1.0 / 255 ? 0 : 1;
    }
    return wrong;
}

class GpuMatrix : public GpuTest {
protected:
    struct Computed {
        std::vector<float> levels;
        PairMatrixResult facts;
    };
    static Computed computed(Backend& backend, const PairMatrixRequest& request = {}) {
        PairMatrixSource& job = *backend.pairMatrix();
        DeviceLevels sink;
        EXPECT_TRUE(job.enqueue(request, sink));
        EXPECT_EQ(sink.opened(), sink.closed());
        backend.wait();
        Computed result{.levels = sink.read(), .facts = {}};
        EXPECT_EQ(result.levels.size(), matrixCells(backend.size()) * matrixCells(backend.size()));
        const std::optional<PairMatrixResult> facts = job.take();
        EXPECT_TRUE(facts.has_value());
        if (facts) result.facts = *facts;
        EXPECT_FALSE(job.take().has_value()) << "it is given once";
        return result;
    }
};

TEST_F(GpuMatrix, everyValueIsThatOfTheHost) {
    for (const std::size_t count : {3, 257, 1025})
        for (const ForceSettings& force :
             {ForceSettings{.softening = 0.05}, ForceSettings{.law = kLaw<Coulomb>, .softening = 0.1},
              ForceSettings{.law = kLaw<LennardJones>, .strength = 2, .diameter = 0.9}})
            for (const PairValue value : {PairValue::potential, PairValue::component, PairValue::distance}) {
                SCOPED_TRACE("N = " + std::to_string(count) + ", law " + std::to_string(static_cast<int>(force.law)) + ", " +
                             std::string(nameOf(value)));
                const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
                backend->configure(force, {});
                backend->load(spacedBodies(count));
                const ParticleSet bodies = state(*backend);
                const std::size_t side = matrixCells(count), stride = matrixStride(count);
                std::vector<double> cells(side * side);
                double strongest = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    const std::vector<double> row = pairRow(bodies.position, force, value, i);
                    for (std::size_t j = 0; j < count; ++j) {
                        double& cell = cells[i / stride * side + j / stride];
                        if (std::abs(row[j]) > std::abs(cell)) cell = row[j];
                        strongest = std::max(strongest, std::abs(row[j]));
                    }
                }
                const Computed got =
                    computed(*backend, {.row = 0, .column = static_cast<std::uint32_t>(side - 1), .value = value});
                EXPECT_NEAR(static_cast<double>(got.facts.strongest), strongest, 1e-5 * strongest);
                EXPECT_NEAR(got.facts.pair.value, cells[side - 1], 1e-5 * std::abs(cells[side - 1]) + 1e-12 * strongest);
                std::size_t wrong = 0;
                for (std::size_t k = 0; k < cells.size(); ++k) {
                    const float level = matrixLevel(value, static_cast<float>(cells[k]), static_cast<float>(strongest));
                    // When two pairs of a block have equal forces with opposite signs, either is right.
                    const bool either = stride > 1 && value == PairValue::component;
                    const float off =
                        std::min(std::abs(got.levels[k] - level), either ? std::abs(1 - got.levels[k] - level) : 1.f);
                    wrong += off <= 1.0f / 255 ? 0 : 1;
                }
                EXPECT_EQ(wrong, 0u);
            }
}

TEST_F(GpuMatrix, everyCellIsTheStrongestForceOfItsPairs) {
    for (const std::size_t count : {1, 2, 31, 257, 1025, 4096})
        for (const ForceSettings& force : {ForceSettings{.softening = 0.05}, ForceSettings{.precision = Precision::fp64},
                                           ForceSettings{.law = kLaw<PowerLaw>, .softening = 0.1, .exponent = 1.5},
                                           ForceSettings{.law = kLaw<Coulomb>, .softening = 0.1, .strength = 3.7},
                                           ForceSettings{.law = kLaw<LennardJones>, .strength = 2, .diameter = 0.9}})
            for (const int edge : {8, 16, 32}) {
                SCOPED_TRACE("N = " + std::to_string(count) + ", law " + std::to_string(static_cast<int>(force.law)) +
                             ", edge " + std::to_string(edge));
                const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
                backend->configure(force, {});
                backend->load(spacedBodies(count));
                Wanted want = wanted(state(*backend), force);
                const auto last = static_cast<std::uint32_t>(matrixCells(count) - 1);
                const Computed got = computed(*backend, {.row = last, .edge = edge});
                EXPECT_EQ(wrongLevels(got.levels, want), 0u);
                EXPECT_NEAR(static_cast<double>(got.facts.strongest), want.strongest, 1e-5 * want.strongest);
                EXPECT_EQ(got.facts.edge, edge);
                EXPECT_EQ(got.facts.pair.row, last);
                const double cell = want.cells[last * matrixCells(count)];
                EXPECT_NEAR(got.facts.pair.force, cell, 1e-12 * cell);
                if (count == 1) continue;
                // The comparison must notice a wrong cell, otherwise it proves nothing.
                std::vector<float> spoilt = got.levels;
                float& level = spoilt[spoilt.size() / 2];
                level += level < 0.5f ? 0.5f : -0.5f;
                EXPECT_EQ(wrongLevels(spoilt, want), 1u);
            }
}

TEST_F(GpuMatrix, columnsOfThreadsComputeTheSameCells) {
    const ForceSettings force{.softening = 0.05};
    for (const std::size_t count : {1, 3, 257, 1000})
        for (const int columns : {1, 4, 128, 1000, 1024}) {
            SCOPED_TRACE("N = " + std::to_string(count) + ", " + std::to_string(columns) + " threads");
            const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
            backend->configure(force, {});
            backend->load(spacedBodies(count));
            const Wanted want = wanted(state(*backend), force);
            const Computed got = computed(*backend, {.columns = columns});
            EXPECT_EQ(wrongLevels(got.levels, want), 0u);
            EXPECT_NEAR(static_cast<double>(got.facts.strongest), want.strongest, 1e-5 * want.strongest);
            const Computed squares = computed(*backend, {.value = PairValue::component});
            EXPECT_EQ(computed(*backend, {.value = PairValue::component, .columns = columns}).levels, squares.levels);
        }
}

TEST_F(GpuMatrix, aWholeMatrixHasMoreBodiesAndStaysOnTheDevice) {
    const ForceSettings force{.softening = 0.05};
    const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
    backend->configure(force, {});
    backend->load(spacedBodies(5001));
    const double strongest = wanted(state(*backend), force).strongest;
    PairMatrixSource& job = *backend->pairMatrix();
    DeviceLevels sink;
    for (const PairMatrixRequest& request :
         {PairMatrixRequest{.edge = 32, .whole = true}, PairMatrixRequest{.columns = 128, .whole = true},
          PairMatrixRequest{.columns = 1, .whole = true}}) {
        ASSERT_TRUE(job.enqueue(request, sink));
        backend->wait();
        const std::optional<PairMatrixResult> result = job.take();
        ASSERT_TRUE(result.has_value());
        EXPECT_NEAR(static_cast<double>(result->strongest), strongest, 1e-5 * strongest);
        EXPECT_GT(result->seconds, 0);
    }
    EXPECT_EQ(sink.opened(), 0);
    EXPECT_THROW(job.enqueue({.columns = 1025, .whole = true}, sink), UsageError);
    const std::unique_ptr<Backend> strided = loaded(unevenBodies(1025)), many = loaded(unevenBodies(16385));
    EXPECT_THROW(strided->pairMatrix()->enqueue({.columns = 4}, sink), UsageError) << "a cell has four pairs";
    EXPECT_FALSE(many->pairMatrix()->enqueue({.whole = true}, sink));
}

TEST_F(GpuMatrix, massAndPlaceOfCoincidentAndMasslessBodies) {
    const ForceSettings force{.softening = 0.05};
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(600));
    EXPECT_EQ(wrongLevels(computed(*backend).levels, wanted(state(*backend), force)), 0u);
}

TEST_F(GpuMatrix, whatCannotBeComputedIsRefused) {
    const std::unique_ptr<Backend> many = loaded(unevenBodies(4097)), few = loaded(unevenBodies(100));
    DeviceLevels sink;
    EXPECT_FALSE(many->pairMatrix()->enqueue({}, sink));
    EXPECT_THROW(few->pairMatrix()->enqueue({.edge = 12}, sink), UsageError);
    EXPECT_EQ(sink.opened(), 0);
    if (!cuda::faultsAvailable()) return;
    for (int nth = 1; nth <= 3; ++nth) {
        cuda::planFaults("cudaLaunchKernel:" + std::to_string(nth) + ":9");
        EXPECT_THROW(few->pairMatrix()->enqueue({}, sink), DeviceError);
        EXPECT_EQ(sink.opened(), sink.closed()) << "the sink is given back";
    }
    cuda::planFaults("");
    EXPECT_EQ(wrongLevels(computed(*few).levels, wanted(state(*few), {.softening = 0.05})), 0u);
}

TEST_F(GpuMatrix, goesStraightIntoATextureAndFallsBackWithASentence) {
    const HeadlessContext context(0);
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(500));
    const std::int64_t copies = cuda::callCounts().bodySizedCopiesToHost;
    {
        PairMatrix matrix;
        ASSERT_TRUE(matrix.paint(*backend, 0)) << matrix.path();
        backend->wait();
        matrix.poll(*backend);
        EXPECT_THAT(matrix.path(), HasSubstr("straight into the texture"));
        EXPECT_EQ(cuda::callCounts().bodySizedCopiesToHost, copies) << "a body came to the host";
        std::vector<std::uint8_t> rgba(4u * 500 * 500);
        glGetTextureImage(matrix.texture(), 0, GL_RGBA, GL_UNSIGNED_BYTE, static_cast<int>(rgba.size()), rgba.data());
        PairMatrix host;
        host.compute(state(*backend).position, {.softening = 0.05});
        // The host's logarithm is rough: a cell may be two of 256 colours away.
        std::size_t far = 0;
        for (std::size_t k = 0; k < rgba.size(); ++k) far += std::abs(rgba[k] - host.picture()[k]) > 12 ? 1 : 0;
        EXPECT_EQ(far, 0u);
        EXPECT_NEAR(matrix.strongest(), host.strongest(), 1e-5f * host.strongest());
        // The device computes the pair under the pointer.
        EXPECT_FALSE(matrix.at(0.31, 0.77).has_value());
        matrix.point(0.31, 0.77);
        ASSERT_TRUE(matrix.wantsPair());
        ASSERT_TRUE(matrix.paint(*backend, 0));
        backend->wait();
        matrix.poll(*backend);
        const auto got = matrix.at(0.31, 0.77), want = host.at(0.31, 0.77);
        ASSERT_TRUE(got && want);
        EXPECT_EQ(got->i, want->i);
        EXPECT_EQ(got->j, want->j);
        EXPECT_NEAR(got->force, want->force, 1e-10 * want->force);
    }
    if (!cuda::faultsAvailable()) return;
    cuda::planFaults("cudaGraphicsGLRegisterBuffer:1+:304");
    PairMatrix matrix;
    EXPECT_FALSE(matrix.paint(*backend, 0));
    matrix.compute(state(*backend).position, {.softening = 0.05});
    EXPECT_THAT(matrix.path(), HasSubstr("host"));
    EXPECT_THAT(matrix.path(), HasSubstr("304"));
    matrix.upload();
    EXPECT_NE(matrix.texture(), 0u);
}

/// The device measures its own time, which is within the time of the call.
TEST_F(GpuMatrix, saysWhatAMatrixTook) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(4096));
    for (const int edge : {8, 16, 32}) {
        const auto start = std::chrono::steady_clock::now();
        const double taken = computed(*backend, {.edge = edge}).facts.seconds;
        const std::chrono::duration<double> call = std::chrono::steady_clock::now() - start;
        EXPECT_GT(taken, 0) << edge;
        EXPECT_LT(taken, call.count()) << edge;
    }
}

}  // namespace
}  // namespace gravlab::test
