#version 450 core
// A picture as planes for encoders: full range, BT.601, one value of each colour for four pixels; top row first.
// Each invocation makes 8 x 2 pixels: words of four bytes.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D picture;
layout(std430, binding = 0) writeonly buffer Planes { uint words[]; };

void main() {
    ivec2 size = textureSize(picture, 0);
    ivec2 at = ivec2(gl_GlobalInvocationID.xy) * ivec2(8, 2);
    if (at.x >= size.x || at.y >= size.y) return;
    int row = size.x / 4, luma = size.y * row, chroma = luma / 4;
    vec4 cb = vec4(0), cr = vec4(0);
    for (int y = 0; y < 2; ++y)
        for (int side = 0; side < 2; ++side) {
            vec4 light;
            for (int i = 0; i < 4; ++i) {
                vec3 c = texelFetch(picture, ivec2(min(at.x + 4 * side + i, size.x - 1), size.y - 1 - at.y - y), 0).rgb;
                light[i] = dot(c, vec3(0.299, 0.587, 0.114));
                cb[2 * side + i / 2] += 0.25 * (0.5 + (c.b - light[i]) / 1.772);
                cr[2 * side + i / 2] += 0.25 * (0.5 + (c.r - light[i]) / 1.402);
            }
            words[(at.y + y) * row + at.x / 4 + side] = packUnorm4x8(light);
        }
    words[luma + (at.y / 2) * (row / 2) + at.x / 8] = packUnorm4x8(cb);
    words[luma + chroma + (at.y / 2) * (row / 2) + at.x / 8] = packUnorm4x8(cr);
}
