#version 450 core
// Light to screen, by the rasteriser.
in vec2 uv;
#include "tone.glsl"
layout(location = 0) out vec4 colour;

void main() { colour = screenAt(ivec2(gl_FragCoord.xy), uv); }
