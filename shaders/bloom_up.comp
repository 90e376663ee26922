#version 450 core
// A level of the glow and what it gets from the smaller one.
layout(local_size_x = 8, local_size_y = 8) in;
#include "bloom_up.glsl"
layout(binding = 0, rgba16f) uniform image2D level;
uniform bool alone;  // without what is there

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(level);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    vec3 light = larger((vec2(pixel) + 0.5) / vec2(size));
    if (!alone) light += imageLoad(level, pixel).rgb;
    imageStore(level, pixel, vec4(light, 1.0));
}
