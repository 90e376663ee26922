#version 450 core
// The light of a sprite at one pixel.
flat in vec3 light;
layout(location = 0) out vec4 colour;
#include "profile.glsl"

void main() {
    colour = vec4(light * profile(2.0 * gl_PointCoord - 1.0), 1.0);
}
