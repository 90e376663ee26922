#include "app/view/camera_aim.h"

#include "app/system/host_clock.h"

#include <glm/vec3.hpp>

#include <cmath>
#include <utility>

namespace gravlab {
void AutoFramer::find(Document& document, const ParticleBuffer& vertices, const ParticleBuffer* second, bool realTime) {
    constexpr double kFilmFrame = 1.0 / 60, kInterval = 0.1, kUnwatched = 2;  // [s]
    const double now = realTime ? hostClock() : movedAt_ + kFilmFrame;
    const double seconds = movedAt_ > 0 ? now - movedAt_ : 0;
    movedAt_ = now;
    if (std::exchange(run_, document.facts.bodiesId) != document.facts.bodiesId) {
        framing_.restart();
        sample_.reset();  // the pending result is of other bodies
        step_ = -1;
    }
    if (std::exchange(two_, second != nullptr) != (second != nullptr)) sample_.reset();
    if (!document.frameAll || document.tour.playing) return;
    if (!sample_) sample_ = std::make_unique<VertexSample>();
    const bool moved = document.facts.step != step_ && (now - seenAt_ >= kInterval || !realTime || !framing_.known());
    if (moved && !sample_->underWay()) {
        sample_->ask(vertices, second);
        step_ = document.facts.step;
    }
    // A run without viewers draws no pictures, so the camera may still be where an earlier one left it.
    const bool late = seconds > kUnwatched;
    if (sample_->underWay() && sample_->take(bodies_, two_ ? &others_ : nullptr, !realTime || late)) {
        see(document, now - seenAt_);
        seenAt_ = now;
    }
    for (int k = late ? 200 : 1; k > 0; --k)
        framing_.move(document.camera, seconds, document.follow || document.followedCentre);
    if (!document.gliding) document.shown = document.camera;
}

void AutoFramer::see(const Document& document, double seconds) {
    const std::vector<std::size_t> places = VertexSample::places(document.facts.bodies->group.size());
    std::vector<glm::vec3> shining;
    if (!two_) others_.clear();
    for (const std::vector<ParticleVertex>* run : {&bodies_, &others_})
        for (std::size_t i = 0; i < run->size() && i < places.size(); ++i)
            if (!isDark(document.facts.bodies->group[places[i]]))
                shining.emplace_back((*run)[i].x, (*run)[i].y, (*run)[i].z);
    framing_.see(extentOf(shining), seconds);
}

void CentreFollower::find(Document& document, const ParticleBuffer& vertices, bool realTime) {
    if (document.follow) document.followedCentre.reset();
    if (document.followedCentre != followed_ || document.facts.bodiesId != run_) known_ = waited_ = false;
    followed_ = document.followedCentre;
    run_ = document.facts.bodiesId;
    if (!followed_) return;
    if (!finder_) finder_ = std::make_unique<CentreFinder>();
    if (tagged_ != document.facts.bodies) {
        tagged_ = document.facts.bodies;
        constexpr float kNoGalaxy = -1;  // dark matter
        std::vector<BodyTag> tags(tagged_->size());
        for (std::size_t i = 0; i < tags.size(); ++i)
            tags[i] = {std::abs(tagged_->mass[i]),
                       isDark(tagged_->group[i]) ? kNoGalaxy : static_cast<float>(galaxyOf(tagged_->group[i]))};
        finder_->setTags(tags);
    }
    // The plain mean comes first, then the densest region near it.
    const Camera& camera = document.camera;
    const bool galaxy = *followed_ != Document::kWholeScene;
    const int rounds = known_ || !galaxy ? 1 : 8;
    for (int round = 0; round < rounds; ++round) {
        const float radius = galaxy && known_ ? 0.12f * camera.distance : 0;
        finder_->ask(vertices, *followed_, known_ ? centre_ : camera.target, radius);
        // A window waits only for the first result, because it has no earlier one.
        const bool wait = !realTime || (!known_ && !waited_);
        waited_ = true;
        if (!finder_->take(centre_, wait)) return;
        known_ = true;
    }
    document.aimAt(centre_);
}

void CentreFollower::dropPicture() {
    finder_.reset();
    tagged_.reset();
}

}  // namespace gravlab
