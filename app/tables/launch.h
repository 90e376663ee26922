// Dropping bodies by hand: press where one shall be, drag an arrow for its velocity, let go. A star, a black hole or a small
// galaxy, on the plane through the focus that faces the viewer.
// Rule: knows no window and no simulation; what it makes are edits of a set of bodies.
#pragma once
#include "render/camera.h"
#include "sim/backends/backend.h"
#include "sim/core/body_edit.h"
#include "sim/scenes/scene.h"

#include <glm/ext/vector_double3.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// What can be dropped.
struct LaunchRow {
    std::string_view name, label, idea;
    double massShare;  ///< of the whole mass, unless asked otherwise; 0: an average body
    bool galaxy;       ///< many bodies in balance
    bool disc;         ///< else round
};
std::span<const LaunchRow> launchRows();

/// What a scene has, as far as it matters here.
struct LaunchScene {
    double mass = 1;  ///< of all bodies [M]
    std::size_t bodies = 1;
    double size = 5;       ///< distance of its own view [L]
    double speed = 1;      ///< of the top of its colour map [L/T]
    double softening = 0;  ///< [L]
    bool gravity = true;   ///< masses attract
    double response = 1;   ///< of a usual body
};

/// A drop that has been decided on.
struct LaunchOrder {
    int row = 0;
    double mass = 0, size = 0;  ///< [M], [L]
    std::size_t bodies = 1;
    glm::dvec3 place{0}, velocity{0};  ///< [L], [L/T]
    glm::dvec3 facing{0, 0, 1};        ///< towards the viewer: the axis of a disc
    bool operator==(const LaunchOrder&) const = default;
};

class Slingshot {
public:
    bool on = false;
    int row = 0;
    /// Multiples of the usual mass, size and number of bodies.
    double massFactor = 1, sizeFactor = 1, bodiesFactor = 1;

    /// What a drop would be, without place and velocity.
    LaunchOrder usual(const LaunchScene& scene) const;
    /// Why the chosen row cannot be dropped under this scene's law; empty when it can.
    std::string refusal(const LaunchScene& scene) const;

    void press(const Camera& camera, glm::vec2 cursor, glm::vec2 viewport, const LaunchScene& scene);
    void move(glm::vec2 cursor);
    /// Lets go: the order, once.
    std::optional<LaunchOrder> release();
    void cancel() { drag_.reset(); }
    bool dragging() const { return drag_.has_value(); }
    /// What would be dropped now; only while dragging.
    const LaunchOrder& pending() const { return drag_->order; }
    /// Where the arrow ends, in space.
    glm::vec3 arrowEnd() const { return drag_->end; }

    bool operator==(const Slingshot&) const = default;

private:
    struct Drag {
        Camera camera;
        glm::vec2 viewport, from;
        double speedPerPixel;
        LaunchOrder order;
        glm::vec3 end;
        bool operator==(const Drag&) const = default;
    };
    std::optional<Drag> drag_;
};

/// The bodies of an order, to be added: ids from `id` on, all of one group.
std::vector<BodyEdit> launchEdits(const LaunchOrder& order, const LaunchScene& scene, std::uint32_t id, std::uint8_t group,
                                  std::uint64_t seed);

}  // namespace gravlab
