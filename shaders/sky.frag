#version 450 core
// A star as a point, a galaxy as a smudge.
flat in vec4 form;
flat in vec3 light;
layout(location = 0) out vec4 colour;
#include "profile.glsl"

void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    if (form.w > 0.0) p = vec2(dot(p, form.yz), dot(p, vec2(-form.z, form.y)) / form.x);
    colour = vec4(light * profile(p), 1.0);
}
