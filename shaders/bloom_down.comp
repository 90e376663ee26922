#version 450 core
// A level of the glow from the larger one.
layout(local_size_x = 8, local_size_y = 8) in;
#include "bloom_down.glsl"
layout(binding = 0) uniform writeonly image2D level;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(level);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    imageStore(level, pixel, smaller((vec2(pixel) + 0.5) / vec2(size)));
}
