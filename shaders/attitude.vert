#version 450 core
// One body of a disc as one point of a small picture: its light, and that times its distance behind the camera's target.
layout(location = 0) in vec4 body;
layout(location = 1) in vec2 trait;
#include "body_light.glsl"
uniform vec4 behind;  // a plane: the distance from it, in widths of an arm
uniform float size;   // of a point [px]

flat out vec4 moments;

void main() {
    Sprite sprite;
    moments = vec4(0.0);
    gl_PointSize = 1.0;
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);  // outside every clip plane
    if (!spriteOf(body, trait, sprite)) return;
    float light = sprite.light.g * sprite.radius * sprite.radius, depth = dot(behind, vec4(body.xyz, 1.0));
    // At such a depth the body belongs to another galaxy, or to none.
    if (!(light > 0.0) || !(abs(depth) < 1e3)) return;
    gl_Position = sprite.clip;
    gl_PointSize = size;
    moments = light * vec4(1.0, depth, depth * depth, 0.0);
}
