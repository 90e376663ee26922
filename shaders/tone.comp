#version 450 core
// Light to screen, into its own picture.
layout(local_size_x = 8, local_size_y = 8) in;
#include "tone.glsl"
layout(binding = 0) uniform writeonly image2D screenImage;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(screenImage);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    imageStore(screenImage, pixel, screenAt(pixel, (vec2(pixel) + 0.5) / vec2(size)));
}
