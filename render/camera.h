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
    bool orthographic = false;  ///< no perspective; the plane of the target keeps its scale
    /// Left, bottom, width and height of the drawn region, as fractions of the whole picture.
    glm::vec4 part{0, 0, 1, 1};

    glm::vec3 eye() const;
    glm::mat4 view() const;
    glm::mat4 projection(float aspect) const;  ///< near and far follow the distance; aspect is that of the region

    /// For the plane through the target that faces the viewer: the length of a pixel [L], and the point under the cursor.
    float lengthPerPixel(glm::vec2 viewport) const;
    glm::vec3 pointUnder(glm::vec2 cursor, glm::vec2 viewport) const;

    void orbit(glm::vec2 pixels);                    ///< drag
    void pan(glm::vec2 pixels, glm::vec2 viewport);  ///< moves the target with the cursor
    /// Moves eye and target by fractions of the distance: x to the right, y up, z ahead.
    void fly(glm::vec3 way);
    void zoom(float steps, glm::vec2 cursor, glm::vec2 viewport);  ///< towards the point under the cursor
    bool operator==(const Camera&) const = default;
};

}  // namespace gravlab
