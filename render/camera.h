// An orbit camera: target, distance, two angles. Pure arithmetic, no GL; frame-rate independent smoothing.
#pragma once
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

namespace gravlab {

struct Camera {
    glm::vec3 target{0};
    float distance = 5;         ///< [L]
    float azimuth = 0.6f;       ///< [rad]
    float elevation = 0.5f;     ///< [rad], clamped just short of the poles
    float fieldOfView = 0.8f;   ///< vertical [rad]
    bool orthographic = false;  ///< no perspective; the target's plane keeps its scale
    /// Left, bottom, width and height of what is drawn, in parts of the whole picture.
    glm::vec4 part{0, 0, 1, 1};

    glm::vec3 eye() const;
    glm::mat4 view() const;
    glm::mat4 projection(float aspect) const;  ///< near and far follow the distance; aspect is that of the part

    /// Of the plane through the target that faces the viewer: how long a pixel is [L], and what is under the cursor.
    float lengthPerPixel(glm::vec2 viewport) const;
    glm::vec3 pointUnder(glm::vec2 cursor, glm::vec2 viewport) const;

    void orbit(glm::vec2 pixels);                    ///< drag
    void pan(glm::vec2 pixels, glm::vec2 viewport);  ///< moves the target with the cursor
    /// Moves eye and target by parts of the distance: x to the right, y up, z ahead.
    void fly(glm::vec3 way);
    void zoom(float steps, glm::vec2 cursor, glm::vec2 viewport);  ///< towards what is under the cursor
    bool operator==(const Camera&) const = default;
};

}  // namespace gravlab
