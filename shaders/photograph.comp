#version 450 core
// A stage of a photograph, into its own picture.
layout(local_size_x = 8, local_size_y = 8) in;
#include "photograph.glsl"
layout(binding = 0) uniform writeonly image2D picture;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(picture);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    imageStore(picture, pixel, developed(pixel, (vec2(pixel) + 0.5) / vec2(size)));
}
