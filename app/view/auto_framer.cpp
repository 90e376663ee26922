#include "app/view/auto_framer.h"

#include "app/system/host_clock.h"

#include <glm/vec3.hpp>

#include <utility>

namespace gravlab {

void AutoFramer::find(Document& document, const ParticleBuffer& vertices, const ParticleBuffer* second, bool realTime) {
    constexpr double kFilmFrame = 1.0 / 60, kInterval = 0.1;  // [s]
    const double now = realTime ? hostClock() : movedAt_ + kFilmFrame;
    const double seconds = movedAt_ > 0 ? now - movedAt_ : 0;
    movedAt_ = now;
    if (document.facts.run != run_) framing_.restart();
    if (std::exchange(two_, second != nullptr) != two_) sample_.reset();  // the pending result is of other runs
    run_ = document.facts.run;
    if (!document.frameAll || document.tour.playing) return;
    if (!sample_) sample_ = std::make_unique<VertexSample>();
    const bool moved = document.facts.step != step_ && (now - seenAt_ >= kInterval || !realTime || !framing_.known());
    if (moved && !sample_->asked()) {
        sample_->ask(vertices, second);
        step_ = document.facts.step;
    }
    if (sample_->asked() && sample_->take(bodies_, two_ ? &others_ : nullptr, !realTime)) {
        see(document, now - seenAt_);
        seenAt_ = now;
    }
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

}  // namespace gravlab
