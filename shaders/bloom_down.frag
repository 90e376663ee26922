#version 450 core
// A level of the glow from the larger one.
in vec2 uv;
#include "bloom_down.glsl"
layout(location = 0) out vec4 colour;

void main() { colour = smaller(uv); }
