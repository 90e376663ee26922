#version 450 core
// What a level of the glow gets from the smaller one.
in vec2 uv;
#include "bloom_up.glsl"
layout(location = 0) out vec4 colour;

void main() { colour = vec4(larger(uv), 1.0); }
