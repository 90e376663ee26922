#version 450 core
// A level of the glow plus the smaller level.
layout(local_size_x = 8, local_size_y = 8) in;
#include "bloom_up.glsl"
layout(binding = 0, rgba16f) uniform image2D level;
uniform bool alone;  // the result does not include the present level

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(level);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    vec3 light = larger((vec2(pixel) + 0.5) / vec2(size));
    if (!alone) light += imageLoad(level, pixel).rgb;
    imageStore(level, pixel, vec4(light, 1.0));
}
