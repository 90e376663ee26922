#version 450 core
// A stage of a photograph, by the rasteriser.
in vec2 uv;
#include "photograph.glsl"
layout(location = 0) out vec4 colour;

void main() { colour = developed(ivec2(gl_FragCoord.xy), uv); }
