#include "sim/backends/cpu/tree/walk_task.h"

#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>

namespace gravlab::cpu {

TreeWalkTask walkTask(const Octree& tree, TreeWalk walk, const ForceRequest& request) {
    const ForceSettings& settings = request.settings;
    const TreeForce force = treeForce(settings);
    const bool power = force.law == TreeLaw::power;  // which has a floor of its own
    const double angle = byAngle(walk) && request.opening > 0 ? request.opening : usualOpening(settings);
    const TreeScale& scale = tree.scale();
    const double length = static_cast<double>(scale.length);
    const double softening =
        static_cast<double>(flooredSoftening<float>(settings.softening, power ? 0 : request.smallestR2)) * length * length;
    TreeWalkTask task{
        .tree = tree.view(),
        .acceleration = scale.acceleration,
        .softeningSquared = std::max(static_cast<float>(softening), kSofteningSquaredFloor32),
        .opening = static_cast<float>(1 / (angle * angle)),
        .share = static_cast<float>(shareOfAccuracy(settings, request.allowedError, static_cast<double>(tree.bodies())))};
    if (power) {
        task.power = {powerField(force.power, request.smallestR2, length),
                      static_cast<float>((force.power + 1) / (static_cast<double>(GravityField<float>::power()) + 1)),
                      leftOut(settings)};
        task.acceleration = force.factor * std::pow(length, force.power) / static_cast<double>(scale.source);
    }
    if (force.law == TreeLaw::charges) task.floorShare = static_cast<float>(floorShare(settings));
    return task;
}

}  // namespace gravlab::cpu
