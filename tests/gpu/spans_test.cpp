// Rows that compute each pair once, by one method and by several with some spans each: the same bits.
#include "gpu_fixture.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/scenes/scene.h"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace gravlab::test {
namespace {

using cuda::Vec4;

template <class Real>
class SpannedBodies {
public:
    using V = Vec4<Real>;

    SpannedBodies(const char* row, const char* scene, std::size_t count)
        : positions_(cuda::padded(static_cast<std::uint32_t>(count))), sums_(count) {
        CUDA_CHECK(cuda::deviceFacts(0, device_));
        ParticleSet bodies = sceneNamed(scene).build({.bodies = count, .seed = 5});
        constexpr Real far = cuda::kPadDistance<Real>;
        std::vector<V> host(positions_.size(), V{far, far, far, 0});
        for (std::size_t i = 0; i < count; ++i) {
            const Double4& at = bodies.position[i];
            host[i] = {static_cast<Real>(at.x), static_cast<Real>(at.y), static_cast<Real>(at.z), static_cast<Real>(at.w)};
        }
        CUDA_CHECK(cuda::copyAsync(positions_.data(), host.data(), positions_.bytes(), cuda::Copy::toDevice, stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
        request_.settings.softening = 0.05;
        request_.settings.precision = sizeof(Real) == 8 ? Precision::fp64 : Precision::fp32;
        plan_ = cuda::choose({.kernel = row}, cuda::factsOf(bodies), request_.settings, device_);
    }
    cuda::MadeMethod<Real> make() const {
        return cuda::makeForceMethod<Real>(plan_, static_cast<std::uint32_t>(sums_.size()), device_, stream_);
    }
    void evaluate(cuda::DeviceForceMethod<Real>& method) const {
        method.prepare({positions_.data(), sums_.data()}, request_);
        double before = 0;
        for (bool complete = false; !complete;) {
            EXPECT_GE(method.progress(), before);
            before = method.progress();
            complete = method.enqueue(1e-3).complete;
        }
        EXPECT_LE(before, 1) << "few bodies have spans without pairs";
    }
    /// Sums of the last evaluation; the array is filled with NaN afterwards.
    std::vector<V> take() {
        std::vector<V> host(sums_.size());
        CUDA_CHECK(cuda::copyAsync(host.data(), sums_.data(), sums_.bytes(), cuda::Copy::toHost, stream_));
        CUDA_CHECK(cuda::fillAsync(sums_.data(), 0xff, sums_.bytes(), stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
        return host;
    }

private:
    cuda::DeviceFacts device_{};
    cuda::OwnedStream stream_;
    cuda::DeviceArray<V> positions_, sums_;
    ForceRequest request_;
    cuda::LaunchPlan plan_;
};

class PairSpans : public GpuTest {
protected:
    template <class Real>
    static void expectSameBits(const char* row, const char* scene, std::size_t count) {
        SCOPED_TRACE(std::string(row) + ' ' + std::to_string(count) + ' ' + std::to_string(sizeof(Real)));
        SpannedBodies<Real> bodies(row, scene, count);
        const auto same = [&](const std::vector<Vec4<Real>>& a, const std::vector<Vec4<Real>>& b) {
            for (std::size_t i = 0; i < a.size(); ++i)
                if (std::memcmp(&a[i], &b[i], 3 * sizeof(Real)) != 0) return false;
            return true;
        };
        const cuda::MadeMethod<Real> one = bodies.make();
        ASSERT_NE(one->bySpans(), nullptr);
        bodies.take();
        bodies.evaluate(*one);
        const std::vector<Vec4<Real>> whole = bodies.take();
        EXPECT_FALSE(std::isnan(whole[count - 1].z));
        const int spans = one->bySpans()->spans();
        for (const int methods : {2, 3, 4}) {
            std::vector<cuda::MadeMethod<Real>> made;
            std::vector<cuda::SpanSums> sums;
            double work = 0;
            for (int k = 0; k < methods; ++k) {
                made.push_back(bodies.make());
                made.back()->bySpans()->takeSpans(spans * k / methods, spans * (k + 1) / methods);
                work += made.back()->work();
                bodies.evaluate(*made.back());
                for (const cuda::SpanSums& part : made.back()->bySpans()->spanSums()) sums.push_back(part);
            }
            EXPECT_NEAR(work, one->work(), 1e-9 * work);
            made.front()->bySpans()->join(sums);
            EXPECT_TRUE(same(bodies.take(), whole)) << methods;
            sums[1].sums = sums[0].sums;
            made.front()->bySpans()->join(sums);
            EXPECT_FALSE(same(bodies.take(), whole)) << "a part that counts twice must show";
            sums.pop_back();
            EXPECT_THROW(made.front()->bySpans()->join(sums), std::logic_error);
        }
        one->bySpans()->takeSpans(1, 2);
        bodies.evaluate(*one);
        one->bySpans()->takeSpans(0, spans);
        bodies.evaluate(*one);
        EXPECT_TRUE(same(bodies.take(), whole));
    }
};

TEST_F(PairSpans, ofFewBodiesJoinToTheBitsOfOneMethod) {
    expectSameBits<float>("symmetric", "galaxy", 3000);
    expectSameBits<double>("symmetric", "galaxy", 3000);
}

TEST_F(PairSpans, ofManyBodiesJoinToTheBitsOfOneMethod) {
    expectSameBits<float>("symmetric", "galaxy", 70001);
    expectSameBits<double>("symmetric", "galaxy", 70001);  // shows the order of the fp64 sums
    expectSameBits<float>("symmetric-runs", "galaxy", 70001);
    expectSameBits<float>("symmetric-equal", "plummer", 70001);
}

TEST_F(PairSpans, joinAlsoInManyRounds) {
    expectSameBits<float>("symmetric", "plummer", 300001);        // a round has four spans
    expectSameBits<float>("symmetric-equal", "plummer", 900000);  // a span has two rounds
}

TEST_F(PairSpans, areNotOfferedByAtomics) {
    EXPECT_EQ(SpannedBodies<float>("symmetric-atomics", "plummer", 999).make()->bySpans(), nullptr);
}

}  // namespace
}  // namespace gravlab::test
