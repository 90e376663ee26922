#version 450 core
// Converts sums to light, and clears them for the next frame.
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 6) restrict buffer Sums { uvec4 sums[]; };
layout(std430, binding = 3) readonly buffer Points { uvec4 points[]; };
layout(binding = 0) uniform writeonly image2D light;
uniform bool withPoints;
uniform ivec2 size;
uniform float lightPerUnit;
uniform float most;  // largest number of the picture's format

// When each body is one pixel, this weight of the neighbours replaces the smallest sprites: about as wide, and equally
// smooth.
const float beside = 0.12;

vec4 pointsAt(ivec2 pixel) {
    vec4 sum = vec4(0.0);
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x) {
            float weight = (x == 1 ? 1.0 - 2.0 * beside : beside) * (y == 1 ? 1.0 - 2.0 * beside : beside);
            sum += weight * vec4(points[(pixel.y + y) * (size.x + 2) + pixel.x + x]);
        }
    return sum;
}

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    uint at = uint(pixel.y * size.x + pixel.x);
    uvec4 sum = sums[at];
    if ((sum.r | sum.g | sum.b | sum.a) != 0u) sums[at] = uvec4(0u);
    vec4 all = vec4(sum);
    if (withPoints) all += pointsAt(pixel);
    imageStore(light, pixel, min(all * lightPerUnit, most));
}
