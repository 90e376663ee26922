// The subject of tests of photographs: a disc with two arms and a bulge.
#pragma once
#include "gl_fixture.h"
#include "render/colour_map.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace gravlab::test {

/// A disc of radius 1.2, seen from above: most bodies on two arms, the others anywhere, and a bulge.
class PhotographTest : public GlTest {
public:
    static constexpr int kWidth = 320, kHeight = 240;

protected:
    void SetUp() override {
        GlTest::SetUp();
        camera.elevation = 1.5f;
        camera.distance = 3.4f;
        look.pointSize = 0.012f;
        look.brightness = 2;
        look.useTraits = true;
        look.colourMap = -2;
        look.valueFloor = 0;
        look.valueScale = 1;
        look.tone = ToneCurve::slide;
        look.photograph = {.on = true, .scale = 0.2f, .dust = 0, .gas = 0, .sky = 0};
        std::mt19937 random(11);
        std::uniform_real_distribution<float> part(0, 1);
        std::normal_distribution<float> normal(0, 1);
        for (int i = 0; i < 9000; ++i) {
            const bool bulge = i % 9 == 0, arm = !bulge && i % 8 < 4;
            const float radius = bulge ? 0.12f * std::abs(normal(random)) : 1.2f * std::sqrt(part(random));
            float angle = 2 * std::numbers::pi_v<float> * part(random);
            if (arm)
                angle = -2.2f * std::log(radius + 0.05f) + std::numbers::pi_v<float> * static_cast<float>(i / 2 % 2) +
                        0.12f * normal(random);
            bodies_.push_back({radius * std::cos(angle), radius * std::sin(angle), 0.02f * normal(random), 0.5f});
            const Population population = bulge ? Population::old : i % 47 == 3 ? Population::cluster : Population::disc;
            traits_.push_back({placeOf(population, part(random)), 1});
        }
        // The dark halo, which counts as bodies and emits no light.
        for (int i = 0; i < 9000; ++i) {
            bodies_.push_back({3 * normal(random), 3 * normal(random), 3 * normal(random), 0.5f});
            traits_.push_back({placeOf(Population::old), 0});
        }
        store(bodies_);
        renderer_->setTraits(traits_);
    }
    std::vector<std::uint8_t> picture() { return shown(kWidth, kHeight); }

    std::vector<ParticleVertex> bodies_;
    std::vector<BodyTrait> traits_;
};

}  // namespace gravlab::test
