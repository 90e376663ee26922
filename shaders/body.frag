#version 450 core
// The light of a sprite at one pixel.
flat in vec4 light;
layout(location = 0) out vec4 colour;
#include "profile.glsl"

void main() {
    colour = light * profile(2.0 * gl_PointCoord - 1.0);
}
