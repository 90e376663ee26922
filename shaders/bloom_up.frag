#version 450 core
// The contribution of the smaller level to a level of the glow.
in vec2 uv;
#include "bloom_up.glsl"
layout(location = 0) out vec4 colour;

void main() { colour = vec4(larger(uv), 1.0); }
