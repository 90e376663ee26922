#version 450 core
// One body as one point sprite.
layout(location = 0) in vec4 body;   // xyz [L], w = value
layout(location = 1) in vec2 trait;  // own value, fraction of light (negative: dark)
#include "body_light.glsl"

flat out vec4 light;

void main() {
    Sprite sprite;
    if (!spriteOf(body, trait, sprite)) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);  // outside every clip plane
        gl_PointSize = 1.0;
        light = vec4(0.0);
        return;
    }
    gl_Position = sprite.clip;
    gl_PointSize = 2.0 * sprite.radius;
    light = sprite.light;
}
