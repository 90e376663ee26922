#version 450 core
// A star as a point, the brightest with the cross that a telescope's mirror holder makes; a galaxy as a smudge with a warm core.
flat in vec4 form;
flat in vec3 light;
flat in vec3 core;
layout(location = 0) out vec4 colour;
#include "profile.glsl"

void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    if (form.w > 0.0) {
        p = vec2(dot(p, form.yz), dot(p, vec2(-form.z, form.y)) / form.x);
        float middle = profile(1.8 * p);
        colour = vec4(light * profile(p) * profile(0.8 * p) + core * middle * middle, 1.0);
    } else if (form.w < 0.0) {
        float inside = profile(p);
        vec2 arms = max(1.0 - abs(p), 0.0);
        vec2 cross_ = arms * arms * exp(-abs(p.yx) / form.x);
        colour = vec4(core * profile(form.y * p) + light * (0.04 * inside * inside * inside + 0.45 * (cross_.x + cross_.y)), 1.0);
    } else {
        colour = vec4(light * profile(p), 1.0);
    }
}
