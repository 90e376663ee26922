#version 450 core
// A pixel for each value of a buffer, in the colours of a table.
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 2) readonly buffer Values { float values[]; };
layout(std430, binding = 3) readonly buffer Table { uint colours[]; };
layout(rgba8, binding = 0) uniform writeonly image2D picture;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(picture);
    if (any(greaterThanEqual(at, size))) return;
    float place = clamp(values[at.y * size.x + at.x], 0.0, 1.0) * float(colours.length() - 1);
    imageStore(picture, at, unpackUnorm4x8(colours[uint(place + 0.5)]));
}
