// Numbers that both the scene table and a builder need.
#pragma once

namespace gravlab::scenes {

inline constexpr double kDiscSoftening = 0.03;
inline constexpr double kCollisionSoftening = 0.05;
/// Duration of one figure-eight [T].
inline constexpr double kFigureEightPeriod = 6.32591398292621167758900033396704;

}  // namespace gravlab::scenes
