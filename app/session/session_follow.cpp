// Session: keeping the centre of all bodies, or of a galaxy, in the middle of the picture.
// Rule: the target moves, and nothing else of the camera: one can turn and come nearer on the way.
#include "app/session/frame_loop.h"
#include "render/centre_finder.h"
#include "sim/core/error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace gravlab {

void Session::followCentre(std::optional<int> which) {
    followed_ = which;
    centreKnown_ = centreAsked_ = false;
    if (which) follow = false;
}

/// Whether a galaxy has bodies that are no dark matter: it is followed where it shines.
bool Session::shines(int galaxy) const {
    return std::any_of(bodies_.group.begin(), bodies_.group.end(),
                       [&](std::uint8_t group) { return !isDark(group) && galaxyOf(group) == galaxy; });
}

void Session::followAsAsked(const std::string& what) {
    if (what.empty()) return;
    if (what == "body") {
        if (!selected_) throw UsageError("--follow body needs --select ID");
        follow = true;
        return;
    }
    const int galaxy = what == "centre" ? kWholeScene : std::atoi(what.c_str()) - 1;
    if (galaxy >= galaxies_)
        throw UsageError("--follow " + what + ": the scene has " + std::to_string(galaxies_) +
                         (galaxies_ == 1 ? " galaxy" : " galaxies"));
    if (galaxy != kWholeScene && !shines(galaxy))
        throw UsageError("--follow " + what + ": that galaxy has no body that shines");
    followCentre(galaxy);
}

void Session::followNext() {
    int next = followed_ ? *followed_ + 1 : kWholeScene;
    // A scene of one galaxy has one centre, and scenes of single bodies have bodies to follow.
    constexpr int kMostFollowed = 20;
    const bool galaxies = galaxies_ > 1 && galaxies_ <= kMostFollowed;
    while (next != kWholeScene && next < galaxies_ && !shines(next)) ++next;
    followCentre(next <= (galaxies ? galaxies_ - 1 : kWholeScene) ? std::optional(next) : std::nullopt);
    if (!followed_)
        say("The camera stays where it is.");
    else if (*followed_ == kWholeScene)
        say("The camera follows the centre of mass.");
    else
        say("The camera follows galaxy " + std::to_string(*followed_ + 1) + ".");
}

/// Before the bodies are drawn: the picture has the centre of its own step.
void Session::findCentre() {
    if (!followed_) return;
    if (follow) return followCentre(std::nullopt);
    if (!centreFinder_) {
        centreFinder_ = std::make_unique<CentreFinder>();
        tagsStale_ = true;
    }
    if (tagsStale_) {
        constexpr float kNoGalaxy = -1;  // dark matter
        std::vector<BodyTag> tags(bodies_.size());
        for (std::size_t i = 0; i < tags.size(); ++i)
            tags[i] = {std::abs(bodies_.mass[i]),
                       isDark(bodies_.group[i]) ? kNoGalaxy : static_cast<float>(galaxyOf(bodies_.group[i]))};
        centreFinder_->setTags(tags);
        tagsStale_ = false;
    }
    // First the plain mean, then the densest part near it.
    const bool galaxy = *followed_ != kWholeScene;
    const int rounds = centreKnown_ || !galaxy ? 1 : 8;
    for (int round = 0; round < rounds; ++round) {
        const float radius = galaxy && centreKnown_ ? 0.12f * camera.distance : 0;
        centreFinder_->ask(vertices(), *followed_, centreKnown_ ? centre_ : camera.target, radius);
        // A window waits for the first answer alone: there may be none.
        const bool wait = !realTime_ || (!centreKnown_ && !centreAsked_);
        centreAsked_ = true;
        if (!centreFinder_->take(centre_, wait)) return;
        centreKnown_ = true;
    }
    const glm::vec3 way = centre_ - camera.target;
    camera.target += way;
    shown_.target += way;  // without lag, as for a body
}

}  // namespace gravlab
