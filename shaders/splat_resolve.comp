#version 450 core
// Sums to light, and zero again for the next frame.
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 6) restrict buffer Sums { uvec4 sums[]; };
layout(binding = 0) uniform writeonly image2D light;
uniform ivec2 size;
uniform float lightPerUnit;
uniform float most;  // what the picture's numbers can hold

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    uint at = uint(pixel.y * size.x + pixel.x);
    uvec4 sum = sums[at];
    if ((sum.r | sum.g | sum.b | sum.a) != 0u) sums[at] = uvec4(0u);
    imageStore(light, pixel, min(vec4(sum) * lightPerUnit, most));
}
