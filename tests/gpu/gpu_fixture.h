// Tests that need a GPU. Rule: without one they skip with a message, or fail when GRAVLAB_REQUIRE_GPU=1. With one they
// assert that the GPU does the work.
#pragma once
#include "forced_tree.h"
#include "sim/backends/backend.h"
#include "sim/backends/cuda/runtime/api.h"
#include "sim/forces/force_check.h"
#include "tests/bodies.h"
#include "tests/on_backend.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace gravlab::test {

using namespace testing_support;

class GpuTest : public ::testing::Test {
protected:
    void SetUp() override { skipWithout("cuda"); }
    void TearDown() override {
        if (cuda::faultsAvailable()) cuda::planFaults("");
    }

    static std::unique_ptr<Backend> made(const KernelChoice& kernel = {}, double softening = 0.05) {
        std::unique_ptr<Backend> made = backend("cuda").make(ForcedTree::options());
        EXPECT_EQ(made->name(), "cuda");
        made->configure({.softening = softening}, kernel);
        return made;
    }
    static std::unique_ptr<Backend> loaded(const ParticleSet& bodies, const KernelChoice& kernel = {},
                                           double softening = 0.05) {
        std::unique_ptr<Backend> result = made(kernel, softening);
        result->load(bodies);
        return result;
    }
    static void run(Backend& backend, StepProgram program, double timeStep, std::int64_t steps) {
        advanceBy(backend, program, timeStep, steps);
    }
    static ParticleSet state(Backend& backend) { return stateOf(backend); }
    static std::vector<Double4> reference(const ParticleSet& bodies, const std::vector<std::uint32_t>& targets,
                                          double softening) {
        std::vector<Double4> want(targets.size());
        referenceGravity(bodies.position, targets, softening, want);
        return want;
    }
    static std::vector<std::uint32_t> everyBody(std::size_t count) {
        std::vector<std::uint32_t> all(count);
        for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::uint32_t>(i);
        return all;
    }
    /// The backend's accelerations of `targets` against fp64 from the same bodies.
    static ForceCheck compared(Backend& backend, const ParticleSet& bodies, const std::vector<std::uint32_t>& targets,
                               const std::vector<Double4>& want) {
        std::vector<Double4> all, got;
        backend.accelerations(all);
        EXPECT_EQ(all.size(), bodies.size());
        for (const std::uint32_t target : targets) got.push_back(all.at(target));
        return compareForces(got, want, kGate32);
    }
};

/// Device memory as a sink, to read published states back.
class DeviceSink final : public VertexSink {
public:
    ~DeviceSink() override {
        if (memory_) cuda::release(memory_);
    }
    MemorySpace space() const override { return MemorySpace::cudaDevice; }
    VertexSpan open(std::size_t count, void*) override {
        if (capacity_ < count) {
            if (memory_) cuda::release(memory_);
            CUDA_CHECK(cuda::allocate(&memory_, count * sizeof(ParticleVertex)));
            capacity_ = count;
        }
        ++opened;
        count_ = count;
        return {static_cast<ParticleVertex*>(memory_), count};
    }
    void close(void* stream) override {
        ++closed;
        stream_ = static_cast<cuda::Stream>(stream);
    }
    std::vector<ParticleVertex> read() {
        std::vector<ParticleVertex> vertices(count_);
        CUDA_CHECK(cuda::copyAsync(vertices.data(), memory_, count_ * sizeof(ParticleVertex), cuda::Copy::toHost, stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
        return vertices;
    }
    int opened = 0, closed = 0;

private:
    void* memory_ = nullptr;
    std::size_t capacity_ = 0, count_ = 0;
    cuda::Stream stream_ = nullptr;
};

}  // namespace gravlab::test
