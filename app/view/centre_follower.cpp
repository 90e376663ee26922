#include "app/view/centre_follower.h"

#include <cmath>
#include <vector>

namespace gravlab {

void CentreFollower::find(Document& document, const ParticleBuffer& vertices, bool realTime) {
    if (document.follow) document.followedCentre.reset();
    if (document.followedCentre != followed_ || document.facts.run != run_) known_ = asked_ = false;
    followed_ = document.followedCentre;
    run_ = document.facts.run;
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
        const bool wait = !realTime || (!known_ && !asked_);
        asked_ = true;
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
