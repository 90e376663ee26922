#include "app/view/auto_framer.h"

#include "app/system/host_clock.h"

#include <glm/vec3.hpp>

namespace gravlab {

void AutoFramer::find(Document& document, const ParticleBuffer& vertices, bool realTime) {
    constexpr double kFilmFrame = 1.0 / 60, kInterval = 0.1;  // [s]
    const double now = realTime ? hostClock() : movedAt_ + kFilmFrame;
    const double seconds = movedAt_ > 0 ? now - movedAt_ : 0;
    movedAt_ = now;
    if (document.facts.run != run_) framing_.restart();
    run_ = document.facts.run;
    if (!document.frameAll || document.tour.playing) return;
    if (!sample_) sample_ = std::make_unique<VertexSample>();
    const bool moved = document.facts.step != step_ && (now - seenAt_ >= kInterval || !realTime || !framing_.known());
    if (moved && !sample_->asked()) {
        sample_->ask(vertices);
        step_ = document.facts.step;
    }
    if (sample_->asked() && sample_->take(bodies_, nullptr, !realTime)) {
        see(document, now - seenAt_);
        seenAt_ = now;
    }
    framing_.move(document.camera, seconds, document.follow || document.followedCentre);
    if (!document.gliding) document.shown = document.camera;
}

void AutoFramer::see(const Document& document, double seconds) {
    const std::vector<std::size_t> places = VertexSample::places(document.facts.bodies->group.size());
    std::vector<glm::vec3> shining;
    for (std::size_t i = 0; i < bodies_.size() && i < places.size(); ++i)
        if (!isDark(document.facts.bodies->group[places[i]])) shining.emplace_back(bodies_[i].x, bodies_[i].y, bodies_[i].z);
    framing_.see(extentOf(shining), seconds);
}

}  // namespace gravlab
